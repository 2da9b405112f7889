//! When the texts and the sessions of a fleet are given up. A session's id is free again once its record is gone, and its record goes after
//! its result: whoever takes the id next must not be handed the result of the one before.

use super::outbox::RESULTS;
use super::session_record::REQUESTS;
use crate::content::{ContentError, ContentStore};

/// Removes texts last put more than `hours` ago, and ended sessions, by result and record, after `session_hours`; returns how many contents.
/// A session without a result may still run: its record stays as long as texts.
///
/// # Errors
/// [`ContentError::Unavailable`]; some content may be removed by then.
pub async fn remove_old(content: &ContentStore, hours: u32, session_hours: u32) -> Result<u64, ContentError> {
    let ended = content.remove_named_with(RESULTS, REQUESTS, session_hours.min(hours)).await?;
    let unended = content.remove_named_older_than(REQUESTS, Some(RESULTS), hours).await?;
    Ok(ended + unended + content.remove_older_than_except(hours, &[REQUESTS, RESULTS]).await?)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::{Duration, UNIX_EPOCH};

    use bytes::Bytes;

    use super::*;
    use crate::clock::unix_time;

    fn age(dir: &Path, kind: &str, id: &str, hours: u64) {
        let file = std::fs::File::options().write(true).open(dir.join("named").join(kind).join(id));
        let then = UNIX_EPOCH + unix_time() - Duration::from_secs(hours * 3_600);
        file.and_then(|file| file.set_modified(then)).expect("aged");
    }

    /// Which of record and result are left of a session whose record has `record` hours, and whose result `result`.
    async fn left(record: u64, result: Option<u64>) -> (bool, bool) {
        let dir = tempfile::tempdir().expect("a directory");
        let content = ContentStore::directory(dir.path()).expect("opens");
        for (kind, hours) in [(REQUESTS, Some(record)), (RESULTS, result)] {
            if let Some(hours) = hours {
                content.put_named_if_absent(kind, "s", Bytes::from("x")).await.expect("kept");
                age(dir.path(), kind, "s", hours);
            }
        }
        remove_old(&content, 10, 5).await.expect("removed");
        let is_left = async |kind| content.get_named(kind, "s").await.expect("read").is_some();
        (is_left(REQUESTS).await, is_left(RESULTS).await)
    }

    #[tokio::test]
    async fn an_id_is_free_when_the_result_is_gone_and_never_before() {
        for (record, result, expected) in [
            (4, Some(4), (true, true)),
            (6, Some(6), (false, false)),
            (6, Some(4), (true, true)),
            // Accepted long ago, ended just now.
            (11, Some(4), (true, true)),
            // Not ended: it may still run.
            (6, None, (true, false)),
            (11, None, (false, false)),
        ] {
            assert_eq!(left(record, result).await, expected, "{record} {result:?}");
        }
    }
}
