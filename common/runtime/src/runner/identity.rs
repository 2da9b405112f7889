//! The user of a message, as verified by the broker, and what that user owns.
//!
//! RabbitMQ refuses a message whose `user_id` is not the user of its connection. A `user_id` that is present is therefore true; an
//! absent one proves nothing. A fleet whose callers omit it knows no users and treats all callers alike.

use precis_proto::SessionId;
use precis_proto::envelope::{Envelope, Header};

use super::core::Core;
use super::session_record::{REQUESTS, SessionRecord};
use crate::broker::Asker;

impl Core {
    /// Whether `user` belongs to the fleet: workers and operators, who republish other users' messages and may end any session.
    pub(super) fn is_trusted(&self, user: &str) -> bool {
        self.broker.user() == Some(user) || self.settings.operator_users.iter().any(|operator| operator == user)
    }

    /// Who wants an answer, for a message of `user`.
    pub(super) fn asker<'a>(&self, user: Option<&'a str>) -> Asker<'a> {
        let must_be_known = self.settings.requires_user || self.settings.tenants.binds_users();
        match user {
            Some(user) if self.is_trusted(user) => Asker::Trusted,
            Some(user) => Asker::User(user),
            None if must_be_known => Asker::Unverified,
            None => Asker::Anyone,
        }
    }

    /// The user a message comes from, if known. A republished message counts as its first user's, if the fleet republished it.
    pub(super) fn user_of(&self, header: &Header) -> Option<String> {
        let user = header.user.as_deref()?;
        match &header.first_user {
            Some(first) if self.is_trusted(user) => Some(first.clone()),
            _ => Some(user.to_owned()),
        }
    }

    /// Returns the message as it is published again: it keeps its user.
    pub(super) fn again(&self, envelope: &Envelope) -> Envelope {
        let mut again = envelope.clone();
        again.header.first_user = self.user_of(&envelope.header);
        again
    }

    /// Whether the publisher of `header` may end `session`: the fleet and its owner may. Callers can publish such messages, so knowing
    /// a session's id must not be enough to end a session that has no owner, or that does not exist yet. Within one process, where the
    /// broker verifies no users, everybody may.
    pub(super) async fn may_end(&self, header: &Header, session: &SessionId) -> bool {
        let Some(user) = header.user.as_deref() else { return self.broker.user().is_none() };
        if self.is_trusted(user) {
            return true;
        }
        match self.services.content.get_named(REQUESTS, session.as_str()).await {
            Ok(Some(record)) => SessionRecord::from_bytes(&record).user.as_deref() == Some(user),
            // If the owner cannot be determined now, refuse; the publisher can try again.
            Ok(None) | Err(_) => false,
        }
    }
}
