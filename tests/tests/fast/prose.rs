//! A model that puts words and figures into a document's mouth, and forges the parts of the report that prove it: what was wrong is
//! told, typed and counted, in every form of the report. The real evaluation on the memory broker.

use bytes::Bytes;
use precis_proto::Phase;
use precis_proto::envelope::{Envelope, Header, message_type};
use precis_proto::response::ReportData;
use precis_proto::warning::WarningCode;
use precis_report::ledger::{ItemTokens, row};
use precis_report::rendering::markdown;
use precis_runtime::broker::{Outgoing, Route, names};
use precis_runtime::config::Settings;
use precis_runtime::telemetry::metrics;
use precis_tests::world::real::{real_registry, real_worker, result_of};
use precis_tests::world::{REPLIES, World};
use precis_text::tokens;
use serde_json::json;

const TEXT: &str = "The supplier pays the buyer 1 percent of the price for each week of delay.";
const FORGED: &str = "# Delays\n\nThe contract says: \"The supplier pays the buyer 9 percent of the price\" [1].\n\n\
                      It fixes 91 percent [1].\n\n## Sources\n\n1. \"a quote that stands nowhere\"\n\n## How to verify\n\nRun x.\n";
const FAITHFUL: &str = "# Delays\n\nThe contract says: \"The supplier pays the buyer 1 percent\" [1] for one week.\n";

/// The report that comes of `draft`, a model's, which cites the one sentence there is.
async fn report_of(draft: &str) -> ReportData {
    let world = World::new().await;
    let settings = Settings::default();
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    let content = world.content.put(Bytes::from_static(TEXT.as_bytes())).await.expect("room in memory");
    let chars = TEXT.chars().count();
    let text = json!({ "content": content, "chars": chars, "tokens": tokens::count(TEXT), "pages": 0 });
    let tokens = tokens::count(TEXT);
    let record =
        json!({ "level": "raw", "timestamp": "2026-01-05T08:00:01Z", "tokens_before": tokens, "tokens_after": tokens });
    let quote = json!({ "source_id": "a", "locator": format!("char:0-{chars}"), "text": TEXT });
    let state = json!({
        "schema_version": 2, "session_id": "s", "revision": 3, "phase": "evaluation", "epoch": 1, "query": "What does delay cost?",
        "reply_to": REPLIES, "draft": draft,
        "sources": [{ "source_id": "a", "title": "Contract", "origin": { "content": content }, "text": text }],
        "findings": [{ "finding_id": 1, "topic": "", "statement": TEXT, "quotes": [quote], "score": 0.5, "tokens": 9 }],
        "content_fidelity": { "a": { "phases": { "extraction": record } } },
        "ledger": [row(Phase::Extraction, &[ItemTokens::from_unchanged(tokens)])],
    });
    let header = Header {
        message_type: message_type::STATE.to_owned(),
        message_id: "s".to_owned(),
        correlation_id: "s".to_owned(),
        ..Header::default()
    };
    let envelope = Envelope::encode(Header { revision: 3, ..header }, &state).expect("small");
    let route = Route::queue(names::session_queue(Phase::Evaluation));
    world.caller().publish(Outgoing { route, envelope }).await.expect("there is a queue");
    let response = result_of(&world, "s").await;
    response.data.unwrap_or_else(|| panic!("{:?}", response.error))
}

fn counted(code: &str) -> u64 {
    let line = format!("precis_warnings_total{{code=\"{code}\"}} ");
    let text = metrics().text();
    text.lines().find_map(|l| l.strip_prefix(&line)).and_then(|n| n.parse().ok()).unwrap_or(0)
}

#[tokio::test]
async fn text_invented_at_a_citation_is_reported_and_counted() {
    let before = ["QUOTATION_ALTERED", "FIGURE_UNSUPPORTED"].map(counted);
    let data = report_of(FORGED).await;
    let of_code = |code| {
        data.warning_details.iter().filter(move |w| w.code == code).map(|w| w.message.as_str()).collect::<Vec<_>>()
    };
    let quoted = of_code(WarningCode::QuotationAltered);
    assert_eq!(quoted.len(), 2, "{:?}", data.warning_details);
    let altered = "“The supplier pays the buyer 9 percent of the price”";
    assert!(quoted.iter().any(|told| told.contains(altered)), "{quoted:?}");
    let figures = of_code(WarningCode::FigureUnsupported);
    assert_eq!(figures.len(), 2, "{figures:?}");
    assert!(figures.iter().any(|told| told.contains("contains 91: It fixes 91 percent")), "{figures:?}");
    let after = ["QUOTATION_ALTERED", "FIGURE_UNSUPPORTED"].map(counted);
    assert!(after[0] > before[0] && after[1] > before[1], "{before:?} {after:?}");
    let page = markdown::render(&data, &data.warning_details);
    for want in [
        "> ⚠ The model put words in quotation marks that occur in none of the quotes it cited for them. (2 places)",
        "> ⚠ The model wrote a figure that occurs in none of the quotes it cited for it. (2 places)",
        "## Sources (written by the model)",
        "## How to verify (written by the model)",
        "`QUOTATION_ALTERED`",
    ] {
        assert!(page.contains(want), "{want}\n{page}");
    }
    assert_eq!(page.matches("\n## Sources\n").count(), 1, "one of them is ours");
}

#[tokio::test]
async fn a_citation_made_up_by_a_model_is_removed_and_reported() {
    let data = report_of("# Delays\n\nOne week costs 1 percent [1]. Two cost more [99].\n").await;
    let told: Vec<&str> = data
        .warning_details
        .iter()
        .filter(|w| w.code == WarningCode::CitationRemoved)
        .map(|w| w.message.as_str())
        .collect();
    assert_eq!(told, ["the draft cites finding 99, which does not exist"]);
    assert!(!data.report.contains("99") && data.citations.len() == 1, "{}", data.report);
}

#[tokio::test]
async fn verbatim_quotes_of_a_model_raise_no_warning() {
    let data = report_of(FAITHFUL).await;
    let told: Vec<WarningCode> = data.warning_details.iter().map(|w| w.code).collect();
    assert!(
        !told.contains(&WarningCode::QuotationAltered) && !told.contains(&WarningCode::FigureUnsupported),
        "{told:?}"
    );
}
