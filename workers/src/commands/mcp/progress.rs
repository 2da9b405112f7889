//! What a client is told while a tool runs, if it gave a token: phases and counts, no text of a document.

use std::time::Duration;

use precis_proto::event::EventKind;
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, watch};

/// Time between two notifications of a call, at least. Of what happens in between, the last is told.
const EVERY: Duration = Duration::from_secs(1);

/// Where a call says what it is at.
#[derive(Debug, Clone)]
pub(super) struct Progress(watch::Sender<String>);

impl Progress {
    /// A place to say it, and whoever listens there.
    pub(super) fn channel() -> (Self, watch::Receiver<String>) {
        let (tell, told) = watch::channel(String::new());
        (Self(tell), told)
    }

    /// Says what the call is at; the same twice is said once.
    pub(super) fn say(&self, step: String) {
        self.0.send_if_modified(|last| {
            let is_new = *last != step;
            *last = step;
            is_new
        });
    }

    /// Says what an event of a session tells, if it tells how far it is.
    pub(super) fn say_event(&self, event: &EventKind) {
        if let Some(step) = step_of(event) {
            self.say(step);
        }
    }
}

/// Returns the token of a request that wants to be told: a text or a whole number.
pub(super) fn token_of(params: &Map<String, Value>) -> Option<Value> {
    let token = params.get("_meta")?.get("progressToken")?;
    (token.is_string() || token.is_i64() || token.is_u64()).then(|| token.clone())
}

/// Sends what is said to the client, as long as this is awaited. Never ends.
pub(super) async fn tell(token: Option<Value>, mut told: watch::Receiver<String>, answers: mpsc::Sender<Value>) {
    let Some(token) = token else { return std::future::pending().await };
    // A number that grows with each notification is all that the protocol asks for: how much there is to do is not known before.
    for progress in 1_u64.. {
        if told.changed().await.is_err() {
            break;
        }
        let message = told.borrow_and_update().clone();
        let params = json!({ "progressToken": token, "progress": progress, "message": message });
        // A client that is gone is noticed by the writer.
        let _ = answers.send(json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params })).await;
        tokio::time::sleep(EVERY).await;
    }
    std::future::pending().await
}

/// What an event tells, in words; `None` if it tells nothing of how far a session is.
fn step_of(event: &EventKind) -> Option<String> {
    match event {
        EventKind::PhaseStarted { phase, .. } => Some(phase.as_str().to_owned()),
        EventKind::JobsProgress { phase, done, total } => Some(format!("{phase}: {done} of {total}")),
        EventKind::RoundStarted { round, directives, .. } => {
            Some(format!("gathering: round {round}, directives: {directives}"))
        }
        EventKind::RoundFinished { round, searches, passages, covered, sub_questions, .. } => Some(format!(
            "gathering: round {round} ended, searches: {searches}, passages: {passages}, sub-questions covered: {covered} of {sub_questions}"
        )),
        EventKind::Waiting { phase, seconds, .. } => Some(format!("{phase}: waits for a model for {seconds} s")),
        EventKind::SessionAccepted { .. }
        | EventKind::PlanWritten { .. }
        | EventKind::ResearcherTurn { .. }
        | EventKind::Warned { .. }
        | EventKind::PhaseFinished { .. }
        | EventKind::SessionFinished { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::Phase;
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn at_most_one_notification_a_second_tells_the_last_step() {
        let (progress, told) = Progress::channel();
        let (answers, mut sent) = mpsc::channel(9);
        let telling = tokio::spawn(tell(Some("t".into()), told, answers));
        let mut last = None;
        for (n, steps) in [["a", "b"], ["c", "c"], ["d", "e"]].into_iter().enumerate() {
            steps.into_iter().for_each(|step| progress.say(step.to_owned()));
            let message = sent.recv().await.expect("told");
            let params = &message["params"];
            assert_eq!((&params["progress"], &params["message"]), (&json!(n + 1), &json!(steps[1])), "{message}");
            assert_eq!((&message["method"], &params["progressToken"]), (&json!("notifications/progress"), &json!("t")));
            let before = last.replace(Instant::now());
            assert!(before.is_none_or(|before| before.elapsed() >= EVERY), "{n}");
        }
        progress.say("e".to_owned());
        tokio::time::sleep(EVERY * 3).await;
        assert!(sent.try_recv().is_err(), "the same is not told again");
        telling.abort();
    }

    #[test]
    fn a_token_is_a_text_or_a_whole_number() {
        let token = |token: Value| token_of(json!({ "_meta": { "progressToken": token } }).as_object().expect("a map"));
        for fine in [json!("a"), json!(0), json!(-7)] {
            assert_eq!(token(fine.clone()), Some(fine));
        }
        for wrong in [json!(null), json!(1.5), json!({}), json!([1]), json!(true)] {
            assert_eq!(token(wrong.clone()), None, "{wrong}");
        }
        assert_eq!((token_of(&Map::new()), token_of(json!({ "_meta": 3 }).as_object().expect("a map"))), (None, None));
    }

    #[test]
    fn an_event_tells_its_phase_and_counts() {
        let phase = Phase::Compression;
        for (event, expected) in [
            (EventKind::PhaseStarted { phase, attempt: 2 }, Some("compression")),
            (EventKind::JobsProgress { phase, done: 3, total: 8 }, Some("compression: 3 of 8")),
            (EventKind::PhaseFinished { phase, seconds: 1.0 }, None),
            (EventKind::SessionAccepted { sources: 2 }, None),
        ] {
            assert_eq!(step_of(&event).as_deref(), expected, "{event:?}");
        }
    }
}
