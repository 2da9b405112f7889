//! Tests of the gate: whatever the task and window, a provider that counts itself never gets more than fits.

mod judging;
mod research;

use std::collections::BTreeMap;

use precis_proto::fidelity::FidelityLevel;
use precis_proto::prior::{PriorBlock, Said, SpeakerRole};
use precis_proto::task::{CompressTask, SummarizeTask, SynthesizeTask, TaskFinding, TaskPassage};
use serde_json::Value;

use super::super::limits::LimitOverride;
use super::*;
use crate::models::BudgetingMode;

/// A small generator: the same tasks on every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.below(from.len() as u64) as usize]
    }

    fn text(&mut self, most: u64) -> String {
        let kind: &[&str] = match self.below(5) {
            0 => &["予算を超える", "要求は", "送られない。", "結果"],
            1 => &["    ", "\n\n", " \t ", "word", "\u{a0}"],
            2 => &["🧪", "é", "e\u{301}", "ﷺ", "\u{200d}", "zz9", "#", "}{", "\\\""],
            _ => &["the result ", "of 12.5 % ", "was measured. ", "However, ", "a limit ", "(Fig. 3) ", "\n"],
        };
        (0..self.below(most) + 1).map(|_| self.pick(kind)).collect()
    }

    /// Nothing in half of the cases, else background, blocks and turns of any size.
    fn prior(&mut self) -> Arc<Prior> {
        let mut prior = Prior::default();
        if self.below(2) == 0 {
            return Arc::new(prior);
        }
        let size = [3, 40, 400, 4_000][self.below(4) as usize];
        if self.below(2) == 0 {
            prior.project_context = self.text(size);
        }
        for _ in 0..self.below(6) {
            prior.context.push(PriorBlock { title: self.text(5), text: self.text(size) });
        }
        for n in 0..self.below(40) {
            let role = [SpeakerRole::User, SpeakerRole::Assistant, SpeakerRole::Tool][(n % 3) as usize];
            prior.history.push(Said { role, content: self.text(size / 4 + 1) });
        }
        Arc::new(prior)
    }

    fn task(&mut self) -> Task {
        let size = [3, 40, 400, 4_000][self.below(4) as usize];
        let items = self.below(30) as u32 + 1;
        let (query, score) = (self.text(20), |d: &mut Self| d.below(1_000) as f64 / 1_000.0);
        match self.below(3) {
            0 => {
                let levels = [FidelityLevel::Condensed, FidelityLevel::KeyPoints, FidelityLevel::Headline];
                let level = levels[self.below(3) as usize];
                let target_tokens = self.below(3_000) + 1;
                Task::Summarize(SummarizeTask {
                    level,
                    query,
                    title: self.text(10),
                    text: self.text(size),
                    target_tokens,
                })
            }
            1 => {
                let passage = |d: &mut Self, id| TaskPassage {
                    id,
                    title: d.text(8),
                    path: String::new(),
                    source: id,
                    text: d.text(size / 3 + 1),
                    score: score(d),
                    units: Vec::new(),
                    headings: Vec::new(),
                    columns: String::new(),
                    context: Vec::new(),
                    similarity: Default::default(),
                };
                let passages = (1..=items).map(|id| passage(self, id)).collect();
                Task::Compress(CompressTask {
                    notes: Vec::new(),
                    query,
                    topic: self.text(4),
                    passages,
                    max_findings: 1 + self.below(12) as usize,
                    known: Default::default(),
                })
            }
            _ => {
                let finding = |d: &mut Self, id| TaskFinding {
                    id,
                    topic: d.text(3),
                    statement: d.text(size / 9 + 1),
                    title: d.text(5),
                    source: id,
                    score: score(d),
                    headings: Vec::new(),
                    path: String::new(),
                    context: Vec::new(),
                    similarity: None,
                };
                let findings = (1..=items).map(|id| finding(self, id)).collect();
                Task::Synthesize(SynthesizeTask {
                    evidence: Default::default(),
                    begun: String::new(),
                    raw_notes: (0..self.below(3)).map(|_| self.text(size)).collect(),
                    status: None,
                    notes: Vec::new(),
                    query,
                    findings,
                    target_tokens: self.below(3_000),
                })
            }
        }
    }
}

fn o200k(text: &str) -> u64 {
    precis_text::tokens::count(text)
}

