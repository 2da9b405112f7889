//! The gates, one at a time: what a search provider and a model are told, and what the user may allow.

use std::sync::Arc;
use std::time::Duration;

use precis_proto::account::Account;
use precis_proto::label::Label;
use precis_proto::research::Withheld;
use precis_proto::response::ReportData;
use precis_proto::task::Task;
use precis_proto::{Phase, SessionId};
use precis_runtime::config::Settings;
use precis_runtime::model::BillingContext;
use precis_tests::search::{Page, ScriptedSearch};
use precis_tests::world::World;
use precis_tests::world::real::{real_worker, result_of};
use precis_workers::assembly::{pipeline, search_providers};
use precis_workers::documents::parse::Parser;
use precis_workers::lanes::Lanes;
use precis_workers::options::extract_limits;
use serde_json::{Value, json};

use super::session::{Servers, settings_with};
use crate::rounds::{corpus, proved};

const QUESTION: &str = "Who built the reservoir of Talbruck, and who owns the quarry of Merholz?";
/// Names Ottilie Brandau, whom no page names but the one that is found by her name.
const PRIVATE: &str =
    "The quarry of Merholz and the reservoir of Talbruck were planned by Ottilie Brandau, whose firm runs the ferry.";
const PAGES: [(&str, &str, &str); 3] = [
    (
        "http://127.0.0.1:9/talbruck",
        "Reservoir of Talbruck",
        "The reservoir of Talbruck lies in the valley of the Ulm.",
    ),
    ("http://127.0.0.1:9/quarry", "Quarries", "There is a quarry at Merholz, of which little is known."),
    ("http://127.0.0.1:9/brandau", "Ottilie Brandau", "Ottilie Brandau was born in Ostmark in 1931."),
];

/// What a session finds that searches a corpus with [`PRIVATE`] and the web, and the queries that the provider saw.
async fn researched(more: Value) -> (ReportData, Vec<String>) {
    let (world, pages) = (World::new().await, PAGES.map(|(url, title, text)| Page::new(url, title, text)));
    let server = ScriptedSearch::start(pages.into(), []).await;
    let base = server.base_url(precis_runtime::search::SearchKind::Searxng);
    let given = json!({ "search": { "providers": { "pages": { "kind": "searxng", "base_url": base } } } });
    let settings: Settings = serde_json::from_value(given).expect("settings");
    let searches = search_providers::searches(&settings, &["pages".to_owned()], world.store()).expect("a provider");
    let parser = Parser::in_process(extract_limits(&settings), settings.extraction.html);
    let lanes = Arc::new(Lanes::default().searching(searches));
    let _worker = real_worker(&world, &settings, pipeline::searching_registry(&settings, parser, None, lanes)).await;
    let manifest = corpus(&world, &[("quarry.txt", PRIVATE)]).await;
    let mut research = json!({ "corpus": proved(&world, &manifest).await, "web": ["pages"], "depth": "deep" });
    research.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
    let request = json!({
        "schema_version": 3, "session_id": "one", "query": QUESTION, "sources": [], "options": { "research": research },
    });
    world.submit_body("one", &request).await;
    let response = result_of(&world, "one").await;
    (response.data.unwrap_or_else(|| panic!("{:?}", response.error)), server.queries())
}

#[tokio::test]
async fn names_in_a_file_are_searched_only_if_it_is_public() {
    for (public, is_told) in [(false, false), (true, true)] {
        let (data, queries) = researched(json!({ "public": public })).await;
        assert_eq!(queries.iter().any(|query| query.contains("Brandau")), is_told, "{queries:?}");
        assert!(queries.len() >= 2, "{queries:?}");
        let research = data.research.as_ref().expect("research");
        assert_eq!(research.withheld, 0);
        let [used, limit] = research.budget.searches;
        assert!(used <= limit, "{used} of {limit}");
    }
    let (_, queries) = researched(json!({ "public": true, "confidential_query": true })).await;
    assert_eq!(
        queries,
        Vec::<String>::new(),
        "what is made of a private question is private, whatever else it is made of"
    );
}

#[tokio::test]
async fn a_confidential_question_reaches_no_provider_and_withheld_searches_are_counted() {
    let (data, queries) = researched(json!({ "confidential_query": true })).await;
    assert_eq!(queries, Vec::<String>::new());
    let read: Vec<_> = data.sources.iter().filter_map(|row| row.path.as_deref()).collect();
    assert_eq!(read, ["quarry.txt"], "the folder is searched all the same");
    let research = data.research.as_ref().expect("research");
    let all = research.rounds.iter().flat_map(|round| &round.directives).flat_map(|one| &one.queries);
    let withheld: Vec<_> = all.filter(|query| query.withheld.is_some()).collect();
    assert!(research.withheld > 0 && research.withheld as usize == withheld.len(), "{withheld:?}");
    assert!(
        withheld.iter().all(|one| one.withheld == Some(Withheld::PrivateText) && one.text.is_none()),
        "{withheld:?}"
    );
    let markdown = precis_report::rendering::markdown::render(&data, &[]);
    assert!(markdown.contains("not made, because they would have carried private text"), "{markdown}");
}

#[tokio::test]
async fn a_model_barred_from_private_texts_is_skipped_only_for_them() {
    let servers = Servers::start().await;
    let task = json!({ "task": "think", "question": "q", "today": "2026-01-01", "plan": [], "coverage": [], "round": 1, "rounds": 1,
        "searches_left": 1, "calls_left": 1, "evidence": [], "findings": [], "thoughts": [], "refused": [] });
    let task: Task = serde_json::from_value(task).expect("a task");
    for (is_strict, label, strangers, named) in [
        (true, Label::Private, 0, 1),
        (true, Label::Public, 1, 0),
        (false, Label::Private, 1, 0),
        (false, Label::Public, 1, 0),
    ] {
        let world = World::new().await;
        let settings = settings_with(&servers, is_strict, &["stranger:m", "named:m"], &["supervision"]);
        let models = pipeline::models(&settings, world.store()).expect("models");
        let before = (servers.stranger.requests().len(), servers.named.requests().len());
        let billing = BillingContext::new(SessionId::new("s").expect("an id"), Account::default());
        let (prior, budget) = (Arc::default(), Duration::from_secs(20));
        let called = models.call(label, &billing, &prior, Phase::Gathering, &task, budget).await;
        assert!(called.is_ok(), "{called:?}");
        let after = (servers.stranger.requests().len() - before.0, servers.named.requests().len() - before.1);
        assert_eq!(after, (strangers, named), "{is_strict} {label:?}");
    }
}
