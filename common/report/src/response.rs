//! Turns a finished session into the result for its caller.
//!
//! It selects, adds up and sorts; the same session gives the same bytes, whichever worker finished it. It makes no judgements.

use std::collections::{BTreeMap, BTreeSet};

use precis_context::allocate::confidence;
use precis_context::prompt::limits::LOCAL_MODEL;
use precis_evidence::compared;
use precis_proto::answer::Answer;
use precis_proto::call::{CallRecord, LayerUsage};
use precis_proto::fidelity::{CONTENT_FIDELITY_SCHEMA_VERSION, ContentFidelity};
use precis_proto::ledger::SpendRow;
use precis_proto::meaning::read_meaning_key;
use precis_proto::privacy::Privacy;
use precis_proto::response::{Generated, ReportData, SessionInfo, SourceRow, Status};
use precis_proto::source::{DUPLICATE, Source};
use precis_proto::state::SessionState;
use precis_proto::stop_reason::StopReason;
use precis_proto::task::Role;
use precis_proto::warning::Warning;
use precis_proto::{Phase, SourceId, Timestamp};

use crate::answered::{AnswerBasis, answer_line};
use crate::draft::citations::CitedDraft;

/// Version of Precis that writes these reports.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionEnding {
    /// The final status.
    pub status: Status,
    /// The reason for ending early, if it did: `deadline`, `stop`.
    pub stop_reason: Option<StopReason>,
    /// Whether something that was asked for is missing.
    pub incomplete: bool,
    /// The time it ended.
    pub at: Timestamp,
}

/// The report of `state` with its proof. Sources, phases and ledger keep the order of the session; everything else is sorted.
#[must_use]
pub fn assemble(state: &SessionState, cited: CitedDraft, ending: SessionEnding) -> ReportData {
    let titled: Vec<_> = state.sources.iter().map(|source| (&source.source_id, source.title.as_str())).collect();
    let basis = AnswerBasis::new(&state.query, &cited.citations, &titled, &state.content_fidelity);
    let line = |answer: &Answer| answer_line(answer, &basis);
    let answer = state.answer.as_ref().map(|answer| Answer { line: line(answer), ..answer.clone() });
    let is_built_in = models(&state.calls).iter().all(|model| model == LOCAL_MODEL);
    ReportData {
        query: state.query.clone(),
        answer,
        writer_reads: state.writer_reads,
        meaning: state.meaning.as_deref().map(|key| read_meaning_key(key).0.to_owned()),
        meaning_server: state.meaning.as_deref().and_then(|key| read_meaning_key(key).1),
        report: cited.markdown,
        computed: Vec::new(),
        code: Vec::new(),
        comparison: compared::comparison(&state.query, &cited.citations),
        disagreements: compared::disagreements(&state.query, &cited.citations),
        timeline: is_built_in.then(|| compared::timeline(&state.query, &cited.citations)).flatten(),
        citations: cited.citations,
        claims: Vec::new(),
        evaluation: None,
        sources: rows(state),
        content_fidelity_schema_version: CONTENT_FIDELITY_SCHEMA_VERSION.to_owned(),
        content_fidelity: state.content_fidelity.clone(),
        dropped_content_ids: dropped_sources(state),
        content_archive_hashes: archive_hashes(state),
        warning_details: warnings(&state.warnings),
        ledger: state.ledger.clone(),
        spend: spend(&state.calls),
        token_usage: usage(&state.token_usage),
        history: Vec::new(),
        research: None,
        privacy: Some(privacy(state)),
        session: SessionInfo {
            id: state.session_id.clone(),
            status: ending.status,
            stop_reason: ending.stop_reason,
            incomplete: ending.incomplete,
            phases: state.phases.clone(),
            token_management_enabled: true,
        },
        generated: Some(Generated { at: ending.at, version: VERSION.to_owned(), models: models(&state.calls) }),
    }
}

/// What the request said; whether models were restricted is a setting that only the caller knows.
fn privacy(state: &SessionState) -> Privacy {
    state.options.research.as_ref().map(Privacy::of_research).unwrap_or_default()
}