/// JSON as Python writes it: blanks after commas and colons, everything beyond ASCII escaped.
fn python_json(value: &Value) -> String {
    let mut out = String::new();
    let mut quoted = false;
    let mut before = ' ';
    for c in value.to_string().chars() {
        if c == '"' && before != '\\' {
            quoted = !quoted;
        }
        out.push(c);
        if !quoted && matches!(c, ',' | ':') {
            out.push(' ');
        }
        before = c;
    }
    out
}

/// What a server counts: 3, each message and 4, the schema as it writes it out, and the answer it may have to give.
fn counted_by_a_server(fitted: &FittedPayload) -> u64 {
    let messages: u64 = fitted.messages.iter().map(|m| 4 + o200k(&m.text)).sum();
    3 + messages + fitted.schema.as_ref().map_or(0, |s| o200k(&python_json(&s.wire_schema())))
}

fn limits(window: u64, output: u64, margin: f64, mode: BudgetingMode) -> Limits {
    let o = LimitOverride {
        context_window: Some(window),
        max_output_tokens: Some(output),
        budgeting_mode: Some(mode),
        output_reserved: Some(if mode == BudgetingMode::Combined { output } else { 0 }),
        tokenizer: Some(precis_text::tokens::Tokenizer::O200k),
    };
    Limits { overrides: BTreeMap::from([("fake:small".into(), o)]), safety_margin: margin, ..Limits::default() }
}

#[test]
fn no_payload_exceeds_the_window_of_a_provider_that_counts_for_itself() {
    let mut dice = Dice(7);
    let (mut sent, mut refused, mut cut) = (0, 0, 0);
    for _ in 0..2_400 {
        let task = dice.task();
        let window = [600, 1_500, 2_500, 4_000, 8_000, 16_000, 32_000][dice.below(7) as usize];
        let margin = [0.0, 0.15][dice.below(2) as usize];
        let mode = [BudgetingMode::Combined, BudgetingMode::InputOnly][dice.below(2) as usize];
        let complaint = (dice.below(4) == 0).then(|| dice.text(60));
        let attempt = Attempt { shrink: dice.below(3) as u32, complaint, prior: dice.prior(), ..Attempt::default() };
        let allow_dropping = dice.below(3) > 0;
        let limits = Limits { allow_dropping, ..limits(window, 512, margin, mode) };
        match prepare(&task, "fake:small", &limits, &attempt, &o200k) {
            Err(over) => {
                assert!(over.needed > over.budget, "{over}");
                refused += 1;
            }
            Ok(fitted) => {
                let beside = if mode == BudgetingMode::Combined { fitted.max_output_tokens } else { 0 };
                let tokens = counted_by_a_server(&fitted);
                assert!(tokens <= fitted.input_tokens, "counted {} but a server counts {tokens}", fitted.input_tokens);
                assert!(tokens + beside <= window, "{tokens} + {beside} > {window}");
                sent += 1;
                cut += u64::from(!fitted.cut.is_empty());
                assert!(allow_dropping || fitted.cut.iter().all(|c| c.tokens_after > 0), "{:?}", fitted.cut);
                balances(&fitted);
            }
        }
    }
    assert!(sent > 1_800 && refused > 20 && cut > 400, "{sent} sent, {refused} refused, {cut} cut");
}

fn balances(fitted: &FittedPayload) {
    let evidence = fitted.layers.iter().find(|l| l.layer == Layer::Evidence).expect("has evidence");
    let lost: u64 = fitted.cut.iter().map(|c| c.tokens_before - c.tokens_after).sum();
    assert_eq!(evidence.dropped, lost);
    let lost: u64 = fitted.layers.iter().map(|l| l.dropped).sum();
    assert!((lost == 0 && fitted.cut.is_empty()) || !fitted.warnings.is_empty(), "{lost} lost without a word");
    assert!(fitted.layers.iter().all(|l| l.kept + l.dropped == l.estimated), "{:?}", fitted.layers);
}

fn passages(n: u32) -> Task {
    let passage = |id| TaskPassage {
        id,
        title: format!("title {id}"),
        path: String::new(),
        source: id,
        text: format!("passage {id} says that the result holds. ").repeat(8),
        score: f64::from(id) / 100.0,
        units: Vec::new(),
        headings: Vec::new(),
        columns: String::new(),
        context: Vec::new(),
        similarity: Default::default(),
    };
    Task::Compress(CompressTask {
        notes: Vec::new(),
        query: "What holds?".into(),
        topic: String::new(),
        passages: (1..=n).map(passage).collect(),
        max_findings: 5,
        known: Default::default(),
    })
}

