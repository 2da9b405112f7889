//! Document numbers: one for each document of a session, the same in every turn, round and report.
//!
//! Researchers of a round work in parallel, so each assigns numbers from its own block. If two numbered the same document, the number of
//! the earlier directive counts, and what the other researcher recorded is rewritten.

use std::collections::BTreeMap;

use precis_proto::research::{AssignmentResult, NumberBlock};

/// The numbers that directive `n` of `directives` in lane `lane` of `lanes` may assign, if the lane has used numbers up to `highest`.
/// Lanes never share a number, so that the numbers in one lane reveal nothing of a private one.
///
/// ```
/// use precis_research::number_block;
///
/// let block = number_block((0, 2), 0, (1, 3));
/// assert_eq!((block.first, block.step), (3, 6));
/// ```
#[must_use]
pub fn number_block((lane, lanes): (usize, usize), highest: u32, (n, directives): (usize, usize)) -> NumberBlock {
    let (lanes, directives) = (lanes.max(1) as u32, directives.max(1) as u32);
    let begun = highest.div_ceil(lanes);
    NumberBlock { first: lane as u32 + 1 + lanes * (begun + n as u32), step: lanes * directives }
}

/// A result whose numbers were replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renumbered {
    /// Index of the result.
    pub place: usize,
    /// For each number that the researcher assigned, the number that counts.
    pub numbers: BTreeMap<u32, u32>,
}

/// Settles one number for each document in the results of a round: documents in `known` keep theirs, then the first directive decides.
/// `blocks` are the blocks of the results, in the same order. Returns the results that had used other numbers; their summaries are
/// rewritten in place.
pub fn settle_numbers(
    known: &BTreeMap<String, u32>,
    blocks: &[NumberBlock],
    results: &mut [AssignmentResult],
) -> Vec<Renumbered> {
    let mut settled = known.clone();
    let mut renumbered = Vec::new();
    for (place, (result, block)) in results.iter_mut().zip(blocks).enumerate() {
        let mut numbers = BTreeMap::new();
        for (document, given) in &result.numbers {
            let number = *settled.entry(document.clone()).or_insert(*given);
            if number != *given {
                numbers.insert(*given, number);
            }
        }
        // Hits that were never shown to the researcher get a number too, after its last own one.
        let is_own = |number: &&u32| **number >= block.first && (**number - block.first).is_multiple_of(block.step);
        let mut next = result.numbers.values().filter(is_own).max().map_or(block.first, |last| last + block.step);
        let documents: Vec<&String> = result.made.iter().flat_map(|made| &made.hits).map(|hit| &hit.document).collect();
        let mut own = BTreeMap::new();
        for document in documents {
            let number = *settled.entry(document.clone()).or_insert_with(|| {
                next += block.step;
                next - block.step
            });
            own.insert(document.clone(), number);
        }
        result.numbers = own;
        if !numbers.is_empty() {
            result.summary = rewritten(&result.summary, &numbers);
            result.thoughts.iter_mut().for_each(|thought| *thought = rewritten(thought, &numbers));
            rewrite_window(result, &numbers);
            renumbered.push(Renumbered { place, numbers });
        }
    }
    renumbered
}

/// Rewrites the numbers of documents about which messages were dropped.
fn rewrite_window(result: &mut AssignmentResult, numbers: &BTreeMap<u32, u32>) {
    let dropped = result.dropped_messages.iter_mut().flat_map(|message| &mut message.sources);
    let notes = result.notes_fidelity.iter_mut().map(|notes| &mut notes.n);
    for number in dropped.chain(notes) {
        *number = *numbers.get(number).unwrap_or(number);
    }
    result.dropped_messages.iter_mut().for_each(|message| message.sources.sort_unstable());
    result.notes_fidelity.sort_by_key(|notes| notes.n);
}

