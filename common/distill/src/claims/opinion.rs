//! A model's opinion beside the checks: which statements it is asked about, what it is shown of them, and which of its answers count.
//!
//! It is asked only about what the checks let pass: a number, date, name or negation that failed stays failed. Its answer counts only
//! with words that stand in what it was shown, and the place of these words becomes what the verdict rests on.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::claim::{CheckKind, Claim, Done, JudgeCounts, JudgedBy, Verdict};
use precis_proto::finding::Quote;
use precis_proto::task::{JUDGED_REASON_CHARS, JudgePassage, JudgeTask, Judgement};
use precis_proto::{CharRange, SourceId};

use super::evidence::in_context;
use super::judge::MOST_QUOTES;
use super::settled::{MOST_CLAIMS, SettledDraft, SourceTexts};
use super::verdict::worse;
use super::wording::words;
use crate::text::CanonicalText;
use crate::tokens;

/// Statements of a report that a model is asked about, the first ones. Bounds cost. Chosen, not measured.
pub const MOST_JUDGED: usize = 40;
/// Tokens of a statement and its passages in one call: some ten quotes with their contexts. Chosen, not measured.
pub const CALL_TOKENS: u64 = 3_000;
/// Tokens that the rules, the shape and the answer of a call take beside them, at most.
const BESIDE_TOKENS: u64 = 2_048;
/// Share of what a session may spend, and of the time that is left, that goes to judging at most, in percent. Chosen: what
/// research keeps for the end of a session is as much.
pub const SHARE_PERCENT: u64 = 20;
/// Calls in a row without an answer after which nobody is asked any more.
pub const UNANSWERED_MOST: usize = 3;
/// Judgements from which on one word for all of them changes nothing: whoever says the same of everything has not judged.
pub const SAME_LEAST: usize = 5;
/// Content words of a quote without a number, name or negation, at least.
const LEAST_CONTENT: usize = 2;

/// What a model has said of a statement, once it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opinion {
    /// Its verdict.
    pub verdict: Verdict,
    /// Why, in its words; may be empty.
    pub reason: String,
    /// The characters of an archived text that it rests on.
    pub rests_on: Quote,
}

/// Opinions by the place of their statement among [`SettledDraft::claims`].
pub type Opinions = BTreeMap<usize, Opinion>;

/// What a model is asked about a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeQuestion {
    /// Place of the statement among the claims.
    pub claim: usize,
    /// What it is shown.
    pub task: JudgeTask,
    /// Tokens of that.
    pub tokens: u64,
    /// Where each passage stands: its source, and characters of the whole text.
    places: Vec<(SourceId, CharRange)>,
}

/// What was used when the next question may be put. Without a limit there is none.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct JudgingUse {
    /// Questions put so far.
    pub asked: usize,
    /// The last of them that nobody answered.
    pub unanswered: usize,
    /// Tokens that judging took, those of the whole session, and how many it may use.
    pub judging_tokens: u64,
    /// See `judging_tokens`.
    pub tokens: u64,
    /// See `judging_tokens`.
    pub max_tokens: Option<u64>,
    /// US dollars that judging took, those of the whole session, and how many it may use.
    pub judging_usd: f64,
    /// See `judging_usd`.
    pub usd: f64,
    /// See `judging_usd`.
    pub max_usd: Option<f64>,
    /// Milliseconds that judging took, and those that were left of the session when it began.
    pub judging_ms: u64,
    /// See `judging_ms`.
    pub left_ms: Option<u64>,
}

/// Whether a question of `tokens` may be put.
#[must_use]
pub fn may_ask(spent: &JudgingUse, tokens: u64) -> bool {
    let next = tokens.saturating_add(BESIDE_TOKENS);
    let of = |limit: u64| limit / 100 * SHARE_PERCENT + limit % 100 * SHARE_PERCENT / 100;
    let fits_tokens = |max| spent.judging_tokens + next <= of(max) && spent.tokens + next <= max;
    let fits_usd = |max: f64| spent.judging_usd < max * SHARE_PERCENT as f64 / 100.0 && spent.usd < max;
    spent.asked < MOST_JUDGED
        && spent.unanswered < UNANSWERED_MOST
        && spent.max_tokens.is_none_or(fits_tokens)
        && spent.max_usd.is_none_or(fits_usd)
        && spent.left_ms.is_none_or(|left| spent.judging_ms < of(left))
}

