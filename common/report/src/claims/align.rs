//! Aligns the words of a statement with those of its quotes: the heaviest common subsequence, with a preference for runs. A global
//! alignment by dynamic programming whose gaps are free (Needleman and Wunsch, 1970); a second table holds the best score that ends in a
//! match, as Gotoh's (1982) holds the best that ends in a gap.

use super::wording::Word;

/// Weight of a matched content word, and of any other word.
const CONTENT: f32 = 2.0;
const FUNCTION: f32 = 0.5;
/// Factor if the two are different forms of one word.
const FORM: f32 = 0.6;
/// Bonus if the preceding words match too.
const RUN: f32 = 0.4;

/// Pairs of positions, ascending in both.
pub(super) type PositionPairs = Vec<(usize, usize)>;

/// Aligns `said` with `given`. The last word of `said` may be a truncated word of `given`. Time and memory are the product of both lengths.
pub(super) fn align(said: &[Word], given: &[&Word]) -> PositionPairs {
    let (rows, columns) = (said.len() + 1, given.len() + 1);
    // Best score of two prefixes, and best score if their last words match.
    let mut best = vec![0.0_f32; rows * columns];
    let mut run = vec![f32::NEG_INFINITY; rows * columns];
    for i in 1..rows {
        for j in 1..columns {
            let at = i * columns + j;
            let worth = worth(&said[i - 1], given[j - 1], i == rows - 1);
            let before = at - columns - 1;
            if worth > 0.0 {
                run[at] = worth + best[before].max(run[before] + RUN);
            }
            best[at] = run[at].max(best[at - columns]).max(best[at - 1]);
        }
    }
    // Back from the end. Whether a match was reached by a run is decided where it is left: the score of the pair before, with its bonus,
    // must have been the better one.
    let mut pairs = Vec::new();
    let (mut i, mut j) = (rows - 1, columns - 1);
    let mut in_run = false;
    while i > 0 && j > 0 {
        let at = i * columns + j;
        if in_run || run[at] >= best[at] {
            pairs.push((i - 1, j - 1));
            let before = at - columns - 1;
            in_run = run[before] + RUN > best[before];
            (i, j) = (i - 1, j - 1);
        } else if best[at - columns] >= best[at] {
            i -= 1;
        } else {
            j -= 1;
        }
    }
    pairs.reverse();
    debug_assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1), "both ascend");
    pairs
}

fn worth(said: &Word, given: &Word, is_last: bool) -> f32 {
    // A negation weighs as little as a function word, so that the words it negates decide its alignment and not the reverse.
    let full = if said.is_content || said.is_number() { CONTENT } else { FUNCTION };
    if said.equals(given) || (is_last && said.is_cut_of(given)) {
        full
    } else if said.resembles(given) {
        full * FORM
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::wording::words;
    use super::*;

    fn aligned(said: &str, given: &str) -> String {
        let (said, given) = (words(said), words(given));
        align(&said, &given.iter().collect::<Vec<_>>())
            .iter()
            .map(|(i, j)| format!("{}={} ", said[*i].key, given[*j].key))
            .collect()
    }

    #[test]
    fn words_are_paired_in_order_and_runs_stay_together() {
        for (said, given, want) in [
            ("a cat sat", "the cat sat down", "cat=cat sat=sat "),
            ("the fee is 5", "the price of the fee is 5", "the=the fee=fee is=is 5=5 "),
            ("fees rise", "the fee rises", "fees=fee rise=rises "),
            ("it is in propor", "it is in proportion", "it=it is=is in=in propor=proportion "),
            ("", "a", ""),
            ("a", "", ""),
        ] {
            assert_eq!(aligned(said, given), want, "{said} / {given}");
        }
    }
}
