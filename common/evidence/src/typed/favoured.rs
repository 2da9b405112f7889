//! Passages that hold the figure or the date that is asked for come before others that share as many words with the question: where only
//! some of a text can be shown, they are what a writer needs.

use precis_proto::finding::Passage;

use super::wanted::Wanted;
use crate::question::asked::Question;

/// Factor for the score of a passage that holds what is wanted. Chosen: it outweighs a word more that another passage shares with the
/// question, and not what a passage about something else is worth.
const HELD: f64 = 1.5;

/// Raises the scores of those of `passages` that hold the figure or the date that `query` wants; does nothing for other questions, and
/// nothing to a passage that scores 0.
pub fn favour_wanted(query: &str, passages: &mut [Passage]) {
    let wanted = Wanted::of(query);
    if !matches!(wanted, Wanted::Figure | Wanted::Time) {
        return;
    }
    let question = Question::new(query);
    for passage in passages.iter_mut().filter(|passage| passage.score > 0.0) {
        let above: Vec<&str> = passage.headings.iter().map(String::as_str).collect();
        if wanted.is_held(&question, &passage.text, &above) == Some(true) {
            passage.score *= HELD;
        }
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::{BlockKind, SourceId};
    use precis_text::{CanonicalText, Leaf};

    use super::*;
    use crate::passage::whole_blocks;
    use crate::ranking::{Ranker, rank};

    fn passages(query: &str, texts: &[&str]) -> Vec<Passage> {
        let leaves = texts.iter().enumerate().flat_map(|(n, text)| {
            let heading =
                Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, format!("Part {}", ["Alpha", "Beta"][n])) };
            [heading, Leaf::new(BlockKind::Paragraph, *text)]
        });
        let text = CanonicalText::from_leaves(&leaves.collect::<Vec<_>>());
        let ranked = rank(&text, query, Ranker::default(), 400, 9);
        whole_blocks(&SourceId::new("s").expect("an id"), &text, &ranked)
    }

    fn gains(query: &str, texts: &[&str]) -> Vec<bool> {
        let before = passages(query, texts);
        let mut after = before.clone();
        favour_wanted(query, &mut after);
        before.iter().zip(&after).map(|(before, after)| after.score > before.score).collect()
    }

    #[test]
    fn a_passage_with_the_wanted_figure_or_date_gains() {
        let figure = ["The ferry carried 310 cars to the island.", "The ferry carried cars to many an island."];
        assert_eq!(gains("How many cars did the ferry carry?", &figure), [true, false]);
        let date = ["The ferry carried cars to the island.", "The ferry began to carry cars in March 2019."];
        assert_eq!(gains("When did the ferry carry cars?", &date), [false, true]);
        assert_eq!(gains("Why did the ferry carry cars?", &date), [false, false]);
    }

    #[test]
    fn a_passage_that_shares_nothing_with_the_question_gains_nothing() {
        let mut shown = passages("How many cars are there?", &["It held 310 people."]);
        favour_wanted("How many cars are there?", &mut shown);
        assert!(shown.iter().all(|passage| passage.score <= 0.0), "{shown:?}");
    }
}