#[test]
fn the_window_is_used_before_evidence_is_cut() {
    let roomy = prepare(
        &passages(30),
        "fake:small",
        &limits(32_000, 512, 0.15, BudgetingMode::Combined),
        &Attempt::default(),
        &o200k,
    );
    assert_eq!(roomy.expect("fits").cut, []);
    let tight = limits(2_500, 512, 0.15, BudgetingMode::Combined);
    let fitted = prepare(&passages(30), "fake:small", &tight, &Attempt::default(), &o200k).expect("fits in part");
    let room = ((2_500 - 512) as f64 * 0.85) as u64;
    assert!(fitted.input_tokens <= room && fitted.input_tokens + 120 > room, "{} of {room}", fitted.input_tokens);
    let whole = |id: u32| format!("passage {id} says that the result holds. ").repeat(8).trim_end().to_owned();
    let is_sent = |id: &u32| fitted.messages[1].text.contains(&format!("passage {id} says"));
    let sent: Vec<u32> = (1..=30).filter(is_sent).collect();
    assert!(sent.len() > 3 && sent.iter().all(|id| fitted.messages[1].text.contains(&whole(*id))), "whole: {sent:?}");
    assert_eq!(sent, (31 - sent.len() as u32..=30).collect::<Vec<_>>(), "the least important are left out");
    assert_eq!(fitted.warnings.iter().map(|w| w.code).collect::<Vec<_>>(), [WarningCode::ContentDropped]);
    let fitted = prepare(&passages(300), "fake:small", &tight, &Attempt::default(), &o200k).expect("fits in part");
    let text = &fitted.messages[1].text;
    assert!(text.contains("passage 300 says") && !text.contains("passage 1 says"), "the lowest score is left out");
    let out = fitted.cut.iter().filter(|cut| cut.tokens_after == 0).count();
    assert_eq!(fitted.warnings[0].message, format!("{out} of 300 pieces of evidence left out of a model call"));
}

#[test]
fn a_payload_that_never_fits_is_counted_three_times_and_refused() {
    let limits = limits(4_000, 512, 0.0, BudgetingMode::Combined);
    let finished = std::cell::Cell::new(0);
    // The question with any evidence costs more than any window.
    let greedy = |text: &str| {
        let is_finished = text.contains("title") && text.contains("What holds?");
        finished.set(finished.get() + u64::from(is_finished));
        o200k(text) + if is_finished { 100_000 } else { 0 }
    };
    let attempt = Attempt { shrink: 1, ..Attempt::default() };
    prepare(&passages(60), "fake:small", &limits, &attempt, &greedy).expect_err("it never fits");
    assert_eq!(finished.get(), 1 + MAX_PASSES, "once, and after each further pass");
}

#[test]
fn where_nothing_may_be_left_out_every_passage_is_shown_in_part() {
    let tight = Limits { allow_dropping: false, ..limits(2_500, 512, 0.15, BudgetingMode::Combined) };
    let fitted = prepare(&passages(30), "fake:small", &tight, &Attempt::default(), &o200k).expect("fits in part");
    assert!((1..=30).all(|id| fitted.messages[1].text.contains(&format!("title {id}\n"))));
    assert_eq!(fitted.warnings.iter().map(|w| w.code).collect::<Vec<_>>(), [WarningCode::ContentTruncated]);
    let hopeless = prepare(&passages(300), "fake:small", &tight, &Attempt::default(), &o200k);
    let over = hopeless.expect_err("their marks alone are too long");
    assert!(over.remedy.contains("fake:small"), "{over}");
}

#[test]
fn a_threshold_bounds_every_request_and_old_turns_yield_to_it() {
    let wide = limits(200_000, 512, 0.15, BudgetingMode::Combined);
    let said = |role, content: String| precis_proto::prior::Said { role, content };
    let turn = |n: usize| {
        let answer = "The ice melts in summer. ".repeat(40);
        [said(SpeakerRole::User, format!("Question {n}?")), said(SpeakerRole::Assistant, answer)]
    };
    let prior = Prior { history: (0..50).flat_map(turn).collect(), ..Prior::default() };
    let attempt = Attempt { prior: Arc::new(prior), ..Attempt::default() };
    let dropped = |limits: &Limits| {
        let fitted = prepare(&passages(10), "fake:small", limits, &attempt, &o200k).expect("fits");
        let history = fitted.layers.iter().find(|l| l.layer == Layer::History).expect("in use").dropped;
        (fitted.input_tokens + fitted.max_output_tokens, history)
    };
    assert_eq!(dropped(&wide).1, 0);
    let (tokens, lost) = dropped(&Limits { auto_compact_threshold: Some(4_000), ..wide });
    assert!(tokens <= 4_000 && lost > 0, "{tokens} tokens, {lost} lost");
}

