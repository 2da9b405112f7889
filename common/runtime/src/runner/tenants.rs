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

/// Why no tenant pays for a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TenantRefusal {
    /// The tenant belongs to another user.
    #[error("the tenant `{0}` belongs to other users of the broker")]
    Foreign(String),
    /// Users are bound to tenants, and nobody knows whose message this is.
    #[error(
        "users of this fleet belong to tenants, and the message names none; expected the user of the connection as `user_id`"
    )]
    NoUser,
}

impl TenantRules {
    /// Whether users are bound to tenants, so that a message without a user is refused.
    #[must_use]
    pub fn binds_users(&self) -> bool {
        !self.by_user.is_empty()
    }

    /// Returns the tenant that pays for a request of `user` on behalf of `named`; `None` for the default tenant.
    ///
    /// # Errors
    /// [`TenantRefusal`] if the configuration binds `named` to other users, or `user` to another tenant; or if it binds users at all and
    /// `user` is not known: who leaves the name out would escape the ceiling of its tenant.
    pub fn tenant(&self, user: Option<&str>, named: Option<TenantId>) -> Result<Option<TenantId>, TenantRefusal> {
        if user.is_none() && self.binds_users() {
            return Err(TenantRefusal::NoUser);
        }
        let own = user.and_then(|user| self.by_user.get(user));
        let Some(named) = named else { return Ok(own.and_then(|own| TenantId::new(own.as_str()).ok())) };
        let is_bound = self.by_user.values().any(|tenant| tenant == named.as_str());
        match own {
            Some(own) if own == named.as_str() => Ok(Some(named)),
            Some(_) => Err(TenantRefusal::Foreign(named.to_string())),
            None if is_bound => Err(TenantRefusal::Foreign(named.to_string())),
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
            (Some("bob"), Some("open"), Ok(Some("open"))),
            (Some("bob"), Some("invented"), Ok(None)),
        ];
        for (user, named, expected) in table {
            let named = named.map(|name| TenantId::new(name).expect("an id"));
            let expected = expected.map_err(|name: &str| TenantRefusal::Foreign(name.to_owned()));
            let expected = expected.map(|tenant| tenant.map(|name| TenantId::new(name).expect("an id")));
            assert_eq!(rules().tenant(user, named.clone()), expected, "{user:?} {named:?}");
        }
    }

    #[test]
    fn a_message_without_a_user_is_refused_where_users_belong_to_tenants() {
        let unbound = TenantRules { known: ["open".to_owned()].into(), ..TenantRules::default() };
        for named in [None, Some("open"), Some("legal"), Some("another")] {
            let named = named.map(|name| TenantId::new(name).expect("an id"));
            assert_eq!(rules().tenant(None, named.clone()), Err(TenantRefusal::NoUser), "{named:?}");
            let own = named.clone().filter(|name| name.as_str() == "open");
            assert_eq!(unbound.tenant(None, named), Ok(own));
        }
    }
}