/// `text` with each `[n]` replaced by the number that `numbers` maps `n` to; other text is unchanged.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use precis_research::rewritten;
///
/// let numbers = BTreeMap::from([(7, 2)]);
/// assert_eq!(rewritten("Both [7] and [3] agree.", &numbers), "Both [2] and [3] agree.");
/// ```
#[must_use]
pub fn rewritten(text: &str, numbers: &BTreeMap<u32, u32>) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('[') {
        written.push_str(before);
        written.push('[');
        let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, after) = behind.split_at(digits);
        let other = number.parse().ok().filter(|_| after.starts_with(']')).and_then(|n: u32| numbers.get(&n));
        match other {
            Some(other) => written.push_str(&other.to_string()),
            None => written.push_str(number),
        }
        rest = after;
    }
    written + rest
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    fn given(block: NumberBlock, many: u32) -> Vec<u32> {
        (0..many).map(|n| block.first + n * block.step).collect()
    }

    #[test]
    fn numbers_of_lanes_rounds_and_directives_never_meet() {
        assert_eq!(given(number_block((0, 1), 0, (0, 1)), 3), [1, 2, 3]);
        for lanes in 1..=3 {
            let mut all: BTreeSet<u32> = BTreeSet::new();
            let mut count = 0;
            let mut highest = vec![0; lanes];
            for (round, directives) in [1, 3, 5, 2].into_iter().enumerate() {
                for (lane, highest) in highest.iter_mut().enumerate() {
                    let before = *highest;
                    for n in 0..directives {
                        let numbers = given(
                            number_block((lane, lanes), before, (n, directives)),
                            4 + (n as u32 + round as u32) % 3,
                        );
                        count += numbers.len();
                        *highest = numbers.iter().copied().max().unwrap_or(0).max(*highest);
                        all.extend(numbers);
                    }
                }
            }
            assert_eq!(all.len(), count, "{lanes} lanes");
            assert!(all.contains(&1) && !all.contains(&0));
        }
    }

    fn result(numbers: serde_json::Value, hits: &[&str], summary: &str) -> AssignmentResult {
        let hit = |document: &&str| {
            json!({
                "document": document, "title": "", "headings": [], "range": { "start": 0, "end": 1 }, "text": "t", "score": 1.0,
                "source_text_hash": "",
            })
        };
        let hits: Vec<_> = hits.iter().map(hit).collect();
        let made = json!([{ "text": "q", "provider": "corpus", "served": "paid", "hits": hits }]);
        let dropped = json!([{ "n": 2, "role": "result", "why": "window", "sources": [3, 5] }]);
        let notes = json!([{ "n": 3, "level": "headline", "tokens_before": 9, "tokens_after": 1 }]);
        let result = json!({
            "made": made, "numbers": numbers, "summary": summary, "dropped_messages": dropped, "notes_fidelity": notes,
        });
        serde_json::from_value(result).expect("a result")
    }

    #[test]
    fn the_first_directive_decides_and_what_others_said_is_rewritten() {
        let known = BTreeMap::from([("old.md".to_owned(), 1)]);
        let blocks = [NumberBlock { first: 2, step: 2 }, NumberBlock { first: 3, step: 2 }];
        let mut results = [
            result(json!({ "old.md": 1, "a.md": 2 }), &["old.md", "a.md", "c.md"], "In [2], not [3]."),
            result(json!({ "a.md": 3, "b.md": 5 }), &["a.md", "b.md"], "In [3], [5] and [33]; [3 or 3]"),
        ];
        let renumbered = settle_numbers(&known, &blocks, &mut results);
        assert_eq!(renumbered, [Renumbered { place: 1, numbers: BTreeMap::from([(3, 2)]) }]);
        assert_eq!(results[0].summary, "In [2], not [3].");
        assert_eq!(results[1].summary, "In [2], [5] and [33]; [3 or 3]");
        // What was dropped from a window is told by the same numbers.
        let dropped = |at: usize| (&results[at].dropped_messages[0].sources[..], results[at].notes_fidelity[0].n);
        assert_eq!([dropped(0), dropped(1)], [(&[3, 5][..], 3), (&[2, 5], 2)]);
        let numbers = |at: usize| results[at].numbers.iter().map(|(d, n)| (d.as_str(), *n)).collect::<Vec<_>>();
        assert_eq!(numbers(0), [("a.md", 2), ("c.md", 4), ("old.md", 1)]);
        assert_eq!(numbers(1), [("a.md", 2), ("b.md", 5)]);
    }
}
