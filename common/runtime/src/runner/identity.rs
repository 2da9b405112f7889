//! Who speaks: the user that the broker verified, what that user owns, and on whose behalf it may ask.
//!
//! RabbitMQ refuses a message whose `user_id` is not the user of its connection. So a `user_id` that is there is true, and one that
//! is not there says nothing: a fleet whose callers leave it out knows nobody, and treats all of them alike.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use precis_proto::envelope::{Envelope, Header};
use precis_proto::{SessionId, TenantId};

use super::intake::REQUESTS;
use super::worker::Core;

/// Which tenants there are, and whose they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TenantRules {
    /// Tenants with a budget of their own. All other names share the default one.
    pub known: BTreeSet<String>,
    /// The tenant of each user that has one.
    pub by_user: BTreeMap<String, String>,
}

/// A tenant that is another user's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the tenant `{0}` belongs to other users of the broker")]
pub struct ForeignTenant(String);

impl TenantRules {
    /// Who pays for what `user` asks for on behalf of `named`; `None` for the default tenant.
    ///
    /// # Errors
    /// [`ForeignTenant`] where the configuration gives `named` to others.
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

/// What is kept under a session's id from its acceptance on: which request it was, and whose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SessionRecord {
    /// SHA-256 of the request, in hexadecimal digits.
    pub(super) hash: String,
    /// Who submitted it, where that is known.
    pub(super) user: Option<String>,
}

impl SessionRecord {
    pub(super) fn to_bytes(&self) -> Bytes {
        match &self.user {
            Some(user) => Bytes::from(format!("{}\n{user}", self.hash)),
            None => Bytes::from(self.hash.clone()),
        }
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        match text.split_once('\n') {
            Some((hash, user)) => Self { hash: hash.to_owned(), user: Some(user.to_owned()) },
            None => Self { hash: text.into_owned(), user: None },
        }
    }

    /// Whether `other` is the same request of the same user. A record without a user was made before users were recorded, or by a
    /// caller that said none: it is everybody's who knows the request.
    pub(super) fn admits(&self, other: &Self) -> bool {
        self.hash == other.hash && (self.user.is_none() || self.user == other.user)
    }
}

impl Core {
    /// Whether `user` is one of the fleet: workers and operators, who publish messages of others again and may end any session.
    fn is_trusted(&self, user: &str) -> bool {
        self.broker.user() == Some(user) || self.settings.operator_users.iter().any(|operator| operator == user)
    }

    /// Whose message this is, where that is known.
    pub(super) fn user_of(&self, header: &Header) -> Option<String> {
        let user = header.user.as_deref()?;
        match &header.first_user {
            Some(first) if self.is_trusted(user) => Some(first.clone()),
            _ => Some(user.to_owned()),
        }
    }

    /// A message as it is published again: its user goes with it.
    pub(super) fn again(&self, envelope: &Envelope) -> Envelope {
        let mut again = envelope.clone();
        again.header.first_user = self.user_of(&envelope.header);
        again
    }

    /// Whether whoever published `header` may end `session`: the fleet and its owner. Callers may publish such messages, so nobody may
    /// end a session that has no owner, or that is not known yet, because of what its id is. Within one process, whose broker knows no
    /// users, everybody may.
    pub(super) async fn may_end(&self, header: &Header, session: &SessionId) -> bool {
        let Some(user) = header.user.as_deref() else { return self.broker.user().is_none() };
        if self.is_trusted(user) {
            return true;
        }
        match self.services.content.get_named(REQUESTS, session.as_str()).await {
            Ok(Some(kept)) => SessionRecord::from_bytes(&kept).user.as_deref() == Some(user),
            // Where whose it is cannot be told now, whoever asked may ask again.
            Ok(None) | Err(_) => false,
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

    #[test]
    fn a_record_admits_the_same_request_of_the_same_user_only() {
        let of =
            |hash: &str, user: Option<&str>| SessionRecord { hash: hash.to_owned(), user: user.map(str::to_owned) };
        for record in [of("h", None), of("h", Some("alice"))] {
            assert_eq!(SessionRecord::from_bytes(&record.to_bytes()), record);
        }
        assert!(of("h", Some("alice")).admits(&of("h", Some("alice"))));
        assert!(!of("h", Some("alice")).admits(&of("h", Some("bob"))));
        assert!(!of("h", Some("alice")).admits(&of("h", None)));
        assert!(!of("h", Some("alice")).admits(&of("other", Some("alice"))));
        assert!(of("h", None).admits(&of("h", Some("alice"))));
    }
}
