//! A research of which nothing is left but its researchers' notes: the report is made of them, says so, and proves nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use precis_proto::response::ReportData;
use precis_proto::warning::WarningCode;
use precis_report::ledger;
use precis_runtime::config::Settings;
use precis_runtime::search::SearchKind;
use precis_tests::privacy::Sink;
use precis_tests::provider::{Reply, Scripted, Seen};
use precis_tests::search::{Page, ScriptedSearch};
use precis_tests::world::World;
use precis_tests::world::real::{real_worker, result_of};
use precis_workers::assembly::{pipeline, search_providers};
use precis_workers::documents::parse::Parser;
use precis_workers::lanes::Lanes;
use precis_workers::options::extract_limits;
use serde_json::json;

const QUESTION: &str = "Who built the reservoir of Talbruck?";
const NOTED: &str = "Anna Reber built it, as the list of results says.";

/// Sends one directive, searches once, and notes what it saw; writes a report that says what the prompt holds.
fn mind(seen: &Seen) -> Reply {
    let text = seen.text();
    let answer = match seen.schema_name() {
        "" if seen.body["tools"].is_array() => match text.contains("results, ") {
            false => json!({ "calls": [{ "tool": "search", "queries": ["reservoir Talbruck builder"] }] }),
            true => json!({ "calls": [{ "tool": "complete", "summary": NOTED }] }),
        },
        "" => {
            let is_noted = text.contains("from the notes of researchers") && text.contains("Anna Reber built it");
            return Reply::Text(
                if is_noted { "By the notes alone, Anna Reber built it." } else { "Nothing." }.to_owned(),
            );
        }
        "plan" => json!({
            "restated": QUESTION, "kind": "fact", "constraints": [], "assumptions": [],
            "sub_questions": [{ "text": QUESTION, "answered_when": "a page names the builder", "priority": 1, "after": [] }],
        }),
        "thought" => json!({ "text": "Look for the builder.", "is_enough": false }),
        "delegation" if text.contains(NOTED) => json!({ "directives": [], "is_complete": true, "reason": "found" }),
        "delegation" => json!({
            "directives": [{
                "sub_questions": ["q1"], "topic": "The builder of the reservoir of Talbruck", "perspective": "a historian",
                "evidence_needed": "a name", "priority": 1,
            }],
            "is_complete": false, "reason": "it is open",
        }),
        _ => return Reply::Fitting,
    };
    Reply::Text(answer.to_string())
}

/// The report of a session whose pages can be found and not fetched, with models for `roles`.
async fn report(roles: &[&str]) -> ReportData {
    let page = Page::new("http://93.184.216.1/1", "Reservoir of Talbruck", "The reservoir was built by Anna Reber.");
    let (search, nothing) = (ScriptedSearch::start(vec![page], []).await, Sink::start(BTreeMap::new()).await);
    let model = Scripted::answering(mind).await;
    let chain = json!({ "providers": ["fake:m"] });
    let roles: serde_json::Map<String, serde_json::Value> =
        roles.iter().map(|role| ((*role).to_owned(), chain.clone())).collect();
    let settings: Settings = serde_json::from_value(json!({
        "providers": { "fake": { "kind": "openai", "base_url": model.base_url() } },
        "roles": roles,
        "judge": "off",
        "search": { "providers": { "pages": { "kind": "searxng", "base_url": search.base_url(SearchKind::Searxng) } } },
        "search_cache_ttl": 0.0, "fetch_proxy": nothing.address(), "fetch_host_interval": 0.0,
    }))
    .expect("settings");
    let world = World::new().await;
    let searches = search_providers::searches(&settings, &["pages".to_owned()], world.store()).expect("a provider");
    let parser = Parser::in_process(extract_limits(&settings), settings.extraction.html);
    let lanes = Arc::new(Lanes::default().searching(searches));
    let _worker = real_worker(&world, &settings, pipeline::searching_registry(&settings, parser, None, lanes)).await;
    let research = json!({ "web": ["pages"], "depth": "quick" });
    let body = json!({ "schema_version": 3, "session_id": "one", "query": QUESTION, "sources": [], "options": { "research": research } });
    world.submit_body("one", &body).await;
    let response = result_of(&world, "one").await;
    response.data.unwrap_or_else(|| panic!("{:?}", response.error))
}

#[tokio::test]
async fn where_no_page_is_readable_the_report_uses_notes_without_proof() {
    for (roles, said) in [
        (&["supervision", "research", "synthesis"][..], "By the notes alone, Anna Reber built it."),
        (&["supervision", "research"], "Anna Reber built it, as the list of results says."),
    ] {
        let data = report(roles).await;
        assert!(data.report.contains(said), "{roles:?}: {}", data.report);
        assert!(data.report.starts_with("# Degraded report from researchers’ notes"), "{}", data.report);
        assert!(data.citations.is_empty() && data.session.incomplete, "{roles:?}");
        assert!(data.warning_details.iter().any(|warning| warning.code == WarningCode::ReportDegraded));
        assert_eq!(ledger::check(&data.ledger), Ok(()));
    }
    let unsupervised = report(&["synthesis"]).await;
    assert!(!unsupervised.report.contains("Anna Reber"), "nobody took notes: {}", unsupervised.report);
}
