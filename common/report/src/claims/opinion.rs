//! A model's opinion besides the checks: which statements it is asked about, what it is shown, and which of its answers count.
//!
//! It is asked only about statements that passed the checks: a failed number, date, name or negation stays failed. Its answer counts only
//! with a verbatim quote from what it was shown; the place of that quote becomes what the verdict rests on.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::claim::{CheckKind, Claim, Done, JudgeCounts, JudgedBy, Verdict};
use precis_proto::finding::Quote;
use precis_proto::task::{JUDGED_REASON_CHARS, JudgePassage, JudgeTask, Judgement};
use precis_proto::{CharRange, SourceId};
use precis_text::field_places::place_of_field;
use precis_text::heading_paths::headings_above;
use precis_text::{CanonicalText, tokens};

use super::evidence::in_context;
use super::judge::MOST_QUOTES;
use super::settled::{MOST_CLAIMS, SettledDraft, SourceTexts};
use super::verdict::worse;
use super::wording::words;

/// Most statements of a report that a model is asked about, the first ones. Bounds cost. Chosen, not measured.
pub const MOST_JUDGED: usize = 40;
/// Most tokens of a statement and its passages in one call: about ten quotes with their context. Chosen, not measured.
pub const CALL_TOKENS: u64 = 3_000;
/// Most tokens that rules, schema and answer of a call take besides.
const BESIDE_TOKENS: u64 = 2_048;
/// Most of a session's spending limits, and of the time left, that goes to judging, in percent. Chosen: equal to the share that research
/// reserves for the end of a session.
pub const SHARE_PERCENT: u64 = 20;
/// Calls in a row without an answer after which judging stops.
pub const UNANSWERED_MOST: usize = 3;
/// Number of judgements from which an equal verdict for all of them changes nothing: the model has then not judged at all.
pub const SAME_LEAST: usize = 5;
/// Least content words of a quote without number, name or negation.
const LEAST_CONTENT: usize = 2;

/// A model's judgement of a statement that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opinion {
    /// Its verdict.
    pub verdict: Verdict,
    /// The model's reason; may be empty.
    pub reason: String,
    /// The place in an archived text that it rests on.
    pub rests_on: Quote,
}

/// Opinions by the index of their statement in [`SettledDraft::claims`].
pub type Opinions = BTreeMap<usize, Opinion>;

/// A question to a model about a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeQuestion {
    /// Index of the statement in the claims.
    pub claim: usize,
    /// The task it is given.
    pub task: JudgeTask,
    /// Tokens of statement and passages.
    pub tokens: u64,
    /// For each passage its source and its characters in the whole text.
    places: Vec<(SourceId, CharRange)>,
}

/// Use and limits of judging before the next question. An absent limit does not limit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct JudgingUse {
    /// Questions asked so far.
    pub asked: usize,
    /// Latest questions in a row without an answer.
    pub unanswered: usize,
    /// Tokens used for judging.
    pub judging_tokens: u64,
    /// Tokens used by the whole session.
    pub tokens: u64,
    /// Most tokens of the session.
    pub max_tokens: Option<u64>,
    /// US dollars spent on judging.
    pub judging_usd: f64,
    /// US dollars spent by the whole session.
    pub usd: f64,
    /// Most US dollars of the session.
    pub max_usd: Option<f64>,
    /// Milliseconds spent on judging.
    pub judging_ms: u64,
    /// Milliseconds left in the session when judging began.
    pub left_ms: Option<u64>,
}

