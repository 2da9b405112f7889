//! The levels a source can be carried at, what each costs and what it is worth.

use precis_proto::fidelity::FidelityLevel;

use super::item::{Fate, Item};

/// A share smaller than this cannot hold a passage; the source is dropped instead.
pub const MIN_SHARE_TOKENS: u64 = 24;

/// The levels between nothing and everything: the share of the tokens each takes (seed figures: about 10, 25 and 50 %), and the
/// share of a source's importance it keeps (chosen, not measured: the first words of a source say most).
const LEVELS: [(FidelityLevel, u64, f64); 3] =
    [(FidelityLevel::Headline, 10, 0.40), (FidelityLevel::KeyPoints, 25, 0.65), (FidelityLevel::Condensed, 50, 0.85)];
/// Importance kept by a cut as long as a headline: less than what somebody chose. Chosen, not measured.
const CUT_WORTH: f64 = 0.25;
/// Importance of a source that has none: it is still worth carrying where nothing else wants the tokens.
const LEAST_IMPORTANCE: f64 = 0.01;

/// One way to carry a source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rung {
    pub(super) fate: Fate,
    pub(super) tokens: u64,
    pub(super) worth: f64,
}

impl Rung {
    /// The level a source has on this rung; a digest that is kept counts as whole.
    pub(super) fn level(&self) -> FidelityLevel {
        match self.fate {
            Fate::Keep => FidelityLevel::Raw,
            Fate::Reduce { level, .. } => level,
            Fate::Drop => FidelityLevel::Dropped,
        }
    }
}

/// The ways to carry a source, dearer ones later, and the lowest it may stand on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ladder {
    /// Never empty; strictly dearer from rung to rung.
    pub(super) rungs: Vec<Rung>,
    /// Index of the lowest rung allowed.
    pub(super) floor: usize,
}

impl Ladder {
    /// All ways to carry `item`, down to leaving it out. A level that would cost as much as the one above it is none.
    pub(super) fn new(item: &Item) -> Self {
        let importance = importance(item);
        let whole = Rung { fate: Fate::Keep, tokens: item.tokens, worth: importance };
        if item.tokens == 0 {
            return Self { rungs: vec![whole], floor: 0 };
        }
        let mut rungs = vec![Rung { fate: Fate::Drop, tokens: 0, worth: 0.0 }];
        for (level, percent, kept) in LEVELS.into_iter().filter(|_| !item.is_digest) {
            let tokens = share(item.tokens, percent);
            let rung = Rung { fate: Fate::Reduce { level, tokens }, tokens, worth: importance * kept };
            if rungs.last().is_some_and(|below| below.tokens == tokens) {
                rungs.pop();
            }
            if tokens < item.tokens {
                rungs.push(rung);
            }
        }
        rungs.push(whole);
        Self { rungs, floor: 0 }
    }

    /// The lowest rung that keeps at least `level`.
    pub(super) fn rung_of(&self, level: FidelityLevel) -> usize {
        self.rungs.iter().position(|rung| rung.level() <= level).unwrap_or(self.rungs.len() - 1)
    }

    /// Tokens of the lowest rung allowed.
    pub(super) fn floor_tokens(&self) -> u64 {
        self.rungs[self.floor].tokens
    }

    /// Lets the source stand on a cut of `tokens`, which is lower than any rung but leaving it out.
    pub(super) fn allow_cut(&mut self, item: &Item, tokens: u64) {
        let whole = self.rungs[self.rungs.len() - 1].tokens.max(1);
        let length = (tokens as f64 * 10.0 / whole as f64).min(1.0);
        let fate = Fate::Reduce { level: FidelityLevel::Truncated, tokens };
        let rung = Rung { fate, tokens, worth: importance(item) * CUT_WORTH * length };
        self.rungs.retain(|other| other.tokens != tokens);
        let place = self.rungs.partition_point(|other| other.tokens < tokens);
        self.rungs.insert(place, rung);
        self.floor = place;
    }
}

/// Importance as a weight: at least [`LEAST_IMPORTANCE`], at most 1.
fn importance(item: &Item) -> f64 {
    if item.priority.is_nan() { LEAST_IMPORTANCE } else { item.priority.clamp(LEAST_IMPORTANCE, 1.0) }
}

fn share(tokens: u64, percent: u64) -> u64 {
    let part = u128::from(tokens) * u128::from(percent) / 100;
    u64::try_from(part).unwrap_or(u64::MAX).max(MIN_SHARE_TOKENS).min(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;
    use precis_proto::SourceId;

    fn item(tokens: u64, is_digest: bool) -> Item {
        let source_id = SourceId::new("s").expect("an id");
        Item { source_id, tokens, priority: 0.5, protected: false, is_digest }
    }

    #[test]
    fn a_ladder_has_the_levels_that_make_a_difference() {
        let costs =
            |tokens, digest| Ladder::new(&item(tokens, digest)).rungs.iter().map(|r| r.tokens).collect::<Vec<_>>();
        assert_eq!(costs(1_000, false), [0, 100, 250, 500, 1_000]);
        assert_eq!(costs(80, false), [0, 24, 40, 80], "headline and key points cost the same: key points");
        assert_eq!(costs(20, false), [0, 20]);
        assert_eq!(costs(1_000, true), [0, 1_000]);
        assert_eq!(costs(0, false), [0]);
        assert!(costs(u64::MAX, false).is_sorted());
    }

    #[test]
    fn every_rung_is_worth_more_than_the_one_below() {
        for tokens in [1, 24, 25, 60, 100, 5_000] {
            let mut ladder = Ladder::new(&item(tokens, false));
            ladder.allow_cut(&item(tokens, false), 1);
            assert!(ladder.rungs.is_sorted_by(|a, b| a.tokens < b.tokens), "{tokens}");
            assert!(ladder.rungs.is_sorted_by(|a, b| a.worth <= b.worth), "{tokens}");
        }
    }
}
