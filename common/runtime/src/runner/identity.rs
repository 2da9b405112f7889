//! Who speaks: the user that the broker verified, and what that user owns.
//!
//! RabbitMQ refuses a message whose `user_id` is not the user of its connection. So a `user_id` that is there is true, and one that
//! is not there says nothing: a fleet whose callers leave it out knows nobody, and treats all of them alike.

use precis_proto::SessionId;
use precis_proto::envelope::{Envelope, Header};

use super::core::Core;
use super::session_record::{REQUESTS, SessionRecord};

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