/// Whether a question of `tokens` may be asked.
///
/// ```
/// use precis_report::claims::{JudgingUse, MOST_JUDGED, may_ask};
///
/// assert!(may_ask(&JudgingUse::default(), 500));
/// assert!(!may_ask(&JudgingUse { asked: MOST_JUDGED, ..JudgingUse::default() }, 500));
/// // Judging may use a fifth of the session's tokens, prompt and answer included.
/// assert!(!may_ask(&JudgingUse { max_tokens: Some(10_000), ..JudgingUse::default() }, 500));
/// ```
#[must_use]
pub fn may_ask(spent: &JudgingUse, tokens: u64) -> bool {
    let next = tokens.saturating_add(BESIDE_TOKENS);
    // Divided before it is multiplied, because the product could overflow.
    let of = |limit: u64| limit / 100 * SHARE_PERCENT + limit % 100 * SHARE_PERCENT / 100;
    let fits_tokens = |max| spent.judging_tokens + next <= of(max) && spent.tokens + next <= max;
    let fits_usd = |max: f64| spent.judging_usd < max * SHARE_PERCENT as f64 / 100.0 && spent.usd < max;
    spent.asked < MOST_JUDGED
        && spent.unanswered < UNANSWERED_MOST
        && spent.max_tokens.is_none_or(fits_tokens)
        && spent.max_usd.is_none_or(fits_usd)
        && spent.left_ms.is_none_or(|left| spent.judging_ms < of(left))
}

/// Whether a model may be asked about `claim`: no check refuted it, and it is not a verbatim copy.
pub(super) fn is_open(claim: &Claim) -> bool {
    let is_refuted = claim.checks.iter().any(|check| !check.holds && check.kind != CheckKind::Subject);
    let is_written = matches!(claim.done, Done::Kept | Done::Marked);
    matches!(claim.verdict, Verdict::Supported | Verdict::Partly) && is_written && !is_refuted
}

/// The verdict on `claim` given a model's `opinion`: an opinion may lower any verdict, but raise only `Partly`, and not if the claim goes
/// further than its quotes (`some` → `all`).
pub(super) fn after(claim: &Claim, opinion: Verdict) -> Verdict {
    match (claim.verdict, opinion) {
        (Verdict::Partly, Verdict::Supported) if !is_wider(claim) => Verdict::Supported,
        (checked, _) => worse(checked, opinion),
    }
}

/// Whether a check failed because the statement claims more than its quotes. Checks of the matched share end in `%` and do not count.
fn is_wider(claim: &Claim) -> bool {
    let subjects = claim.checks.iter().filter(|check| check.kind == CheckKind::Subject && !check.holds);
    subjects.into_iter().any(|check| !check.said.ends_with(" %"))
}

/// The questions to a model about the statements of `settled`, in order: at most [`MOST_JUDGED`], each with as many of its quotes as fit
/// [`CALL_TOKENS`]. Statements without any available text are skipped.
#[must_use]
pub fn questions(settled: &SettledDraft, texts: &SourceTexts) -> Vec<JudgeQuestion> {
    let claims = settled.claims.iter().enumerate().take(MOST_CLAIMS).filter(|(_, claim)| is_open(claim));
    claims.filter_map(|(n, claim)| question(n, claim, settled, texts)).take(MOST_JUDGED).collect()
}

fn question(n: usize, claim: &Claim, settled: &SettledDraft, texts: &SourceTexts) -> Option<JudgeQuestion> {
    let mut task = JudgeTask { statement: claim.text.clone(), ..JudgeTask::default() };
    let (mut total, mut places) = (tokens::count(&claim.text), Vec::new());
    for number in claim.quotes.iter().take(MOST_QUOTES) {
        let Some(citation) = settled.cited.citations.iter().find(|citation| citation.n == *number) else { continue };
        let Some(text) = texts.get(&citation.source_id) else { continue };
        let Some(range) = text.resolve(&citation.locator).map(|range| in_context(text, range)) else { continue };
        let shown = text.slice(range).to_owned();
        total += tokens::count(&shown) + tokens::count(&citation.title);
        if total > CALL_TOKENS {
            break;
        }
        places.push((citation.source_id.clone(), range));
        task.passages.push(JudgePassage { id: places.len() as u32, title: citation.title.clone(), text: shown });
    }
    (!places.is_empty()).then_some(JudgeQuestion { claim: n, task, tokens: total, places })
}

