//! Groups short texts that are summarized together in one call.
//!
//! Besides the text, a call costs its rules, its answer format and a request. For a long text that is little; for short ones it is a
//! large share, and servers limit the number of requests.

use precis_proto::fidelity::FidelityLevel;

use crate::reduction::holds_prose;

/// Most tokens of a short text. Chosen, not measured: three times the overhead of a call.
pub const SHORT_TEXT_TOKENS: u64 = 1_500;
/// Most texts shortened by one call. Chosen, not measured: a model given many texts forgets some.
pub const TEXTS_TOGETHER: usize = 6;

/// A text to summarize.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextToSummarize {
    /// The level requested.
    pub level: FidelityLevel,
    /// Its tokens.
    pub tokens: u64,
    /// Most tokens of it that may be carried.
    pub target_tokens: u64,
}

/// Groups of two to [`TEXTS_TOGETHER`] of `texts`, as indices. All texts of a group are short, have the same level and are long enough
/// for prose. Indices ascend within a group, groups by their first index.
#[must_use]
pub fn groups(texts: &[TextToSummarize]) -> Vec<Vec<usize>> {
    let is_short = |text: &TextToSummarize| text.tokens <= SHORT_TEXT_TOKENS && holds_prose(text.target_tokens);
    let mut levels: Vec<FidelityLevel> = texts.iter().map(|text| text.level).collect();
    levels.sort_unstable();
    levels.dedup();
    let of = |level: FidelityLevel| {
        let own = (0..texts.len()).filter(|at| texts[*at].level == level && is_short(&texts[*at]));
        own.collect::<Vec<usize>>()
    };
    let mut groups: Vec<Vec<usize>> = levels
        .into_iter()
        .flat_map(|level| of(level).chunks(TEXTS_TOGETHER).map(<[usize]>::to_vec).collect::<Vec<_>>())
        .collect();
    groups.retain(|group| group.len() > 1);
    groups.sort_unstable();
    groups
}

#[cfg(test)]
mod tests {
    use FidelityLevel::{Condensed, KeyPoints};

    use super::*;

    #[test]
    fn short_texts_of_one_level_are_read_together_and_no_others() {
        let text = |level, tokens, target_tokens| TextToSummarize { level, tokens, target_tokens };
        let short = text(Condensed, SHORT_TEXT_TOKENS, 480);
        for (texts, expected) in [
            (vec![], vec![]),
            (vec![short], vec![]),
            (vec![short, short], vec![vec![0, 1]]),
            (vec![short, text(Condensed, SHORT_TEXT_TOKENS + 1, 480), short], vec![vec![0, 2]]),
            (vec![short, text(Condensed, 900, 479), short], vec![vec![0, 2]]),
            (vec![short, text(KeyPoints, 900, 480), short], vec![vec![0, 2]]),
            ([short, text(KeyPoints, 900, 480)].repeat(2), vec![vec![0, 2], vec![1, 3]]),
            (vec![short; TEXTS_TOGETHER], vec![(0..TEXTS_TOGETHER).collect()]),
            (vec![short; TEXTS_TOGETHER + 1], vec![(0..TEXTS_TOGETHER).collect()]),
            (vec![short; TEXTS_TOGETHER + 2], vec![(0..TEXTS_TOGETHER).collect(), vec![6, 7]]),
        ] {
            assert_eq!(groups(&texts), expected, "{texts:?}");
        }
    }
}
