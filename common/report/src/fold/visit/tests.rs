//! Tests of visits: any route with repeated phases balances, each pass on its own, and a forged pass is detected.

use std::collections::{BTreeMap, BTreeSet};

use precis_context::allocate::{Allocation, Fate};
use precis_proto::extraction::ExtractionAnswer;
use precis_proto::finding::Quote;
use precis_proto::job::{CompressionAnswer, DigestAnswer, JobFailure, JobOutcome, SummarizationAnswer, TopicFinding};
use precis_proto::response::{ReportData, Status};
use precis_proto::source::{ContentRef, ReductionRef, SourceText};
use serde_json::json;

use super::super::fixture::{session, source};
use super::super::{compression, digest, extraction, summarization, synthesis};
use super::*;
use crate::draft::citations::CitedDraft;
use crate::response::{SessionEnding, assemble};
use crate::verify::{ArchiveReader, Mismatch, verify};
use crate::{fidelity_audit, ledger};

/// Number of generated routes.
const ROUTES: u64 = 400;

/// Pseudo-random numbers, equal on every machine (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % sides
    }
}

fn failed_job<A>() -> JobOutcome<A> {
    JobOutcome::Failed(JobFailure::permanent("timeout", "took too long"))
}

fn reduction(level: FidelityLevel, tokens: u64) -> ReductionRef {
    ReductionRef { content: ContentRef::from_bytes(b"r"), level, tokens }
}

/// Extracts every source that has neither text nor failure; some fail, some have the text of another.
fn extract(state: &mut SessionState, dice: &mut Dice) {
    let unread = state.sources.iter().filter(|source| source.text.is_none() && source.failure.is_none());
    let ids: Vec<SourceId> = unread.map(|source| source.source_id.clone()).collect();
    let outcomes = ids.into_iter().map(|id| {
        let tokens = 1 + dice.roll(500);
        let content = ContentRef::from_bytes(format!("text {}", dice.roll(12)).as_bytes());
        let answer = ExtractionAnswer {
            content_type: "text/plain".to_owned(),
            title: None,
            text: SourceText { content, chars: tokens * 4, tokens, pages: 0, blocks: None },
            remarks: Vec::new(),
            tokens_cut: dice.roll(3) * 7,
        };
        (id, if dice.roll(6) == 0 { failed_job() } else { JobOutcome::Done(answer) })
    });
    let outcomes = outcomes.collect();
    extraction(state, outcomes, Timestamp(1));
}

fn digests(state: &mut SessionState, dice: &mut Dice) {
    let mut outcomes = BTreeMap::new();
    for id in super::super::carried::readable(state) {
        let payload = json!({
            "version": "1", "content_type": "digest/v1", "query_hash": "0", "summary": "", "key_points": [], "evidence_snippets": [],
            "original_chars": 1, "digest_chars": 1, "compression_ratio": 1.0, "source_text_hash": "",
        });
        let answer = DigestAnswer {
            payload: serde_json::from_value(payload).expect("a payload"),
            reduction: reduction(FidelityLevel::Digest, dice.roll(600)),
            cache_hit: false,
            losses: Vec::new(),
        };
        match dice.roll(3) {
            0 => drop(outcomes.insert(id, failed_job())),
            1 => drop(outcomes.insert(id, JobOutcome::Done(answer))),
            _ => {}
        }
    }
    digest(state, outcomes, dice.roll(900), Timestamp(2));
}

fn summaries(state: &mut SessionState, dice: &mut Dice) {
    let mut outcomes = BTreeMap::new();
    let fates = super::super::carried::readable(state).into_iter().map(|id| {
        let share = 1 + dice.roll(200);
        let answer = SummarizationAnswer {
            summary: String::new(),
            key_points: Vec::new(),
            level: FidelityLevel::KeyPoints,
            tokens: share,
            provider: "p".to_owned(),
            reduction: Some(reduction(FidelityLevel::KeyPoints, dice.roll(300))),
            parts: Vec::new(),
            losses: Vec::new(),
            is_flawed: false,
        };
        outcomes.insert(id.clone(), if dice.roll(4) == 0 { failed_job() } else { JobOutcome::Done(answer) });
        let fate = match dice.roll(3) {
            0 => Fate::Keep,
            1 => Fate::Reduce { level: FidelityLevel::KeyPoints, tokens: share },
            _ => Fate::Drop,
        };
        (id, fate)
    });
    let fates = fates.collect();
    let allocation = Allocation {
        fates,
        allocated: 1,
        warnings: Vec::new(),
        priority_ids: BTreeSet::new(),
        asides: BTreeMap::new(),
    };
    summarization(state, &allocation, outcomes, BTreeMap::new(), Timestamp(3));
}