/// The opinions that count among `answers` to the first of `questions`, in the same order: those whose quote occurs in what was shown,
/// ignoring white space. If [`SAME_LEAST`] or more all give the same verdict, those that would change a verdict are dropped.
#[must_use]
pub fn counted(questions: &[JudgeQuestion], answers: &[Judgement], claims: &[Claim], texts: &SourceTexts) -> Opinions {
    let valid = questions
        .iter()
        .zip(answers)
        .filter_map(|(question, answer)| Some((question.claim, opinion(question, answer, texts)?)));
    let mut opinions: Opinions = valid.collect();
    let words: BTreeSet<Verdict> = opinions.values().map(|opinion| opinion.verdict).collect();
    if words.len() == 1 && opinions.len() >= SAME_LEAST {
        let changes = |n: &usize, opinion: &Opinion| {
            claims.get(*n).is_some_and(|claim| after(claim, opinion.verdict) != claim.verdict)
        };
        opinions.retain(|n, opinion| !changes(n, opinion));
    }
    opinions
}

fn opinion(question: &JudgeQuestion, answer: &Judgement, texts: &SourceTexts) -> Option<Opinion> {
    let verdict = answer.verdict.filter(|verdict| Judgement::VERDICTS.contains(verdict))?;
    if !points_somewhere(&answer.quote) {
        return None;
    }
    let passages = question.task.passages.iter().zip(&question.places);
    let rests_on = passages.filter_map(|(passage, (source_id, place))| {
        let found = verbatim(&passage.text, &answer.quote)?;
        let range = CharRange::new(place.start + found.start, place.start + found.end);
        let text = texts.get(source_id).filter(|text| is_of_one_block(text, range))?;
        let (headings, place) = (headings_above(text, range.start), place_of_field(text, range.start));
        let (locator, text) = (text.locator(range), text.slice(range).to_owned());
        Some(Quote { place, ..Quote::new(source_id.clone(), locator, text, headings) })
    });
    let reason = answer.reason.chars().take(JUDGED_REASON_CHARS).collect();
    Some(Opinion { verdict, reason, rests_on: { rests_on }.next()? })
}

/// Whether a range lies within one block, if blocks are known: a quote across two paragraphs is stated by neither of them.
fn is_of_one_block(text: &CanonicalText, range: CharRange) -> bool {
    let blocks = text.blocks();
    blocks.is_empty() || blocks.iter().any(|block| block.range().contains(&range))
}

/// Whether a quote is specific enough to identify a place, rather than words that occur in any text.
pub(crate) fn points_somewhere(quote: &str) -> bool {
    let words = words(quote);
    let content = words.iter().filter(|word| word.is_content).count();
    content >= LEAST_CONTENT || words.iter().any(|word| word.is_number() || word.is_name || word.negates)
}

/// The characters of `text` that equal `quote`, ignoring differences in white space and quotation marks around it.
pub(crate) fn verbatim(text: &str, quote: &str) -> Option<CharRange> {
    let (mut flat, mut places) = (String::with_capacity(text.len()), Vec::new());
    for (at, c) in text.chars().enumerate() {
        let c = if c.is_whitespace() { ' ' } else { c };
        if c != ' ' || !flat.ends_with(' ') {
            flat.push(c);
            places.push(at);
        }
    }
    let is_mark = |c: char| matches!(c, '"' | '\'' | '“' | '”' | '„' | '‘' | '’' | '«' | '»' | '「' | '」');
    // First as written: the marks may be part of the text.
    [quote.trim(), quote.trim().trim_matches(is_mark).trim()].into_iter().find_map(|wanted| {
        let wanted = wanted.split_whitespace().collect::<Vec<_>>().join(" ");
        let start = flat.find(&wanted).filter(|_| !wanted.is_empty())?;
        let first = flat[..start].chars().count();
        let last = first + wanted.chars().count() - 1;
        Some(CharRange::new(*places.get(first)?, *places.get(last)? + 1))
    })
}

/// The counts of `asked` questions once their statements are settled; `None` if none was asked.
#[must_use]
pub fn counts(asked: usize, claims: &[Claim]) -> Option<JudgeCounts> {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let counted = claims.iter().filter(|claim| claim.judged_by == JudgedBy::Model).count();
    let refused = number(asked.saturating_sub(counted));
    (asked > 0).then(|| JudgeCounts { asked: number(asked), counted: number(counted), refused })
}

#[cfg(test)]
mod tests;
