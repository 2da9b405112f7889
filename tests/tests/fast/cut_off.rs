//! A report whose answer is cut off: its whole sentences stay, and it is gone on with once.

use precis_proto::response::ReportData;
use precis_proto::warning::WarningCode;
use precis_runtime::config::Settings;
use precis_tests::provider::{Reply, Scripted};
use precis_tests::world::World;
use precis_tests::world::real::{real_registry, real_worker, result_of};
use serde_json::json;

const TEXT: &str =
    "The ferry of Leeds was owned by Carl Hope. It crossed the river until 1932. It carried 40 carts a day.";
const BEGUN: &str = "The ferry of Leeds was owned by Carl Hope. [2] It carried 40 car";

/// The report of a session whose writer answers in this order, and the texts of the requests.
async fn written(answers: Vec<Reply>) -> (ReportData, Vec<String>) {
    let writer = Scripted::start(answers).await;
    let settings: Settings = serde_json::from_value(json!({
        "providers": { "writer": { "kind": "openai", "base_url": writer.base_url() } },
        "roles": { "synthesis": { "providers": ["writer:m"] } },
        "judge": "off",
    }))
    .expect("settings");
    let world = World::new().await;
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    let source = json!({ "source_id": "s", "title": "Ferries", "content": TEXT });
    let body = json!({ "schema_version": 2, "session_id": "one", "query": "Who owned the ferry of Leeds, and until when did it cross?", "sources": [source] });
    world.submit_body("one", &body).await;
    let response = result_of(&world, "one").await;
    let data = response.data.unwrap_or_else(|| panic!("{:?}", response.error));
    (data, writer.seen().iter().map(|seen| seen.text()).collect())
}

#[tokio::test]
async fn a_cut_report_keeps_whole_sentences_and_is_continued_once() {
    let more = Reply::Text("It crossed the river until 1932. [2]".to_owned());
    let (data, asked) = written(vec![Reply::CutOff(BEGUN.to_owned()), more]).await;
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(asked[1].contains("was owned by Carl Hope. [2]\n") && !asked[1].contains("40 car\n"), "{}", asked[1]);
    let said = &data.report;
    assert!(said.contains("owned by Carl Hope.") && said.contains("until 1932."), "{said}");
    assert!(!said.contains("40 car "), "{said}");
    assert_eq!(data.spend.iter().map(|row| row.calls).sum::<u64>(), 2);
}

#[tokio::test]
async fn a_beginning_is_kept_if_no_provider_continues_it() {
    for last in
        [Reply::CutOff("{\"x".to_owned()), Reply::EmptyContent, Reply::CutOff("It crossed the river un".to_owned())]
    {
        let (data, asked) = written(vec![Reply::CutOff(BEGUN.to_owned()), last]).await;
        assert_eq!(asked.len(), 2, "gone on with once");
        assert!(data.report.contains("owned by Carl Hope."), "{}", data.report);
        let codes: Vec<WarningCode> = data.warning_details.iter().map(|warning| warning.code).collect();
        assert!(!codes.contains(&WarningCode::ProviderFallback), "{codes:?}");
        let is_told = data.warning_details.iter().any(|warning| warning.message.contains("its end is missing"));
        assert!(is_told, "{:?}", data.warning_details);
    }
}
