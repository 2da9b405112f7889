//! Events over the end of a process: in order, within their limits, whatever byte the file ends at.

use std::fs;
use std::path::PathBuf;

use super::*;
use crate::store::event_log::LOGGED_EVENTS;

fn session(n: usize) -> SessionId {
    SessionId::new(format!("s{n}")).expect("an id")
}

fn event(session: &SessionId, json: &str) -> Vec<(SessionId, Bytes)> {
    vec![(session.clone(), Bytes::from(json.to_owned()))]
}

fn opened(dir: &Path, now_ms: u64) -> EventLogs {
    EventLogs::open(dir, now_ms).expect("opens")
}

fn of(logs: &EventLogs, session: &SessionId) -> Vec<LoggedEvent> {
    logs.from(session, None, usize::MAX, Instant::now())
}

/// The last file of the journal, to which events are appended.
fn log_in(dir: &Path) -> PathBuf {
    let files = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path());
    files.filter(|path| path.extension().is_some_and(|e| e == "log")).max().expect("a log")
}

fn bytes_in(dir: &Path) -> u64 {
    let files = fs::read_dir(dir).expect("a folder").flatten();
    files.map(|entry| entry.metadata().map_or(0, |about| about.len())).sum()
}

#[tokio::test]
async fn events_outlive_the_process_in_order_and_within_their_limits() {
    for count in [LOGGED_EVENTS - 1, LOGGED_EVENTS, LOGGED_EVENTS + 1] {
        let dir = tempfile::tempdir().expect("a directory");
        let (one, removed, now) = (session(1), session(2), Instant::now());
        let mut logs = opened(dir.path(), 5);
        for n in 2..count {
            logs.add(&event(&one, &format!("{{\"a\":\"{n}\\n\"}}")), 5, now);
        }
        logs.add(&[event(&removed, "{}"), event(&one, "{}"), event(&one, "")].concat(), 7, now);
        logs.remove(&removed, now);
        let before = of(&logs, &one);
        assert_eq!(before.len(), count.min(LOGGED_EVENTS));
        // Once from what was appended, once from a snapshot.
        for _ in 0..2 {
            let bytes = logs.bytes;
            logs.close();
            logs = opened(dir.path(), 7);
            assert_eq!((of(&logs, &one), logs.bytes), (before.clone(), bytes));
            assert!(of(&logs, &removed).is_empty());
        }
        logs.add(&event(&one, "{}"), 5, now);
        let last = of(&logs, &one).pop().expect("added");
        assert_eq!(last.id.to_string(), "7-2", "after all that was there before the restart");
    }
}

#[tokio::test]
async fn a_file_cut_at_any_byte_keeps_a_beginning_of_the_events() {
    let dir = tempfile::tempdir().expect("a directory");
    let (sessions, now) = ([session(1), session(2)], Instant::now());
    let mut logs = opened(dir.path(), 1);
    let begun = fs::metadata(log_in(dir.path())).expect("there").len();
    let mut states = vec![sessions.clone().map(|session| of(&logs, &session))];
    for n in 0..4 {
        let batch = [event(&sessions[0], &format!("{{\"n\":{n}}}")), event(&sessions[n % 2], "{}")].concat();
        logs.add(&batch, n as u64, now);
        states.push(sessions.clone().map(|session| of(&logs, &session)));
    }
    logs.remove(&sessions[1], now);
    states.push(sessions.clone().map(|session| of(&logs, &session)));
    logs.close();
    let whole = fs::read(log_in(dir.path())).expect("readable");
    let mut found = Vec::new();
    for cut in begun as usize..=whole.len() {
        let copy = tempfile::tempdir().expect("a directory");
        for entry in fs::read_dir(dir.path()).expect("a folder").flatten() {
            fs::copy(entry.path(), copy.path().join(entry.file_name())).expect("copied");
        }
        fs::write(log_in(copy.path()), &whole[..cut]).expect("written");
        let mut logs = opened(copy.path(), 1);
        let state = sessions.clone().map(|session| of(&logs, &session));
        let at = states.iter().position(|known| *known == state).unwrap_or_else(|| panic!("cut at {cut}: {state:?}"));
        assert!(found.last().is_none_or(|before| *before <= at), "cut at {cut}");
        found.push(at);
        // What comes next is behind what is left.
        logs.add(&event(&sessions[0], "{}"), 1, now);
        let ids: Vec<EventId> = of(&logs, &sessions[0]).iter().map(|event| event.id).collect();
        assert!(ids.is_sorted_by(|a, b| a < b), "cut at {cut}: {ids:?}");
        logs.close();
    }
    found.dedup();
    assert_eq!(found, [0, 1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn a_restart_finds_the_events_of_the_last_day_and_no_earlier_ones() {
    let day = u64::try_from(LOG_KEPT.as_millis()).expect("short");
    for (age, count) in [(day - 1, 1), (day, 0), (day + 1, 0)] {
        let (dir, now) = (tempfile::tempdir().expect("a directory"), Instant::now());
        let mut logs = opened(dir.path(), 1);
        logs.add(&event(&session(1), "{}"), 1, now);
        logs.close();
        let logs = opened(dir.path(), 1 + age);
        assert_eq!((logs.by_session.len(), logs.bytes > 0), (count, count > 0), "{age}");
    }
}

#[tokio::test]
async fn a_restart_finds_no_more_sessions_than_are_kept_the_latest_of_them() {
    for count in [SESSIONS - 1, SESSIONS, SESSIONS + 1] {
        let (dir, now) = (tempfile::tempdir().expect("a directory"), Instant::now());
        let mut logs = opened(dir.path(), 1);
        for n in 0..count {
            logs.add(&event(&session(n), "{}"), n as u64, now + Duration::from_millis(n as u64));
        }
        logs.close();
        let logs = opened(dir.path(), count as u64);
        assert_eq!(logs.by_session.len(), count.min(SESSIONS), "{count}");
        assert_eq!(of(&logs, &session(0)).len(), usize::from(count <= SESSIONS), "{count}");
        assert_eq!(of(&logs, &session(count - 1)).len(), 1, "{count}");
    }
}

#[tokio::test]
async fn the_file_is_written_anew_before_it_has_many_times_what_is_kept() {
    let (dir, now) = (tempfile::tempdir().expect("a directory"), Instant::now());
    let mut logs = opened(dir.path(), 1);
    logs.add(&event(&session(0), "{}"), 1, now);
    let text = "x".repeat(1 << 20);
    for n in 1..=100 {
        logs.add(&event(&session(n), &text), 1, now);
        logs.remove(&session(n), now);
        // As many milliseconds as a snapshot may take.
        for _ in 0..1_000 {
            if bytes_in(dir.path()) < 36 << 20 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert!(bytes_in(dir.path()) < 36 << 20, "{n}: {}", bytes_in(dir.path()));
    }
    logs.close();
    assert_eq!(of(&opened(dir.path(), 1), &session(0)).len(), 1);
}

#[tokio::test]
async fn a_log_that_cannot_be_written_goes_on_in_memory() {
    let (dir, one, now) = (tempfile::tempdir().expect("a directory"), session(1), Instant::now());
    let mut logs = opened(dir.path(), 1);
    logs.add(&event(&one, "{}"), 1, now);
    logs.journal.as_ref().expect("open").close();
    logs.add(&event(&one, "{}"), 1, now);
    assert_eq!(of(&logs, &one).len(), 2);
    assert!(logs.journal.is_none());
    logs.clear();
    assert!(of(&logs, &one).is_empty());
}
