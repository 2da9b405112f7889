//! A small finished session for tests: a paged source, a hostile one, one that could not be read, and their archive.

use std::collections::BTreeMap;

use precis_proto::claim::Evaluation;
use precis_proto::fidelity::{FidelityLevel, FidelityReason, FidelityRecord};
use precis_proto::finding::{Finding, Quote};
use precis_proto::judgement::{
    Dimension, DimensionJudgement, JudgingLeftOut, JudgingOrder, JudgingOutcome, OrderOutcome, OrderRating,
    ReportJudgement,
};
use precis_proto::response::{ReportData, Response, Status};
use precis_proto::source::{ContentRef, SourceText};
use precis_proto::state::SessionState;
use precis_proto::warning::{Warning, WarningCode};
use precis_proto::{Locator, Phase, SourceId};
use precis_text::locate::slice;

use crate::draft::citations::{CitedDraft, cite};
use crate::ledger::{ItemTokens, row};
use crate::response::{SessionEnding, assemble};

pub(crate) const PAGED: &str = "Glaciers in the Alps lost a tenth of their ice in two years.\n\n---PAGE 2---\n\nThe loss was \
                                largest below 2500 m, where 二年間で snow rarely lasts.";
pub(crate) const HOSTILE: &str = "Ignore this. <script>alert('x')</script> ![i](http://evil.example/i.png) [7] | **bold** \u{202e}txt\u{202c} ثلج العام end.";

/// Archived texts by the digits of their hash.
pub(crate) type SampleTexts = BTreeMap<String, Vec<u8>>;

pub(crate) fn id(text: &str) -> SourceId {
    SourceId::new(text).expect("an id")
}

fn state() -> SessionState {
    let mut state: SessionState = serde_json::from_value(serde_json::json!({
        "schema_version": 2, "session_id": "s-1", "revision": 7, "phase": "evaluation",
        "query": "How fast do glaciers melt?",
        "sources": [
            { "source_id": "paged", "title": "Ice & snow", "url": "https://ice.example/report?a=1&b=2", "origin": { "url": "https://ice.example" }, "content_type": "application/pdf" },
            { "source_id": "hostile", "title": "<b>Win</b> [1] \u{202e}now", "url": "javascript:alert(1)", "origin": { "url": "https://x.example" }, "content_type": "text/html" },
            { "source_id": "gone", "title": "", "origin": { "url": "https://gone.example" }, "failure": { "code": "http_404", "message": "fetch https://gone.example: 404" } },
        ],
        "phases": [{ "name": "extraction", "seconds": 1.25 }, { "name": "summarization", "seconds": 0.5 }],
        "calls": [{ "call_key": "k", "role": "synthesis", "provider": "house:small", "paid": true, "input_tokens": 120, "output_tokens": 40, "cost_usd": 0.0 }],
    }))
    .expect("a session");
    for (at, text) in [(0, PAGED), (1, HOSTILE)] {
        let content = ContentRef::from_bytes(text.as_bytes());
        let chars = text.chars().count() as u64;
        state.content_archive_hashes.insert(state.sources[at].source_id.clone(), content.clone());
        state.sources[at].text =
            Some(SourceText { content, chars, tokens: 40, pages: if at == 0 { 2 } else { 0 }, blocks: None });
    }
    state
}

/// Phases and their records: the paged source is condensed, the hostile one finally dropped.
fn account(state: &mut SessionState) {
    let steps = [
        (Phase::Extraction, "paged", FidelityLevel::Raw, None, 40, 40),
        (Phase::Extraction, "hostile", FidelityLevel::Raw, None, 40, 40),
        (Phase::Summarization, "paged", FidelityLevel::Condensed, Some(FidelityReason::BudgetLimit), 40, 20),
        (Phase::Summarization, "hostile", FidelityLevel::Dropped, Some(FidelityReason::BudgetLimit), 40, 0),
        (Phase::Compression, "paged", FidelityLevel::Condensed, None, 20, 20),
    ];
    let mut items: BTreeMap<Phase, Vec<ItemTokens>> = BTreeMap::new();
    for (phase, source, level, reason, before, after) in steps {
        let record = FidelityRecord {
            level,
            reason,
            warnings: Vec::new(),
            timestamp: precis_proto::Timestamp(0),
            tokens_before: before,
            tokens_after: after,
            tokens_duplicate: 0,
            visit: 0,
        };
        state.content_fidelity.record(&id(source), phase, record);
        let dropped = level == FidelityLevel::Dropped;
        items.entry(phase).or_default().push(ItemTokens { before, after, duplicate: 0, dropped });
    }
    state.ledger = items.iter().map(|(phase, items)| row(*phase, items)).collect();
    state.dropped_content_ids = vec![id("hostile"), id("gone")];
    state.warn(Warning::new(WarningCode::SourceUnreadable, Phase::Extraction, "fetch: 404").about(&id("gone")));
    state.warn(Warning::new(WarningCode::ContentDropped, Phase::Summarization, "1 source <left> out"));
}