fn findings(state: &mut SessionState, dice: &mut Dice) {
    let mut outcomes = Vec::new();
    for id in super::super::carried::readable(state) {
        let quote = Quote {
            source_id: id.clone(),
            locator: "char:0-4".parse().expect("a locator"),
            text: "text".to_owned(),
            headings: Vec::new(),
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        };
        let statement = format!("It holds {} of {}.", dice.roll(9), dice.roll(9));
        let finding =
            TopicFinding { statement, quotes: vec![quote], score: 0.5, tokens: dice.roll(90), similarity: None };
        let findings = if dice.roll(3) == 0 { Vec::new() } else { vec![finding] };
        let answer = CompressionAnswer {
            findings,
            unmatched: Vec::new(),
            provider: "p".to_owned(),
            read: Vec::new(),
            meaning: None,
        };
        let outcome = if dice.roll(7) == 0 { failed_job() } else { JobOutcome::Done(answer) };
        outcomes.push((String::new(), vec![id], outcome));
    }
    compression(state, outcomes, Timestamp(4));
}

fn report(state: &mut SessionState, dice: &mut Dice) {
    let all: BTreeSet<u32> = state.findings.iter().map(|finding| finding.finding_id).collect();
    let cited = all.iter().copied().filter(|_| dice.roll(2) == 0).collect();
    synthesis(state, "draft".to_owned(), &all, &cited, Timestamp(5));
}

/// The phases that carry sources, in their order.
const CARRYING: [Phase; 5] =
    [Phase::Extraction, Phase::Digest, Phase::Summarization, Phase::Compression, Phase::Synthesis];

/// A session after a generated route: phases in any order, some repeated. A step back begins a new pass, sometimes with new sources.
fn random_route(seed: u64) -> (SessionState, Vec<Phase>) {
    let mut dice = Dice(seed);
    let mut state = session(Phase::Extraction, &[]);
    let mut came = 0;
    let mut come = |state: &mut SessionState, n: u64| {
        for _ in 0..n {
            state.sources.push(source(came, 0));
            let new = state.sources.last_mut().expect("just put there");
            new.text = None;
            came += 1;
        }
    };
    come(&mut state, 1 + dice.roll(5));
    let mut route = vec![Phase::Extraction];
    extract(&mut state, &mut dice);
    for _ in 0..2 + dice.roll(10) {
        let phase = CARRYING[dice.roll(5) as usize];
        if phase <= state.phase {
            begin_visit(&mut state, Timestamp(9));
            if dice.roll(2) == 0 {
                come(&mut state, dice.roll(3));
            }
            state.phase = Phase::Extraction;
            extract(&mut state, &mut dice);
        }
        state.phase = phase;
        match phase {
            Phase::Digest => digests(&mut state, &mut dice),
            Phase::Summarization => summaries(&mut state, &mut dice),
            Phase::Compression => findings(&mut state, &mut dice),
            Phase::Synthesis => report(&mut state, &mut dice),
            _ => {}
        }
        route.push(phase);
        assert_eq!(fidelity_audit::check(&state, phase), Ok(()), "{seed} {route:?}");
    }
    (state, route)
}

fn report_data(state: &mut SessionState) -> ReportData {
    state.ledger = ledger::of(&state.content_fidelity);
    let ending = SessionEnding { status: Status::Completed, stop_reason: None, incomplete: false, at: Timestamp(0) };
    assemble(state, CitedDraft { markdown: String::new(), citations: Vec::new(), removed: Vec::new() }, ending)
}

fn faults(mut data: ReportData) -> Vec<Mismatch> {
    let last = data.ledger.iter().map(|row| row.visit).max().unwrap_or(0);
    let iteration = |visit: u32| json!({ "n": visit, "gaps": [], "visit": visit, "kept": "later", "reason": "more_sources", "sources_added": ["a"] });
    let iterations: Vec<serde_json::Value> = (1..=last.min(9)).map(iteration).collect();
    let zero =
        json!({ "found": 0, "read": 0, "duplicate": 0, "below_cut": 0, "over_budget": 0, "refused": 0, "failed": 0 });
    let research = json!({
        "brief": {
            "question": "q", "restated": "q", "type": "fact", "complexity": "simple", "language": "en", "assumptions": [],
            "written_by": "local:extractive",
        },
        "plan": [], "rounds": [], "coverage": [], "disagreements": [], "unanswered": [], "stop": "covered", "hits": zero,
        "budget": { "rounds": [0, 0], "searches": [0, 0], "sources": [0, 0] },
        "refinement": { "iterations": iterations, "ended": "iterations" },
    });
    data.research = Some(serde_json::from_value(research).expect("a research"));
    let report = precis_proto::response::Response::report(data);
    verify(&report, ArchiveReader { text: &|_| None, blocks: &|_| None }).mismatches
}

