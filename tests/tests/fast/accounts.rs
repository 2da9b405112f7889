//! A handler that loses a source, or claims what is not so, fails its session with a stated defect: there is no report that hides
//! a loss.

use precis_proto::Phase;
use precis_proto::failure_code::FailureCode;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::state::SessionState;
use precis_runtime::config::Settings;
use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Step};
use precis_tests::world::World;
use precis_tests::world::real::{real_registry, real_worker, result_of};
use precis_workers::phases::CheckedHandler;
use serde_json::json;

/// What a lying digest phase does to the session.
type Lie = fn(&mut SessionState);

struct Liar(Lie);

impl PhaseHandler for Liar {
    const PHASE: Phase = Phase::Digest;

    async fn run(&self, mut session: SessionState, _: &PhaseContext) -> Result<Step, PhaseError> {
        for source in session.sources.clone() {
            let mut record = session.content_fidelity.get(&source.source_id, Phase::Extraction).expect("read").clone();
            record.tokens_before = record.tokens_after;
            session.content_fidelity.record(&source.source_id, Phase::Digest, record);
        }
        (self.0)(&mut session);
        Ok(Step::Next(Box::new(session), Phase::Summarization))
    }
}

/// Code and message of the failure of a session whose digest phase tells `lie`; `None` where there is a report.
async fn told(lie: Lie) -> Option<(FailureCode, String)> {
    let (world, settings) = (World::new().await, Settings::default());
    let registry = real_registry(&settings).phase(CheckedHandler(Liar(lie)));
    let _worker = real_worker(&world, &settings, registry).await;
    let source = |id: &str| json!({ "source_id": id, "content": format!("The glacier {id} loses ice where the summer is warm.") });
    let body = json!({
        "schema_version": 2, "session_id": "s", "query": "Where does it lose ice?", "sources": [source("a"), source("b")],
    });
    world.submit_body("s", &body).await;
    let response = result_of(&world, "s").await;
    response.error.map(|error| (error.code, error.message))
}

fn record_of(state: &mut SessionState) -> &mut precis_proto::fidelity::FidelityRecord {
    let id = state.sources[1].source_id.clone();
    state.content_fidelity.0.get_mut(&id).and_then(|item| item.phases.get_mut(&Phase::Digest)).expect("a record")
}

#[tokio::test]
async fn a_handler_that_lies_about_a_source_fails_its_session() {
    assert_eq!(told(|_| {}).await, None, "the truth is believed");
    let lies: [(Lie, &str); 4] = [
        (
            |state| {
                let id = state.sources[1].source_id.clone();
                state.content_fidelity.0.get_mut(&id).expect("an item").phases.remove(&Phase::Digest);
            },
            "digest has no record of b",
        ),
        (|state| record_of(state).tokens_before += 5, "digest starts with"),
        (|state| record_of(state).tokens_after += 5, "digest kept"),
        (|state| record_of(state).level = FidelityLevel::Dropped, "digest dropped b"),
    ];
    for (lie, said) in lies {
        let (code, message) = told(lie).await.unwrap_or_else(|| panic!("a report in spite of: {said}"));
        assert_eq!(code, FailureCode::LedgerUnbalanced);
        assert!(message.starts_with(said), "{message}");
    }
}