/// Updates a report assembled by an earlier phase to the end of its session: `data` rests on pass `visit` and gains the sources, records
/// and calls that came later. The text of the report and its citations stay as they are.
pub fn stand_on(data: &mut ReportData, state: &SessionState, visit: u32, ending: SessionEnding) {
    let is_known = |row: &SourceRow| data.sources.iter().any(|known| known.source_id == row.source_id);
    let later: Vec<SourceRow> = rows(state).into_iter().filter(|row| !is_known(row)).collect();
    for row in later.iter().filter(|row| row.failure.as_ref().is_some_and(|failure| failure.code != DUPLICATE)) {
        data.dropped_content_ids.push(row.source_id.clone());
    }
    data.dropped_content_ids.sort_unstable();
    data.dropped_content_ids.dedup();
    data.sources.extend(later);
    data.content_archive_hashes.extend(archive_hashes(state));
    data.content_fidelity.clone_from(&state.content_fidelity);
    data.ledger.clone_from(&state.ledger);
    // Warnings about a pass only apply to the report if it rests on that pass.
    let applies = |warning: &&Warning| state.visit == visit || !warning.is_of_pass();
    let mut all = data.warning_details.clone();
    all.extend(state.warnings.iter().filter(applies).cloned());
    data.warning_details = warnings(&all);
    data.warning_details.dedup();
    data.spend = spend(&state.calls);
    data.token_usage = usage(&state.token_usage);
    data.session.phases.clone_from(&state.phases);
    data.session.incomplete |= ending.stop_reason.is_some();
    data.session.stop_reason = data.session.stop_reason.take().or(ending.stop_reason);
    data.generated = Some(Generated { at: ending.at, version: VERSION.to_owned(), models: models(&state.calls) });
    if !data.session.token_management_enabled {
        without_records(data);
    }
}

/// Removes the records of how each source was carried: without token management nothing is shortened on purpose, so none are kept.
pub fn without_records(data: &mut ReportData) {
    data.session.token_management_enabled = false;
    data.content_fidelity = ContentFidelity::default();
    data.dropped_content_ids.clear();
    data.ledger.clear();
}

/// The models that wrote the report or its findings, sorted. A model whose answers could not be read, or did not come, is not listed.
#[must_use]
pub fn models(calls: &[CallRecord]) -> Vec<String> {
    let is_writer = |call: &&CallRecord| {
        matches!(call.role, Role::Synthesis | Role::Compression) && !call.unreadable && !call.unanswered
    };
    let wrote = calls.iter().filter(is_writer);
    wrote.map(|call| call.provider.clone()).collect::<BTreeSet<String>>().into_iter().collect()
}

/// The rows of a report's sources, with the confidence signals of each.
fn rows(state: &SessionState) -> Vec<SourceRow> {
    let row = |source: &Source| {
        let known = confidence(state, source);
        SourceRow { confidence: (!known.signals.is_empty()).then_some(known), ..source_row(source) }
    };
    state.sources.iter().map(row).collect()
}

/// One row per source, including unreadable ones.
#[must_use]
pub fn source_rows(sources: &[Source]) -> Vec<SourceRow> {
    sources.iter().map(source_row).collect()
}

fn source_row(source: &Source) -> SourceRow {
    let text = source.text.as_ref();
    SourceRow {
        source_id: source.source_id.clone(),
        title: source.title.clone(),
        url: source.url.clone(),
        path: source.path.clone(),
        content_type: source.content_type.clone(),
        chars: text.map_or(0, |t| t.chars),
        tokens: text.map_or(0, |t| t.tokens),
        source_text_hash: text.map(|t| t.content.to_string()),
        blocks: text.and_then(|t| t.blocks.clone()),
        original_sha256: source.original().map(ToString::to_string),
        failure: source.failure.clone(),
        note: None,
        digest: None,
        relevance: relevance(source),
        published_at: source.published_at,
        confidence: None,
        number: None,
        found_by: source.found_by.clone(),
    }
}

/// The relevance rounded to thousandths; further digits carry no information.
fn relevance(source: &Source) -> Option<f64> {
    source.relevance.map(|relevance| (relevance * 1_000.0).round() / 1_000.0)
}