#[test]
fn each_overflow_a_provider_reports_makes_the_next_payload_smaller() {
    for window in [4_000, 400_000] {
        let limits = limits(window, 512, 0.0, BudgetingMode::Combined);
        let sizes: Vec<u64> = (0..3)
            .map(|shrink| {
                let attempt = Attempt { shrink, ..Attempt::default() };
                prepare(&passages(60), "fake:small", &limits, &attempt, &o200k).expect("fits").input_tokens
            })
            .collect();
        assert!(sizes[0] > sizes[1] && sizes[1] > sizes[2], "{sizes:?}");
    }
}

#[test]
fn a_window_the_provider_has_named_is_believed_where_it_is_smaller() {
    let attempt = Attempt { window: Some(2_048), ..Attempt::default() };
    let fitted = prepare(&passages(60), "house:unknown", &Limits::default(), &attempt, &o200k).expect("fits");
    assert!(counted_by_a_server(&fitted) + fitted.max_output_tokens <= 2_048);
    assert_eq!(fitted.warnings[0].code, WarningCode::LimitsDefaulted);
    let attempt = Attempt { window: Some(900_000), ..Attempt::default() };
    let fitted = prepare(&passages(60), "house:unknown", &Limits::default(), &attempt, &o200k).expect("fits");
    assert_eq!(fitted.max_output_tokens, 8_192);
}

#[test]
fn what_cannot_fit_is_refused_with_a_remedy() {
    let over = prepare(
        &passages(3),
        "fake:small",
        &limits(600, 512, 0.15, BudgetingMode::Combined),
        &Attempt::default(),
        &o200k,
    );
    let over = over.expect_err("nothing fits beside the answer");
    assert!(over.needed > over.budget && over.remedy.contains("fake:small"), "{over}");
}

#[test]
fn a_task_without_evidence_still_makes_a_payload() {
    let fitted = prepare(
        &passages(0),
        "fake:small",
        &limits(8_000, 512, 0.15, BudgetingMode::Combined),
        &Attempt::default(),
        &o200k,
    );
    assert_eq!(fitted.expect("fits").messages.len(), 2);
}

#[test]
fn a_text_as_long_as_its_room_is_sent_whole() {
    for window in [1_500, 2_500, 4_000, 32_000] {
        let limits = limits(window, 512, 0.15, BudgetingMode::Combined);
        let task = |text: &str| {
            Task::Summarize(SummarizeTask {
                level: FidelityLevel::KeyPoints,
                query: "What holds?".into(),
                title: "A title".into(),
                text: text.into(),
                target_tokens: 200,
            })
        };
        let allowed = text_room(&task(""), "fake:small", &limits, &o200k);
        assert!(allowed > window / 4, "{allowed} of {window}");
        let text = "The result of the measurement holds in most cases. ".repeat(9_000);
        for part in crate::map_reduce::parts(&text, allowed, &o200k).into_iter().take(3) {
            let attempt = Attempt { complaint: Some("the answer holds no JSON object".into()), ..Attempt::default() };
            let fitted = prepare(&task(part), "fake:small", &limits, &attempt, &o200k).expect("fits");
            assert!(fitted.cut.is_empty(), "{window}: {:?}", fitted.cut);
        }
    }
}

#[test]
fn an_overflow_on_compression_keeps_the_rules_and_the_question() {
    let (task, limits) = (passages(60), limits(8_000, 512, 0.15, BudgetingMode::Combined));
    let prepared = |shrink| {
        prepare(&task, "fake:small", &limits, &Attempt { shrink, ..Attempt::default() }, &o200k).expect("fits")
    };
    let whole = draft(&task, None, &Prior::default());
    for shrink in 0..6 {
        let fitted = prepared(shrink);
        assert_eq!(fitted.messages[0].text, whole.system);
        assert!(fitted.messages[1].text.ends_with(&whole.user), "{shrink}: the question is whole");
        assert!(fitted.messages[1].text.contains(&whole.end));
    }
    assert!(prepared(5).input_tokens < prepared(0).input_tokens);
}
