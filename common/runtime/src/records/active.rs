//! Which sessions a token has under way: an empty named content per session, made at acceptance and removed once it is seen that the session
//! has ended, which is looked for when a token seems to have too many. So one listing tells whether a token may submit, at every door, and
//! after the shared store was wiped.

use bytes::Bytes;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use precis_proto::SessionId;

use super::accepted::{ACCEPTED, AcceptedSession, keep_and};
use super::days::tenant_mark;
use crate::content::{ContentError, ContentStore};

/// Prefix of the kinds of these marks; one kind per token.
const ACTIVE: &str = "active-";
/// Sessions whose end is looked for at once.
const AT_ONCE: usize = 32;

/// The marks of one token.
#[derive(Debug, Clone)]
pub struct ActiveSessions {
    kind: String,
    /// Kind of the named contents that say that a session has ended.
    results: &'static str,
}

impl ActiveSessions {
    /// Those of the token `name`; `None` where there are no tokens. A session has ended when it has a content of the kind `results`.
    #[must_use]
    pub fn of(name: Option<&str>, results: &'static str) -> Self {
        Self { kind: format!("{ACTIVE}{}", tenant_mark(name)), results }
    }

    /// Marks `session` as under way. It must have its record of acceptance.
    async fn mark(&self, content: &ContentStore, session: &SessionId) -> Result<(), ContentError> {
        content.put_named_if_absent(&self.kind, session.as_str(), Bytes::new()).await.map(drop)
    }

    /// Keeps `record` as [`keep_accepted`](super::keep_accepted), and marks its session, which is new, as under way.
    ///
    /// # Errors
    /// [`ContentError`].
    pub async fn keep_accepted(
        &self,
        content: &ContentStore,
        record: &AcceptedSession,
    ) -> Result<AcceptedSession, ContentError> {
        keep_and(content, record, self.mark(content, &record.session_id)).await
    }

    /// Takes the mark of `session` back.
    ///
    /// # Errors
    /// [`ContentError`].
    pub async fn unmark(&self, content: &ContentStore, session: &SessionId) -> Result<(), ContentError> {
        content.remove_named(&self.kind, session.as_str()).await.map(drop)
    }

    /// Returns how many sessions are under way, as far as it matters for `limit`: exactly if there are more, and otherwise some that have
    /// ended may be among them. Removes the marks of ended ones where they matter.
    ///
    /// # Errors
    /// [`ContentError`].
    pub async fn count(&self, content: &ContentStore, limit: usize) -> Result<usize, ContentError> {
        let marked = content.ordered_ids(&self.kind, None, limit.saturating_add(1)).await?;
        if marked.len() <= limit {
            return Ok(marked.len());
        }
        let marked = content.list_named(&self.kind).await?;
        let mut looks = Vec::with_capacity(marked.len());
        for (id, _) in &marked {
            looks.push(self.has_ended(content, id));
        }
        let ended: Vec<bool> = stream::iter(looks).buffered(AT_ONCE).try_collect().await?;
        let ended: Vec<&String> =
            marked.iter().zip(ended).filter_map(|((id, _), has_ended)| has_ended.then_some(id)).collect();
        for id in &ended {
            content.remove_named(&self.kind, id).await?;
        }
        Ok(marked.len() - ended.len())
    }

    async fn has_ended(&self, content: &ContentStore, id: &str) -> Result<bool, ContentError> {
        if content.get_named(self.results, id).await?.is_some() {
            return Ok(true);
        }
        // Withdrawn, removed, or past its retention.
        Ok(content.get_named(ACCEPTED, id).await?.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn sessions_are_counted_exactly_above_the_limit_and_by_token() {
        let content = ContentStore::in_memory();
        let (own, other) = (ActiveSessions::of(Some("a"), "results"), ActiveSessions::of(None, "results"));
        let session = |n: usize| SessionId::new(format!("s{n}")).expect("an id");
        for n in 0..4 {
            content.put_named_if_absent(ACCEPTED, session(n).as_str(), Bytes::new()).await.expect("kept");
            own.mark(&content, &session(n)).await.expect("marked");
        }
        let count = async |limit| own.count(&content, limit).await.expect("counted");
        assert_eq!((count(5).await, count(4).await, count(3).await), (4, 4, 4));
        assert_eq!(other.count(&content, 0).await, Ok(0));
        // Ended, and withdrawn.
        content.put_named_if_absent("results", "s0", Bytes::new()).await.expect("kept");
        content.remove_named(ACCEPTED, "s1").await.expect("removed");
        assert_eq!((count(4).await, count(3).await, count(2).await), (4, 2, 2));
        own.unmark(&content, &session(2)).await.expect("unmarked");
        assert_eq!(count(0).await, 1);
    }
}
