//! A model's opinion of a statement: it counts with words that stand in what the model was shown.

use std::collections::BTreeMap;

use precis_context::shown_text::found_in;
use precis_proto::CharRange;
use precis_proto::claim::{Claim, JudgeCounts, JudgedBy, Verdict};
use precis_proto::finding::Quote;
use precis_proto::task::{JUDGED_REASON_CHARS, StatementVerdict};
use precis_text::CanonicalText;
use precis_text::field_places::place_of_field;
use precis_text::heading_paths::headings_above;
use precis_text::recognized::recognition_at;

use super::open_statements::ShownPlace;
use super::outcome::Fate;
use super::settled::SourceTexts;
use super::wording::words;

/// Least content words of a quote without number, name or negation.
const LEAST_CONTENT: usize = 2;

/// A model's judgement of a statement that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opinion {
    /// Its verdict.
    pub verdict: Verdict,
    /// The model's reason; may be empty.
    pub reason: String,
    /// The place in an archived text that it rests on; absent for [`Verdict::NoClaim`] alone.
    pub rests_on: Option<Quote>,
}

/// Opinions on the statements of a draft, and what becomes of those that failed, each by the index of the claim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opinions {
    /// What a model said.
    pub judged: BTreeMap<usize, Opinion>,
    /// What replaces a statement.
    pub fates: BTreeMap<usize, Fate>,
}

/// The opinion in an answer, if its words stand in one of `places`. Whoever finds no claim needs no words.
pub(super) fn opinion(answer: &StatementVerdict, places: &[ShownPlace], texts: &SourceTexts) -> Option<Opinion> {
    if !StatementVerdict::VERDICTS.contains(&answer.verdict) {
        return None;
    }
    let reason = answer.reason.chars().take(JUDGED_REASON_CHARS).collect();
    if answer.verdict == Verdict::NoClaim {
        return Some(Opinion { verdict: answer.verdict, reason, rests_on: None });
    }
    if !points_somewhere(&answer.quote) {
        return None;
    }
    let rests_on = places.iter().find_map(|place| {
        let text = texts.get(&place.source_id)?;
        let found = found_in(text.slice(place.range), &answer.quote)?;
        let range = CharRange::new(place.range.start + found.start, place.range.start + found.end);
        is_of_one_block(text, range).then(|| quote(place, text, range))
    });
    Some(Opinion { verdict: answer.verdict, reason, rests_on: Some(rests_on?) })
}

fn quote(shown: &ShownPlace, text: &CanonicalText, range: CharRange) -> Quote {
    let (headings, place) = (headings_above(text, range.start), place_of_field(text, range.start));
    let (locator, words) = (text.locator(range), text.slice(range).to_owned());
    let recognized = recognition_at(text, range.start);
    Quote { place, recognized, ..Quote::new(shown.source_id.clone(), locator, words, headings) }
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

/// The characters of `text` that equal `quote`, apart from white space, bars between cells, and marks around it.
pub(crate) fn verbatim(text: &str, quote: &str) -> Option<CharRange> {
    found_in(text, quote)
}

/// The counts of `asked` statements once they are settled; `None` if none was asked about.
#[must_use]
pub fn counts(asked: usize, claims: &[Claim]) -> Option<JudgeCounts> {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let counted = claims.iter().filter(|claim| claim.judged_by == JudgedBy::Model).count();
    let refused = number(asked.saturating_sub(counted));
    (asked > 0).then(|| JudgeCounts { asked: number(asked.max(counted)), counted: number(counted), refused })
}

#[cfg(test)]
mod tests;
