//! When the texts and the sessions of a fleet are given up. A session's id is free again once its record is gone, and its record goes after
//! its result: whoever takes the id next must not be handed the result of the one before.

use precis_proto::standing::{STANDING, kept_by};

use super::outbox::RESULTS;
use super::removal::finish_removals;
use super::session_record::REQUESTS;
use crate::collections::sweep_collections;
use crate::content::{ContentError, ContentStore};
use crate::records::{ACCEPTED, ENDED};
use crate::webhooks::WEBHOOKS;

/// What the kinds of the records of collections begin with.
const COLLECTION_KINDS: &str = "collection";

/// Removes texts last put more than `hours` ago, and ended sessions, by result and record, after `session_hours`; returns how many contents.
/// A session without a result may still run: its record stays as long as texts.
///
/// # Errors
/// [`ContentError::Unavailable`]; some content may be removed by then.
pub async fn remove_old(content: &ContentStore, hours: u32, session_hours: u32) -> Result<u64, ContentError> {
    renew_standing(content).await?;
    let mut removed = finish_removals(content).await?;
    // The record of acceptance goes last: it is what makes an id taken.
    removed +=
        content.remove_named_with(RESULTS, &[WEBHOOKS, ENDED, REQUESTS, ACCEPTED], session_hours.min(hours)).await?;
    for kind in [WEBHOOKS, ENDED, REQUESTS, ACCEPTED] {
        removed += content.remove_named_older_than(kind, Some(RESULTS), hours).await?;
    }
    let (swept, kept) = sweep_collections(content, hours).await?;
    let mut except = [REQUESTS, RESULTS, ACCEPTED, ENDED, WEBHOOKS, STANDING].map(str::to_owned).to_vec();
    // Their records stand until they are removed.
    except.extend(content.kinds(COLLECTION_KINDS).await?);
    Ok(removed + swept + content.remove_older_than_except(hours, &except, &kept).await?)
}

/// Puts what standing questions keep once more, so that it counts as new. A question that was removed keeps nothing.
async fn renew_standing(content: &ContentStore) -> Result<(), ContentError> {
    for (id, _) in content.list_named(STANDING).await? {
        let record = content.get_named(STANDING, &id).await?.unwrap_or_default();
        for kept in kept_by(&record) {
            match content.get(&kept).await {
                Ok(bytes) => drop(content.put(bytes).await?),
                Err(error) if error.is_outage() => return Err(error),
                // Gone already; the next run of the question makes a report without an earlier one.
                Err(_) => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::{Duration, UNIX_EPOCH};

    use bytes::Bytes;
    use precis_proto::Timestamp;

    use super::*;
    use crate::clock::unix_time;
    use crate::records::{Batch, keep_batch, list_batches};

    fn age(dir: &Path, kind: &str, id: &str, hours: u64) {
        let file = std::fs::File::options().write(true).open(dir.join("named").join(kind).join(id));
        let then = UNIX_EPOCH + unix_time() - Duration::from_secs(hours * 3_600);
        file.and_then(|file| file.set_modified(then)).expect("aged");
    }

    /// Which of records and result are left of a session whose records of acceptance have `record` hours, and whose result `result`.
    async fn left(record: u64, result: Option<u64>) -> (bool, bool) {
        let dir = tempfile::tempdir().expect("a directory");
        let content = ContentStore::directory(dir.path()).expect("opens");
        for (kind, hours) in [(REQUESTS, Some(record)), (ACCEPTED, Some(record)), (ENDED, result), (RESULTS, result)] {
            if let Some(hours) = hours {
                content.put_named_if_absent(kind, "s", Bytes::from("x")).await.expect("kept");
                age(dir.path(), kind, "s", hours);
            }
        }
        remove_old(&content, 10, 5).await.expect("removed");
        let is_left = async |kind| content.get_named(kind, "s").await.expect("read").is_some();
        assert_eq!(is_left(REQUESTS).await, is_left(ACCEPTED).await, "records of one session");
        assert_eq!(is_left(RESULTS).await, is_left(ENDED).await, "what says how it ended");
        (is_left(REQUESTS).await, is_left(RESULTS).await)
    }

    #[tokio::test]
    async fn a_standing_question_and_its_report_are_kept_until_it_is_removed() {
        let dir = tempfile::tempdir().expect("a directory");
        let content = ContentStore::directory(dir.path()).expect("opens");
        let report = content.put(Bytes::from("report")).await.expect("kept");
        let record = format!("{{\"schema_version\": 99, \"keeps\": [\"{report}\"]}}");
        content.put_named_if_absent(STANDING, "q", Bytes::from(record)).await.expect("kept");
        let age_all = || {
            let blob = dir.path().join("blobs").join(&report.hex()[..2]).join(report.hex());
            let file = std::fs::File::options().write(true).open(blob);
            let then = UNIX_EPOCH + unix_time() - Duration::from_secs(20 * 3_600);
            file.and_then(|file| file.set_modified(then)).expect("aged");
        };
        age_all();
        age(dir.path(), STANDING, "q", 20);
        remove_old(&content, 10, 5).await.expect("removed");
        assert_eq!(content.get(&report).await.expect("kept"), "report");
        assert!(content.remove_named(STANDING, "q").await.expect("removed"));
        assert!(!content.remove_named(STANDING, "q").await.expect("nothing there"));
        age_all();
        remove_old(&content, 10, 5).await.expect("removed");
        assert_eq!(content.get(&report).await, Err(ContentError::Missing(report.clone())));
    }

    #[tokio::test]
    async fn a_batch_goes_with_texts_from_record_and_list() {
        for (hours, is_kept) in [(9, true), (11, false)] {
            let dir = tempfile::tempdir().expect("a directory");
            let content = ContentStore::directory(dir.path()).expect("opens");
            let batch = Batch {
                schema_version: 1,
                id: "b1".to_owned(),
                tenant: None,
                accepted_at: Timestamp(7),
                request_sha256: String::new(),
                max_usd: None,
                research: None,
                sessions: Vec::new(),
            };
            keep_batch(&content, &batch).await.expect("kept");
            let kinds = content.kinds("batches").await.expect("listed");
            assert_eq!(kinds.len(), 2, "a record and a place in a list: {kinds:?}");
            for kind in &kinds {
                for (id, _) in content.list_named(kind).await.expect("listed") {
                    age(dir.path(), kind, &id, hours);
                }
            }
            // How long sessions are kept is nothing to a batch.
            remove_old(&content, 10, 1).await.expect("removed");
            for kind in &kinds {
                assert_eq!(
                    content.list_named(kind).await.expect("listed").len(),
                    usize::from(is_kept),
                    "{kind} {hours}"
                );
            }
            let listed = list_batches(&content, None, None, 9).await.expect("listed");
            assert_eq!(listed.batches.len(), usize::from(is_kept));
        }
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
