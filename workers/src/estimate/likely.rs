//! What a session usually costs: every provider answers at once, and the first of the chain. No bound, unlike [`super::bound`].

use precis_proto::Phase;
use precis_proto::digest::DigestPolicy;
use precis_proto::task::Role;
use precis_runtime::config::Settings;

use super::bound::payable;
use super::calls::PhaseCalls;
use super::facts::{SessionFacts, WriterGets};
use super::work::Work;
use crate::options::{
    DigestOptions, analysis_budget, compression_calls, is_model, judging_budget, prices, synthesis_budget,
    writer_budget,
};
use precis_door::Figures;

/// Tokens of rules, question and schema of a call. Chosen near those of the prompts; the law of dry runs says how near the sums are.
const RULES: u64 = 700;
/// Tokens of a prompt for a hundred tokens of the texts in it: passages are numbered and stand below their titles.
const SHOWN_PERCENT: u64 = 120;
/// Sources of a call that makes findings.
const SOURCES_EACH: u64 = 8;
/// Tokens answered by a call that makes findings, and by one that summarizes. Chosen, not measured.
const FINDINGS: u64 = 600;
const SUMMARY: u64 = 300;
/// Reports are about half as long as they may be (chosen), with a statement for so many tokens of them (chosen).
const REPORT_PART: u64 = 2;
const STATEMENT: u64 = 40;
/// Statements judged in a call, and tokens of a verdict on one. Chosen, not measured.
const JUDGED_EACH: u64 = 12;
const VERDICT: u64 = 60;

/// What `calls` usually cost; `None` if it is not known: where something is searched, or a text was not read yet.
pub(super) fn likely(settings: &Settings, facts: &SessionFacts, calls: &PhaseCalls) -> Option<Figures> {
    let texts = facts.tokens().filter(|_| facts.research.is_none())?;
    let (number, input, output) = Usual::new(settings, facts, texts).of(calls);
    let link = payable(settings, calls.work.role()).into_iter().next()?;
    let price = prices(settings).of(&link);
    let usd = price.map(|price| (input as f64 * price.input + output as f64 * price.output) / 1e6);
    Some(Figures { calls: number, requests: number, input_tokens: input, output_tokens: output, searches: 0, usd })
}

/// The sizes on which the usual calls depend, in tokens.
struct Usual {
    /// All texts.
    texts: u64,
    sources: u64,
    /// Texts that are shortened before calls make findings of them.
    shortened: u64,
    /// Sources that get a digest.
    digests: u64,
    /// Calls that make findings, and what they carry together.
    finding_calls: u64,
    carried: u64,
    /// Passages and findings that the writer sees.
    written_from: u64,
    report: u64,
    judging_room: u64,
}

impl Usual {
    fn new(settings: &Settings, facts: &SessionFacts, texts: u64) -> Self {
        let sources = facts.texts.len() as u64;
        let is_whole = facts.probably(settings) == WriterGets::Whole;
        let (each, calls) = (analysis_budget(settings), compression_calls(settings).unwrap_or(1).max(1) as u64);
        let room = each.saturating_mul(calls);
        let digest = DigestOptions::from_settings(settings);
        let all_digested = digest.policy == DigestPolicy::Always || !is_model(settings, Role::Compression);
        let is_shortened = !is_whole && (texts > room || all_digested);
        let digests = match digest.policy {
            DigestPolicy::Off => 0,
            _ if is_shortened => sources.min(digest.max_sources as u64),
            _ => 0,
        };
        let carried = texts.min(room);
        let filled = if each == 0 { 1 } else { carried.div_ceil(each) };
        let finding_calls = if is_whole { 0 } else { filled.max(sources.div_ceil(SOURCES_EACH)).min(calls) };
        let seen = match is_whole {
            true => texts,
            false => carried.min(writer_budget(settings)).min(synthesis_budget(settings)),
        };
        Self {
            texts,
            sources,
            shortened: if is_shortened { texts } else { 0 },
            digests,
            finding_calls,
            carried,
            written_from: seen.saturating_add(finding_calls * FINDINGS),
            report: facts.target(settings) / REPORT_PART,
            judging_room: judging_budget(settings),
        }
    }

    /// The usual number of calls, and the tokens of all their prompts and answers.
    fn of(&self, calls: &PhaseCalls) -> (u64, u64, u64) {
        let shown = |tokens: u64| tokens.saturating_mul(SHOWN_PERCENT) / 100;
        let many = |number: u64, tokens: u64, each: u64| (number, number * RULES + shown(tokens), number * each);
        let of_texts = |number: u64| match self.sources {
            0 => (0, 0, 0),
            sources => many(number, self.shortened / sources * number, SUMMARY),
        };
        match calls.work {
            Work::Summarize if calls.phase == Phase::Digest => of_texts(self.digests),
            Work::Summarize if self.shortened > 0 => of_texts(self.sources - self.digests),
            Work::Compress => many(self.finding_calls, self.carried.min(self.finding_calls * self.texts), FINDINGS),
            Work::Write => many(1, self.written_from, self.report),
            Work::Judge => {
                let number = (self.report / STATEMENT).div_ceil(JUDGED_EACH).max(1) + 1;
                // A statement is judged by the passages that it rests on, which are a part of all.
                many(number, (self.written_from / 2).min(self.judging_room) * (number - 1), JUDGED_EACH * VERDICT)
            }
            Work::Rate => many(2, (self.report + self.written_from / 4) * 2, JUDGED_EACH * VERDICT),
            // Happens, but not usually.
            Work::Repair | Work::SummarizeTogether | Work::Summarize => (0, 0, 0),
            Work::Plan | Work::Supervise | Work::Turn | Work::Gaps => (0, 0, 0),
        }
    }
}
