//! The tenants a user may submit for.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::TenantId;

/// The tenants, and the users they belong to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TenantRules {
    /// Tenants with a budget of their own. All other names share the default one.
    pub known: BTreeSet<String>,
    /// The tenant of each user that has one.
    pub by_user: BTreeMap<String, String>,
}

/// The tenant belongs to another user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the tenant `{0}` belongs to other users of the broker")]
pub struct ForeignTenant(String);

impl TenantRules {
    /// Returns the tenant that pays for a request of `user` on behalf of `named`; `None` for the default tenant.
    ///
    /// # Errors
    /// [`ForeignTenant`] if the configuration binds `named` to other users, or `user` to another tenant.
    pub fn tenant(&self, user: Option<&str>, named: Option<TenantId>) -> Result<Option<TenantId>, ForeignTenant> {
        let own = user.and_then(|user| self.by_user.get(user));
        let Some(named) = named else { return Ok(own.and_then(|own| TenantId::new(own.as_str()).ok())) };
        let is_bound = self.by_user.values().any(|tenant| tenant == named.as_str());
        match own {
            Some(own) if own == named.as_str() => Ok(Some(named)),
            Some(_) => Err(ForeignTenant(named.to_string())),
            None if is_bound => Err(ForeignTenant(named.to_string())),
            None => Ok(Some(named).filter(|name| self.known.contains(name.as_str()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> TenantRules {
        let known = ["legal", "open"].map(str::to_owned).into();
        let by_user =
            [("alice", "legal"), ("carol", "legal")].map(|(user, tenant)| (user.to_owned(), tenant.to_owned()));
        TenantRules { known, by_user: by_user.into() }
    }

    #[test]
    fn a_tenant_is_its_users_and_unknown_names_share_the_default() {
        let table = [
            (Some("alice"), None, Ok(Some("legal"))),
            (Some("alice"), Some("legal"), Ok(Some("legal"))),
            (Some("alice"), Some("open"), Err("open")),
            (Some("bob"), Some("legal"), Err("legal")),
            (None, Some("legal"), Err("legal")),
            (Some("bob"), Some("open"), Ok(Some("open"))),
            (None, Some("open"), Ok(Some("open"))),
            (Some("bob"), Some("invented"), Ok(None)),
            (None, Some("another"), Ok(None)),
            (None, None, Ok(None)),
        ];
        for (user, named, expected) in table {
            let named = named.map(|name| TenantId::new(name).expect("an id"));
            let decided = rules().tenant(user, named.clone()).map_err(|foreign| foreign.0);
            let decided = decided.as_ref().map(|tenant| tenant.as_ref().map(TenantId::as_str)).map_err(String::as_str);
            assert_eq!(decided, expected, "{user:?} {named:?}");
        }
    }
}