/// Whether a model may be asked about `claim`: nothing refuted it, and it is no copy.
pub(super) fn is_open(claim: &Claim) -> bool {
    let is_refuted = claim.checks.iter().any(|check| !check.holds && check.kind != CheckKind::Subject);
    let is_written = matches!(claim.done, Done::Kept | Done::Marked);
    matches!(claim.verdict, Verdict::Supported | Verdict::Partly) && is_written && !is_refuted
}

/// The verdict on `claim` after a model has given `opinion`: it lowers any, and raises what is carried in part alone. What goes further
/// than its quotes (`some` → `all`) stays so.
pub(super) fn after(claim: &Claim, opinion: Verdict) -> Verdict {
    match (claim.verdict, opinion) {
        (Verdict::Partly, Verdict::Supported) if !is_wider(claim) => Verdict::Supported,
        (checked, _) => worse(checked, opinion),
    }
}

/// Whether a check failed that compares how far a statement goes, and not how much of it its quotes hold: that one gives a share.
fn is_wider(claim: &Claim) -> bool {
    let subjects = claim.checks.iter().filter(|check| check.kind == CheckKind::Subject && !check.holds);
    subjects.into_iter().any(|check| !check.said.ends_with(" %"))
}

/// What a model is asked about the statements of `settled`, in their order: at most [`MOST_JUDGED`], each with as many of its quotes
/// as [`CALL_TOKENS`] hold. A statement of which no text is at hand is not asked about.
#[must_use]
pub fn questions(settled: &SettledDraft, texts: &SourceTexts) -> Vec<JudgeQuestion> {
    let claims = settled.claims.iter().enumerate().take(MOST_CLAIMS).filter(|(_, claim)| is_open(claim));
    claims.filter_map(|(n, claim)| question(n, claim, settled, texts)).take(MOST_JUDGED).collect()
}

fn question(n: usize, claim: &Claim, settled: &SettledDraft, texts: &SourceTexts) -> Option<JudgeQuestion> {
    let mut task = JudgeTask { statement: claim.text.clone(), passages: Vec::new() };
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

/// The opinions that count of `answers` to the first of `questions`, in their order: those whose quote stands in what was shown, white
/// space apart. Where all of [`SAME_LEAST`] or more say the same, those that would change a verdict do not.
#[must_use]
pub fn counted(questions: &[JudgeQuestion], answers: &[Judgement], claims: &[Claim], texts: &SourceTexts) -> Opinions {
    let told = questions
        .iter()
        .zip(answers)
        .filter_map(|(question, answer)| Some((question.claim, opinion(question, answer, texts)?)));
    let mut opinions: Opinions = told.collect();
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
        let (locator, text) = (text.locator(range), text.slice(range).to_owned());
        Some(Quote { source_id: source_id.clone(), locator, text })
    });
    let reason = answer.reason.chars().take(JUDGED_REASON_CHARS).collect();
    Some(Opinion { verdict, reason, rests_on: { rests_on }.next()? })
}

/// Whether a range runs over the end of no block, where blocks are known: what two paragraphs say together neither of them says.
fn is_of_one_block(text: &CanonicalText, range: CharRange) -> bool {
    let blocks = text.blocks();
    blocks.is_empty() || blocks.iter().any(|block| block.range().contains(&range))
}

/// Whether a quote is more than words that stand in any text.
pub(crate) fn points_somewhere(quote: &str) -> bool {
    let words = words(quote);
    let content = words.iter().filter(|word| word.is_content).count();
    content >= LEAST_CONTENT || words.iter().any(|word| word.is_number() || word.is_name || word.negates)
}

/// The characters of `text` that are `quote`, white space and quotation marks around it apart.
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
    [quote.trim(), quote.trim().trim_matches(is_mark).trim()].into_iter().find_map(|wanted| {
        let wanted = wanted.split_whitespace().collect::<Vec<_>>().join(" ");
        let start = flat.find(&wanted).filter(|_| !wanted.is_empty())?;
        let first = flat[..start].chars().count();
        let last = first + wanted.chars().count() - 1;
        Some(CharRange::new(*places.get(first)?, *places.get(last)? + 1))
    })
}

/// What came of `asked` questions, once their statements are settled; none where nobody was asked.
#[must_use]
pub fn counts(asked: usize, claims: &[Claim]) -> Option<JudgeCounts> {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let counted = claims.iter().filter(|claim| claim.judged_by == JudgedBy::Model).count();
    let refused = number(asked.saturating_sub(counted));
    (asked > 0).then(|| JudgeCounts { asked: number(asked), counted: number(counted), refused })
}

#[cfg(test)]
mod tests;
