//! Which passages of a task are compared with the question unit by unit, since not all can be.

use std::collections::BTreeSet;

use precis_proto::task::CompressTask;

use super::compress::compress;

/// Most passages of a session that are compared unit by unit. Chosen: about as many as a report quotes, twice.
pub const MOST_READ_CLOSELY: usize = 16;

/// The places of at most `most` passages of `task`: by turns the one that is next to be quoted and the one that is nearest by meaning, so
/// that neither a question in the document's words nor one in other words depends on the other.
#[must_use]
pub fn read_closely(task: &CompressTask, most: usize) -> BTreeSet<usize> {
    let wider = CompressTask { max_findings: most.saturating_mul(4), ..task.clone() };
    let place = |id: &u32| usize::try_from(*id).ok()?.checked_sub(1).filter(|at| *at < task.passages.len());
    let quoted: Vec<usize> =
        compress(&wider).findings.iter().flat_map(|draft| &draft.passages).filter_map(place).collect();
    let whole = |at: usize| task.passages[at].similarity.whole;
    let mut nearest: Vec<usize> = (0..task.passages.len()).filter(|at| whole(*at).is_some()).collect();
    nearest.sort_by(|a, b| whole(*b).unwrap_or_default().total_cmp(&whole(*a).unwrap_or_default()));
    let mut lists = [quoted.into_iter(), nearest.into_iter()];
    let mut chosen = BTreeSet::new();
    loop {
        let before = chosen.len();
        for list in &mut lists {
            if chosen.len() < most {
                chosen.extend(list.find(|at| !chosen.contains(at)));
            }
        }
        if chosen.len() == before {
            return chosen;
        }
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::finding::Unit;
    use precis_proto::task::{PassageSimilarity, TaskPassage};
    use precis_proto::{BlockKind, CharRange};

    use super::*;

    fn task(passages: &[(&str, Option<f64>)]) -> CompressTask {
        let passage = |((text, whole), id): (&(&str, Option<f64>), u32)| TaskPassage {
            id,
            title: String::new(),
            path: String::new(),
            source: id,
            text: (*text).to_owned(),
            score: 0.5,
            units: vec![Unit::new(CharRange::new(0, text.chars().count()), 0, BlockKind::Paragraph)],
            headings: Vec::new(),
            columns: String::new(),
            context: Vec::new(),
            similarity: PassageSimilarity { whole: *whole, units: Vec::new() },
        };
        CompressTask {
            query: "When was the dam built?".to_owned(),
            topic: String::new(),
            passages: passages.iter().zip(1..).map(passage).collect(),
            notes: Vec::new(),
            max_findings: 1,
            known: Default::default(),
        }
    }

    #[test]
    fn what_words_find_and_what_meaning_finds_are_read_by_turns() {
        let task = task(&[
            ("The sea is wide.", Some(0.80)),
            ("The dam was built in 1950.", Some(0.82)),
            ("The wall went up long ago.", Some(0.90)),
            ("The dam is old.", None),
        ]);
        let of = |most| read_closely(&task, most).into_iter().collect::<Vec<_>>();
        assert_eq!(of(0), [0; 0]);
        assert_eq!(of(1), [1], "what would be quoted comes first");
        assert_eq!(of(2), [1, 2]);
        assert_eq!(of(3), [1, 2, 3]);
        assert_eq!(of(9), [0, 1, 2, 3]);
    }

    #[test]
    fn without_a_word_in_common_the_nearest_are_read() {
        let task = task(&[("The sea is wide.", Some(0.80)), ("Rain fell.", None), ("The wall stood.", Some(0.90))]);
        assert_eq!(read_closely(&task, 1).into_iter().collect::<Vec<_>>(), [2]);
    }
}
