//! Summarizes texts too long for one call: splits the text into parts, and joins the summaries of the parts to the next text.
//!
//! The parts of a text join to the whole of it. Calling models, and handling parts that could not be summarized, is done elsewhere.

use precis_evidence::relevance::{TermHoldings, relevances};
use precis_proto::task::Summary;
use precis_text::CanonicalText;

use crate::truncate::{self, Count};

/// Most parts read of one text; of a longer text, those that match the question best. Chosen, not measured.
pub const MAX_PARTS: usize = 32;
/// Least tokens requested for the summary of a part: fewer do not hold a sentence.
const MIN_PART_SUMMARY: u64 = 48;

/// Splits `text` into parts of at most `allowed` tokens each, cut behind a sentence or a word if one ends nearby. The parts join to
/// `text`: white space behind a cut belongs to the part before it, and its tokens are not counted. Empty for an empty text.
#[must_use]
pub fn parts<'t>(text: &'t str, allowed: u64, count: Count<'_>) -> Vec<&'t str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        // At least one character per part, so that the loop ends even if `allowed` holds none.
        let kept = truncate::prefix(rest, allowed, count).len().max(first.len_utf8());
        let gap = rest[kept..].len() - rest[kept..].trim_start().len();
        let (part, after) = rest.split_at(kept + gap);
        parts.push(part);
        rest = after;
    }
    parts
}

/// The parts to read, each with its number from 1, in the order of the text: all of them, or the [`MAX_PARTS`] most relevant to
/// `query`.
#[must_use]
pub fn worth_reading(parts: Vec<&str>, query: &str) -> Vec<(u32, String)> {
    let mut chosen: Vec<usize> = (0..parts.len()).collect();
    if parts.len() > MAX_PARTS {
        let held = parts.iter().map(|part| TermHoldings::new(&CanonicalText::from_plain(part), query));
        let scores = relevances(query, &held.collect::<Vec<_>>());
        chosen.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
        chosen.truncate(MAX_PARTS);
        chosen.sort_unstable();
    }
    let number = |place: usize| u32::try_from(place + 1).unwrap_or(u32::MAX);
    chosen.into_iter().map(|place| (number(place), parts[place].to_owned())).collect()
}

/// Tokens to request for the summary of each of `parts` parts, so that together they have at most `allowed` tokens.
#[must_use]
pub fn part_target(parts: usize, allowed: u64, target_tokens: u64) -> u64 {
    let share = allowed / (parts as u64).max(1);
    share.min(target_tokens.max(MIN_PART_SUMMARY)).max(MIN_PART_SUMMARY)
}

/// Joins summaries of parts into one text, in order.
#[must_use]
pub fn join(summaries: &[Summary]) -> String {
    let prose = |s: &Summary| std::iter::once(&s.summary).chain(&s.key_points).cloned().collect::<Vec<_>>().join("\n");
    summaries.iter().map(prose).collect::<Vec<_>>().join("\n\n")
}

/// Tokens of prose and key points together.
#[must_use]
pub fn summary_tokens(summary: &Summary, count: Count<'_>) -> u64 {
    count(&summary.summary) + summary.key_points.iter().map(|point| count(point)).sum::<u64>()
}

/// `summary` within `target_tokens`: key points are dropped from the last one on, then the prose is cut, but to no less than one word.
#[must_use]
pub fn shorten(mut summary: Summary, target_tokens: u64, count: Count<'_>) -> Summary {
    while !summary.key_points.is_empty() && summary_tokens(&summary, count) > target_tokens {
        summary.key_points.pop();
    }
    let cut = truncate::prefix(&summary.summary, target_tokens, count);
    if !cut.is_empty() {
        summary.summary = cut.to_owned();
    }
    summary
}

#[cfg(test)]
mod tests {
    use precis_text::tokens::Tokenizer;

    use super::*;

    fn count(text: &str) -> u64 {
        Tokenizer::O200k.count(text)
    }

    #[test]
    fn parts_join_to_the_whole_and_each_fits() {
        let paragraphs = "First paragraph ends here.\n\nThe second begins after a break. ".repeat(60);
        let texts = [
            paragraphs.as_str(),
            "one line\n\n\n\nand another",
            &"予算を超える要求は送られない。".repeat(300),
            &" ".repeat(5_000),
            &"x9".repeat(2_000),
            "🧑‍🚀",
            " leading and trailing \n",
            "",
        ];
        for text in texts {
            for allowed in [1, 20, 64, 500, 100_000] {
                let parts = parts(text, allowed, &count);
                assert_eq!(parts.concat(), text, "{allowed}");
                assert!(parts.iter().all(|part| !part.is_empty()));
                let fits = |part: &&str| count(part.trim()) <= allowed || part.trim().chars().count() <= 1;
                assert!(parts.iter().all(fits), "{allowed}");
            }
        }
    }

    #[test]
    fn a_paragraph_break_inside_a_part_loses_nothing() {
        let text = "Alpha holds.\n\nBeta does not.\n\nGamma might.";
        assert_eq!(parts(text, 1_000, &count), [text]);
        let words: Vec<&str> = text.split_whitespace().collect();
        let cut = parts(text, 5, &count);
        assert!(cut.len() > 1);
        assert_eq!(cut.iter().flat_map(|part| part.split_whitespace()).collect::<Vec<_>>(), words);
    }

    #[test]
    fn relevant_parts_of_a_very_long_text_are_read_in_order() {
        let all: Vec<String> =
            (0..100).map(|n| if n % 10 == 0 { format!("glacier {n}") } else { format!("sand {n}") }).collect();
        let read = worth_reading(all.iter().map(String::as_str).collect(), "Which glacier?");
        assert_eq!(read.len(), MAX_PARTS);
        assert_eq!(read.iter().filter(|(_, part)| part.contains("glacier")).count(), 10);
        assert!(read.is_sorted());
        assert!(read.iter().all(|(n, part)| all[*n as usize - 1] == *part), "each has its own number");
    }

    #[test]
    fn summaries_of_parts_together_fit_the_next_call() {
        for (parts, allowed, target, expected) in
            [(4, 2_000, 400, 400), (10, 2_000, 400, 200), (32, 1_000, 400, 48), (2, 2_000, 10, 48), (0, 100, 200, 100)]
        {
            assert_eq!(part_target(parts, allowed, target), expected, "{parts} {allowed} {target}");
        }
    }

    #[test]
    fn a_long_summary_loses_points_then_its_end_never_all() {
        let long = || Summary {
            summary: "One result holds. Another does not. ".repeat(20),
            key_points: vec!["a point".to_owned(), "another point".to_owned()],
        };
        for target in [1, 3, 40, 200, 100_000] {
            let short = shorten(long(), target, &count);
            assert!(!short.summary.is_empty());
            assert!(summary_tokens(&short, &count) <= target, "{target}: {short:?}");
        }
        assert_eq!(shorten(long(), 100_000, &count).key_points.len(), 2);
        assert!(!shorten(long(), 0, &count).summary.is_empty());
    }
}
