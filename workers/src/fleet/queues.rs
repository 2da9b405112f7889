//! Parses `--queues`: the queues a worker serves, so that a fleet can scale reading, model-bound jobs and sessions separately.

use precis_proto::Phase;
use precis_runtime::broker::{JOB_KINDS, names};
use precis_runtime::runner::Queues;

/// A word that is not the name of a queue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a queue: use all, sessions, jobs, requests, indexing, webhooks, session.PHASE or jobs.KIND")]
pub struct QueueWordError(String);

/// Parses `all`, `sessions` (every phase, and requests), `jobs`, `requests`, `indexing`, `webhooks`, `session.digest`, `jobs.extraction`, with or without the
/// prefix `precis.`, separated by commas or as several words. `sessions` includes the undertaker's queue and that of webhooks. Any phase also includes the queue
/// of sessions that are processed alone, and each job kind the queue of its jobs that are processed alone.
///
/// # Errors
/// The first word that is not a queue.
pub fn parse_queues<S: AsRef<str>>(words: &[S]) -> Result<Queues, QueueWordError> {
    let mut queues = Vec::new();
    for word in words.iter().flat_map(|w| w.as_ref().split(',')).map(str::trim).filter(|w| !w.is_empty()) {
        match word {
            "all" => return Ok(Queues::All),
            "sessions" => {
                queues.extend(Phase::ALL.iter().map(|phase| names::session_queue(*phase)));
                queues.extend([names::REQUESTS, names::UNDERTAKER, names::WEBHOOKS].map(str::to_owned));
            }
            "jobs" => {
                queues.extend(JOB_KINDS.iter().map(|kind| names::job_queue(kind)));
                queues.push(names::INDEXING.to_owned());
            }
            word => queues.push(one(word).ok_or_else(|| QueueWordError(word.to_owned()))?),
        }
    }
    for (prefix, alone) in [("precis.session.", names::SESSIONS_ALONE), (names::REQUESTS, names::REQUESTS_ALONE)] {
        if queues.iter().any(|queue| queue.starts_with(prefix)) && !queues.iter().any(|queue| queue == alone) {
            queues.push(alone.to_owned());
        }
    }
    let kinds = JOB_KINDS.iter().filter(|kind| queues.contains(&names::job_queue(kind)));
    let lanes: Vec<String> = kinds.map(|kind| names::jobs_alone(kind)).collect();
    queues.extend(lanes);
    if queues.is_empty() { Ok(Queues::All) } else { Ok(Queues::Only(queues)) }
}

fn one(word: &str) -> Option<String> {
    let name = if word.starts_with("precis.") { word.to_owned() } else { format!("precis.{word}") };
    let known = Phase::ALL.iter().map(|phase| names::session_queue(*phase));
    let known = known.chain(JOB_KINDS.iter().map(|kind| names::job_queue(kind)));
    let mut known =
        known.chain([names::REQUESTS, names::INDEXING, names::UNDERTAKER, names::WEBHOOKS].map(str::to_owned));
    known.find(|queue| *queue == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_queue_names() {
        let only = |words: &[&str]| match parse_queues(words) {
            Ok(Queues::Only(names)) => names,
            other => panic!("{words:?}: {other:?}"),
        };
        assert_eq!(parse_queues::<&str>(&[]), Ok(Queues::All));
        assert_eq!(parse_queues(&["jobs.digest", "all"]), Ok(Queues::All));
        let digest = ["precis.jobs.digest", "precis.session.digest", names::SESSIONS_ALONE, "precis.jobs.alone.digest"];
        assert_eq!(only(&["jobs.digest, session.digest"]), digest);
        assert_eq!(only(&["precis.requests"]), [names::REQUESTS, names::REQUESTS_ALONE]);
        assert_eq!(only(&["jobs.extraction"]), ["precis.jobs.extraction", "precis.jobs.alone.extraction"]);
        assert_eq!(only(&["jobs"]).len(), 2 * JOB_KINDS.len() + 1, "and those worked on alone, and collections");
        assert_eq!(only(&["indexing"]), [names::INDEXING]);
        assert_eq!(parse_queues(&["jobs.alone"]), Err(QueueWordError("jobs.alone".to_owned())));
        assert!(only(&["sessions"]).contains(&names::UNDERTAKER.to_owned()));
        assert_eq!(only(&["webhooks"]), [names::WEBHOOKS]);
        assert_eq!(parse_queues(&["jobs", "digest"]), Err(QueueWordError("digest".to_owned())));
    }
}