#[test]
fn a_session_that_had_no_source_has_no_pass_to_set_aside() {
    let mut state = session(Phase::Gathering, &[]);
    begin_visit(&mut state, Timestamp(5));
    assert_eq!(state.visit, 0);
    state.sources.push(source(0, 100));
    begin_visit(&mut state, Timestamp(6));
    assert_eq!(state.visit, 0, "it was in no pass yet");
}

#[test]
fn any_route_with_repeated_phases_balances() {
    let mut most = 0;
    for seed in 0..ROUTES {
        let (mut state, route) = random_route(seed);
        let data = report_data(&mut state);
        assert_eq!(ledger::check(&data.ledger), Ok(()), "{seed} {route:?}");
        assert_eq!(ledger::check_records(&data.ledger, &data.content_fidelity), Ok(()), "{seed} {route:?}");
        assert_eq!(faults(data), [], "{seed} {route:?}");
        most = most.max(state.visit);
        // Whatever pass a report is based on, all passes are listed and balance.
        state.content_fidelity.stand_on(state.visit / 2);
        let balanced = ledger::check(&ledger::of(&state.content_fidelity));
        assert_eq!(balanced, Ok(()), "{seed} stands on {}", state.visit / 2);
    }
    assert!(most >= 4, "the routes came back {most} times at most: too tame");
}

#[test]
fn a_forged_visit_is_found() {
    let mut forged = 0;
    for seed in 0..ROUTES {
        let (mut state, route) = random_route(seed);
        let visits = state.visit;
        let data = report_data(&mut state);
        let mut dice = Dice(seed ^ 0xF0F0);
        let other = |visit: u32, dice: &mut Dice| (visit + 1 + dice.roll(u64::from(visits) + 1) as u32) % (visits + 2);

        // A row of another pass.
        let mut of_row = data.clone();
        let at = dice.roll(data.ledger.len() as u64) as usize;
        of_row.ledger[at].visit = other(of_row.ledger[at].visit, &mut dice);
        // A record of another pass, with and without its rows.
        let mut of_record = data.clone();
        let records = of_record.content_fidelity.0.values_mut().flat_map(|item| item.phases.values_mut());
        let Some(record) = records.into_iter().next() else { continue };
        record.visit = other(record.visit, &mut dice);
        let mut with_rows = of_record.clone();
        with_rows.ledger = ledger::of(&with_rows.content_fidelity);
        // A pass that is listed as if it were not one.
        let mut untold = data.clone();
        untold.ledger.retain(|row| row.visit < visits);
        // A pass that is removed from everything, so that only the last is left.
        let mut first_gone = data.clone();
        first_gone.content_fidelity.0.values_mut().for_each(|item| item.other_visits.clear());
        first_gone.ledger.retain(|row| row.visit == visits);
        for (what, data) in [
            ("row", of_row),
            ("record", of_record),
            ("record and rows", with_rows),
            ("untold", untold),
            ("first pass", first_gone),
        ] {
            if what == "first pass" && visits == 0 {
                continue;
            }
            assert_ne!(faults(data), [], "{what}: {seed} {route:?}");
            forged += 1;
        }
    }
    assert!(forged > 1_000, "{forged}");
}

#[test]
fn a_new_pass_starts_from_the_texts_and_keeps_digests_alone() {
    let mut state = session(Phase::Digest, &[100, 80]);
    let ids: Vec<SourceId> = state.sources.iter().map(|s| s.source_id.clone()).collect();
    state.sources[0].reduction = Some(reduction(FidelityLevel::Digest, 30));
    state.sources[1].reduction = Some(reduction(FidelityLevel::KeyPoints, 20));
    state.dropped_content_ids.push(ids[1].clone());
    state.draft = Some("draft".to_owned());
    begin_visit(&mut state, Timestamp(7));
    assert_eq!((state.visit, state.draft.take()), (1, None));
    assert!(state.dropped_content_ids.is_empty() && state.sources[1].reduction.is_none());
    digest(&mut state, BTreeMap::new(), 1_000, Timestamp(8));
    let level = |n: usize| {
        state.content_fidelity.get(&ids[n], Phase::Digest).map(|r| (r.level, r.tokens_before, r.tokens_after))
    };
    assert_eq!(level(0), Some((FidelityLevel::Digest, 100, 30)), "digested before, carried so again");
    assert_eq!(level(1), Some((FidelityLevel::Raw, 80, 80)));
    assert_eq!((first_visit(&state, &ids[0]), first_visit(&state, &SourceId::new("new").expect("an id"))), (0, 1));
}