/// The sources that were dropped or could not be read: a state of an older version does not list the latter.
fn dropped_sources(state: &SessionState) -> Vec<SourceId> {
    let is_unread = |source: &&Source| source.failure.as_ref().is_some_and(|failure| failure.code != DUPLICATE);
    let unread = state.sources.iter().filter(is_unread).map(|source| source.source_id.clone());
    let mut ids: Vec<SourceId> = state.dropped_content_ids.iter().cloned().chain(unread).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The 64 hex digits alone, which are the name of the file in the archive.
fn archive_hashes(state: &SessionState) -> BTreeMap<SourceId, String> {
    state.content_archive_hashes.iter().map(|(id, content)| (id.clone(), content.hex().to_owned())).collect()
}

/// Sorts warnings by phase, item and code, because the answers of a phase arrive in any order.
fn warnings(warnings: &[Warning]) -> Vec<Warning> {
    let mut sorted = warnings.to_vec();
    sorted.sort_by(|a, b| (a.phase, &a.item_id, a.code, &a.message).cmp(&(b.phase, &b.item_id, b.code, &b.message)));
    sorted.dedup();
    sorted
}

/// Sorts usage rows in the order of the phases, with the layers of each call together.
fn usage(usage: &[LayerUsage]) -> Vec<LayerUsage> {
    let mut sorted = usage.to_vec();
    sorted.sort_by(|a, b| {
        let place = |u: &LayerUsage| (u.phase, u.role);
        place(a).cmp(&place(b)).then_with(|| {
            (&a.provider, &a.call_key, &a.layer, a.kept).cmp(&(&b.provider, &b.call_key, &b.layer, b.kept))
        })
    });
    sorted.dedup();
    sorted
}

/// The spending of each role at each provider, sorted by phase, role and provider.
///
/// A call is paid once: of the records with the same key, the first paid one counts as a call with its tokens and dollars and the others
/// as repeated; if none was paid here, the first counts as answered from the memo. Sums are taken in the order of the keys, so that
/// they do not depend on the order of arrival.
#[must_use]
pub fn spend(calls: &[CallRecord]) -> Vec<SpendRow> {
    let mut sorted: Vec<&CallRecord> = calls.iter().collect();
    sorted.sort_by(|a, b| {
        let key = |c: &&CallRecord| (c.input_tokens, c.cached_input_tokens, c.output_tokens);
        (&a.call_key, !a.paid, a.unanswered, a.phase, a.role, &a.provider)
            .cmp(&(&b.call_key, !b.paid, b.unanswered, b.phase, b.role, &b.provider))
            .then_with(|| key(a).cmp(&key(b)))
            .then_with(|| a.cost_usd.total_cmp(&b.cost_usd))
    });
    let mut rows: BTreeMap<(Option<Phase>, Role, &str), SpendRow> = BTreeMap::new();
    let mut last_key = None;
    for call in sorted {
        let row = rows
            .entry((call.phase, call.role, &call.provider))
            .or_insert_with(|| SpendRow::new(call.phase, call.role, &call.provider));
        let first = last_key.replace(&call.call_key) != Some(&call.call_key);
        row.unreadable_calls += u64::from(call.unreadable);
        match (first, call.paid) {
            (true, true) => {
                row.calls += 1;
                row.unanswered_calls += u64::from(call.unanswered);
                row.input_tokens += call.input_tokens;
                row.cached_input_tokens += call.cached_input_tokens;
                row.output_tokens += call.output_tokens;
                row.cost_usd += call.cost_usd;
            }
            (true, false) => row.cached_calls += 1,
            // Its answer was used after all.
            (false, _) if call.unanswered => {}
            (false, _) => row.repeated_calls += 1,
        }
    }
    rows.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(key: &str, role: Role, paid: bool, cost_usd: f64) -> CallRecord {
        CallRecord {
            call_key: key.to_owned(),
            phase: None,
            role,
            provider: "p:m".to_owned(),
            paid,
            input_tokens: 10,
            cached_input_tokens: 4,
            output_tokens: 1,
            cost_usd,
            unreadable: false,
            unanswered: false,
        }
    }

    #[test]
    fn a_model_whose_answers_cannot_be_read_wrote_nothing() {
        let of = |key: &str, role, unreadable| CallRecord { unreadable, ..call(key, role, true, 0.1) };
        let (s, c) = (Role::Synthesis, Role::Compression);
        let refused = [of("a", s, true), of("b", s, true), of("b", s, true)];
        let half = [of("a", s, true), of("b", s, false)];
        for (calls, wrote, unreadable) in
            [(&refused[..], false, 3), (&half[..], true, 1), (&[of("a", c, false)], true, 0)]
        {
            assert_eq!(!models(calls).is_empty(), wrote, "{calls:?}");
            let rows = spend(calls);
            assert_eq!((rows[0].has_answered(), rows[0].unreadable_calls), (wrote, unreadable), "{rows:?}");
        }
    }

    #[test]
    fn an_abandoned_call_is_spent_and_wrote_nothing() {
        let awaited =
            |key: &str| CallRecord { unanswered: true, output_tokens: 0, ..call(key, Role::Synthesis, true, 0.1) };
        let rows = spend(&[awaited("a"), awaited("b"), call("b", Role::Synthesis, true, 0.25)]);
        assert_eq!((rows[0].calls, rows[0].unanswered_calls, rows[0].repeated_calls), (2, 1, 0));
        assert!((rows[0].cost_usd - 0.35).abs() < 1e-9 && rows[0].input_tokens == 20, "{rows:?}");
        assert!(rows[0].has_answered());
        let none = [awaited("a")];
        assert!(models(&none).is_empty() && !spend(&none)[0].has_answered());
    }

    #[test]
    fn a_call_is_paid_once_and_shared_calls_differ_from_repeats() {
        let (s, c) = (Role::Summarization, Role::Compression);
        // Records, then (role, calls, cached, repeated, input tokens) of each row.
        type UsageCase = (Role, u64, u64, u64, u64);
        let cases: [(Vec<CallRecord>, Vec<UsageCase>); 5] = [
            (vec![], vec![]),
            (vec![call("a", s, true, 0.1)], vec![(s, 1, 0, 0, 10)]),
            (vec![call("a", s, true, 0.1), call("a", s, true, 0.1), call("a", s, false, 0.1)], vec![(s, 1, 0, 2, 10)]),
            (vec![call("a", s, false, 0.1), call("a", s, false, 0.1)], vec![(s, 0, 1, 1, 0)]),
            (
                vec![call("b", c, true, 0.1), call("a", s, false, 0.1), call("a", s, true, 0.1)],
                vec![(s, 1, 0, 1, 10), (c, 1, 0, 0, 10)],
            ),
        ];
        for (calls, want) in cases {
            let rows = spend(&calls);
            let got: Vec<_> =
                rows.iter().map(|r| (r.role, r.calls, r.cached_calls, r.repeated_calls, r.input_tokens)).collect();
            assert_eq!(got, want, "{calls:?}");
            assert!(rows.iter().all(|r| r.cached_input_tokens * 10 == r.input_tokens * 4), "{rows:?}");
        }
    }

    #[test]
    fn calls_of_one_role_in_two_phases_are_two_rows() {
        let of = |key: &str, phase| CallRecord { phase, ..call(key, Role::Summarization, true, 0.1) };
        let rows =
            spend(&[of("b", Some(Phase::Summarization)), of("a", Some(Phase::Digest)), of("c", Some(Phase::Digest))]);
        let got: Vec<_> = rows.iter().map(|r| (r.phase, r.calls)).collect();
        assert_eq!(got, [(Some(Phase::Digest), 2), (Some(Phase::Summarization), 1)]);
    }

    #[test]
    fn spend_does_not_depend_on_the_order_of_arrival() {
        let mut calls: Vec<CallRecord> = (0..40)
            .map(|i| call(&format!("k{}", i % 25), Role::ALL[i % 3], i % 4 != 0, 0.1 / (i + 1) as f64))
            .collect();
        let want = spend(&calls);
        for turn in 0..calls.len() {
            calls.rotate_left(turn % 7);
            calls.swap(0, turn);
            let got = spend(&calls);
            assert_eq!(got, want);
            assert!(got.iter().zip(&want).all(|(a, b)| a.cost_usd.to_bits() == b.cost_usd.to_bits()));
        }
    }

    #[test]
    fn warnings_stand_in_one_order_whatever_order_they_came_in() {
        use precis_proto::warning::WarningCode;
        let one = Warning::new(WarningCode::SourceUnreadable, Phase::Extraction, "b");
        let two = Warning::new(WarningCode::ContentDropped, Phase::Summarization, "a");
        let sorted = warnings(&[two.clone(), one.clone(), two.clone()]);
        assert_eq!(sorted, [one, two]);
    }
}
