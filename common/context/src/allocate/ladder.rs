//! The levels at which a source can be carried, with the tokens each takes.

use precis_proto::fidelity::FidelityLevel;

use super::item::{AllocationItem, Fate};

/// Smallest share that can hold a passage; with less, the source is dropped instead.
pub const MIN_SHARE_TOKENS: u64 = 24;

/// The levels between a cut and the whole text, and the percentage of tokens each takes (seed figures: about 10, 25 and 50 %).
const LEVELS: [(FidelityLevel, u64); 3] =
    [(FidelityLevel::Headline, 10), (FidelityLevel::KeyPoints, 25), (FidelityLevel::Condensed, 50)];

/// One way to carry a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rung {
    pub(super) fate: Fate,
    pub(super) tokens: u64,
    /// The level in whose turn this rung is reached: that of its fate, except for a source whose passages are enough.
    turn: FidelityLevel,
}

impl Rung {
    /// A rung that is reached in the turn of its own level.
    pub(super) fn new(fate: Fate, tokens: u64) -> Self {
        Self { fate, tokens, turn: level(fate) }
    }

    /// A cut to `tokens` tokens.
    pub(super) fn cut(tokens: u64) -> Self {
        Self::new(Fate::Reduce { level: FidelityLevel::Truncated, tokens }, tokens)
    }

    /// The level of a source on this rung; a digest that is kept counts as whole.
    pub(super) fn level(&self) -> FidelityLevel {
        level(self.fate)
    }

    fn in_turn_of(self, turn: FidelityLevel) -> Self {
        Self { turn, ..self }
    }
}

fn level(fate: Fate) -> FidelityLevel {
    match fate {
        Fate::Keep => FidelityLevel::Raw,
        Fate::Reduce { level, .. } => level,
        Fate::Drop => FidelityLevel::Dropped,
    }
}

/// The ways to carry a source, in order of cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ladder {
    /// Never empty; the cost rises strictly from rung to rung.
    pub(super) rungs: Vec<Rung>,
}

impl Ladder {
    /// All ways to carry `item`, from dropping it upwards. Of levels with the same cost only the highest is kept; levels that would cost
    /// more than the current form are left out.
    pub(super) fn new(item: &AllocationItem) -> Self {
        let whole = Rung::new(Fate::Keep, item.tokens);
        if item.tokens == 0 {
            return Self { rungs: vec![whole] };
        }
        let mut ladder = Self { rungs: vec![Rung::new(Fate::Drop, 0)] };
        ladder.insert(Rung::cut(MIN_SHARE_TOKENS.min(item.tokens)));
        for (level, percent) in LEVELS {
            let tokens = share(item.whole_tokens.max(item.tokens), percent);
            if tokens < item.tokens {
                ladder.insert(Rung::new(Fate::Reduce { level, tokens }, tokens));
            }
        }
        ladder.insert(whole);
        ladder
    }

    /// The ways to carry `item` as passages of at most `most` tokens without prose: a few tokens while others get a headline, all of `most`
    /// when others are carried whole.
    pub(super) fn of_passages(item: &AllocationItem, most: u64) -> Self {
        let [(_, headline), ..] = LEVELS;
        let turns = [
            (FidelityLevel::Truncated, MIN_SHARE_TOKENS),
            (FidelityLevel::Headline, share(item.tokens, headline)),
            (FidelityLevel::Raw, most),
        ];
        let mut ladder = Self { rungs: vec![Rung::new(Fate::Drop, 0)] };
        for (turn, tokens) in turns {
            ladder.insert(Rung::cut(tokens.min(most).min(item.tokens)).in_turn_of(turn));
        }
        ladder
    }

    /// Adds a rung and removes any other rung with the same cost.
    pub(super) fn insert(&mut self, rung: Rung) {
        self.rungs.retain(|other| other.tokens != rung.tokens);
        let place = self.rungs.partition_point(|other| other.tokens < rung.tokens);
        self.rungs.insert(place, rung);
    }

    /// Index of the lowest rung whose turn is `level` or better; the highest rung if there is none.
    pub(super) fn rung_of(&self, level: FidelityLevel) -> usize {
        self.rungs.iter().position(|rung| rung.turn <= level).unwrap_or(self.rungs.len() - 1)
    }
}