fn finding(finding_id: u32, source: &str, text: &str, locator: &str) -> Finding {
    let locator: Locator = locator.parse().expect("a locator");
    let text = slice(text, &locator).expect("in the text").to_owned();
    let quotes = vec![Quote {
        source_id: id(source),
        locator,
        text: text.clone(),
        headings: Vec::new(),
        context: Vec::new(),
        answer: Vec::new(),
        more_items: 0,
        place: None,
        recognized: None,
    }];
    Finding { finding_id, topic: "ice".to_owned(), statement: text, quotes, score: 1.0, tokens: 10, similarity: None }
}

/// The report of that session, and its archive.
pub(crate) fn report() -> (ReportData, SampleTexts) {
    let mut state = state();
    account(&mut state);
    state.findings = vec![
        finding(4, "paged", PAGED, "page:1:char:0-60"),
        finding(2, "paged", PAGED, "page:2:char:13-61"),
        finding(9, "hostile", HOSTILE, &format!("char:0-{}", HOSTILE.chars().count())),
    ];
    let draft = "# How fast do glaciers melt?\n\nThe Alps lost a tenth of their ice in two years [4]. Most went *below 2500 m* [2][4].\n\n## \
                 Odds & ends\n\n- A list item [9]\n\n| a | b |\n|---|---|\n| x | y [2] |\n\nLiteral \\[12\\] and <script>alert(1)</script>.";
    let CitedDraft { markdown, citations, removed } = cite(draft, &state.findings, &state.sources);
    assert!(removed.is_empty(), "{removed:?}");
    let cited = CitedDraft { markdown, citations, removed };
    let data = assemble(
        &state,
        cited,
        SessionEnding {
            status: Status::Completed,
            stop_reason: None,
            incomplete: false,
            at: precis_proto::Timestamp(1_769_860_800_000),
        },
    );
    let archive =
        [PAGED, HOSTILE].iter().map(|t| (ContentRef::from_bytes(t.as_bytes()).hex().to_owned(), t.as_bytes().to_vec()));
    (data, archive.collect())
}

/// The same report in its envelope.
pub(crate) fn response() -> (Response, SampleTexts) {
    let (data, archive) = report();
    (Response::report(data), archive)
}

/// A model's judgement of the report: a dimension on which the orders agree, one on which they differ, one scored in one order only,
/// and five without a score.
pub(crate) fn sample_judgement() -> Evaluation {
    let rating = |order, score: u8, reason: &str| OrderRating {
        order,
        score,
        quote: "lost a tenth".to_owned(),
        reason: reason.to_owned(),
    };
    let [first, second] = JudgingOrder::ALL;
    let ratings = |dimension| match dimension {
        Dimension::Depth => vec![rating(first, 4, "it has figures"), rating(second, 5, "")],
        Dimension::SourceQuality => vec![rating(first, 2, ""), rating(second, 5, "")],
        Dimension::Rigor => vec![rating(first, 3, "")],
        _ => Vec::new(),
    };
    let answered =
        |order, counted, refused| OrderOutcome { order, outcome: JudgingOutcome::Answered, counted, refused };
    let judgement = ReportJudgement {
        judged_by: vec!["judge:m".to_owned()],
        orders: vec![answered(first, 3, 1), answered(second, 2, 0)],
        dimensions: Dimension::ALL.map(|one| DimensionJudgement::from_ratings(one, ratings(one))).into(),
        left_out: Some(JudgingLeftOut { report_chars: 7, ..JudgingLeftOut::default() }),
    };
    Evaluation { judgement: Some(judgement), ..Evaluation::default() }
}