fn share(tokens: u64, percent: u64) -> u64 {
    // In 128 bits, because the product may not fit into 64.
    let part = u128::from(tokens) * u128::from(percent) / 100;
    u64::try_from(part).unwrap_or(u64::MAX).max(MIN_SHARE_TOKENS).min(tokens)
}

#[cfg(test)]
mod tests {
    use precis_proto::SourceId;
    use precis_proto::source::Quality;

    use super::*;

    fn item(tokens: u64) -> AllocationItem {
        let source_id = SourceId::new("s").expect("an id");
        AllocationItem {
            source_id,
            found_at: None,
            tokens,
            priority: 0.5,
            quality: Quality::Medium,
            protected: false,
            whole_tokens: tokens,
            relevance: None,
        }
    }

    #[test]
    fn a_ladder_has_the_levels_that_make_a_difference() {
        let costs = |tokens| Ladder::new(&item(tokens)).rungs.iter().map(|r| r.tokens).collect::<Vec<_>>();
        assert_eq!(costs(1_000), [0, 24, 100, 250, 500, 1_000]);
        assert_eq!(costs(80), [0, 24, 40, 80], "a cut, headline and key points cost the same: key points");
        assert_eq!(costs(24), [0, 24]);
        assert_eq!(costs(20), [0, 20]);
        assert_eq!(costs(0), [0]);
        assert!(costs(u64::MAX).is_sorted());
    }

    #[test]
    fn a_digest_shrinks_to_shares_of_its_text_not_itself() {
        let costs = |whole_tokens| {
            let ladder = Ladder::new(&AllocationItem { whole_tokens, ..item(600) });
            ladder.rungs.iter().map(|r| r.tokens).collect::<Vec<_>>()
        };
        assert_eq!(costs(600), [0, 24, 60, 150, 300, 600]);
        assert_eq!(costs(1_198), [0, 24, 119, 299, 599, 600]);
        assert_eq!(costs(1_200), [0, 24, 120, 300, 600], "half of the text is no less than the digest");
        assert_eq!(costs(2_400), [0, 24, 240, 600]);
        assert_eq!(costs(6_000), [0, 24, 600]);
        assert_eq!(costs(0), costs(600), "a source is at least as long as what is carried of it");
        let digest = Ladder::new(&AllocationItem { whole_tokens: 2_400, ..item(600) });
        assert_eq!(digest.rung_of(FidelityLevel::Condensed), 3, "carried as it is, it counts as whole");
    }

    #[test]
    fn a_passage_ladder_waits_for_whole_sources_to_yield() {
        use FidelityLevel::{Condensed, Headline, Raw, Truncated};
        for (tokens, costs, turns) in [
            (1_000, vec![0, 24, 100, 320], [1, 2, 3, 3]),
            (3_000, vec![0, 24, 300, 320], [1, 2, 3, 3]),
            (6_000, vec![0, 24, 320], [1, 2, 2, 2]),
            (330, vec![0, 24, 33, 320], [1, 2, 3, 3]),
        ] {
            let ladder = Ladder::of_passages(&item(tokens), 320);
            assert_eq!(ladder.rungs.iter().map(|r| r.tokens).collect::<Vec<_>>(), costs);
            assert_eq!([Truncated, Headline, Condensed, Raw].map(|level| ladder.rung_of(level)), turns, "{tokens}");
            assert!(ladder.rungs[1..].iter().all(|rung| rung.level() == Truncated));
        }
    }

    #[test]
    fn a_level_is_reached_on_the_lowest_rung_that_keeps_it() {
        use FidelityLevel::{Condensed, Headline, KeyPoints, Raw, Truncated};
        let at = |tokens, level| Ladder::new(&item(tokens)).rung_of(level);
        assert_eq!([Truncated, Headline, KeyPoints, Condensed, Raw].map(|l| at(1_000, l)), [1, 2, 3, 4, 5]);
        assert_eq!([Truncated, Headline, Raw].map(|l| at(20, l)), [1, 1, 1]);
    }
}
