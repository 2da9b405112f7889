//! Which pieces of evidence are in a payload: lowest score out first, whole, and the last one shortened; or, where nothing may be left
//! out, all of them, the long ones shortened alike.

use std::collections::BTreeMap;

use super::fit::Cut;
use super::render::Piece;
use super::{Count, truncate};

/// The pieces and how many tokens of each are still in.
pub(super) struct Evidence<'a> {
    offered: &'a [Piece<'a>],
    /// Tokens of each piece as offered.
    costs: Vec<u64>,
    /// Places in `offered`, highest score first, then lowest place.
    ranked: Vec<usize>,
    /// How many of `ranked` are in.
    taken: usize,
    /// Pieces that are in and shortened, by place, with their tokens.
    shortened: BTreeMap<usize, (Piece<'a>, u64)>,
    may_drop: bool,
}

impl<'a> Evidence<'a> {
    /// All of `offered`, counted once.
    pub(super) fn new(offered: &'a [Piece<'a>], may_drop: bool, count: Count<'_>) -> Self {
        let mut text = String::new();
        let cost = |piece: &Piece<'_>| {
            text.clear();
            piece.show(&mut text);
            count(&text)
        };
        let costs = offered.iter().map(cost).collect();
        let mut ranked: Vec<usize> = (0..offered.len()).collect();
        ranked.sort_by(|a, b| offered[*b].score.total_cmp(&offered[*a].score).then(a.cmp(b)));
        Self { offered, costs, taken: ranked.len(), ranked, shortened: BTreeMap::new(), may_drop }
    }

    /// Tokens of all pieces as offered.
    pub(super) fn offered(&self) -> u64 {
        self.costs.iter().sum()
    }

    /// Cuts the evidence to `allowed` tokens, or as near as its marks let it.
    pub(super) fn cut_to(&mut self, allowed: u64, count: Count<'_>) {
        if self.may_drop {
            self.drop_to(allowed);
        }
        let each = self.largest_share(allowed);
        for k in 0..self.taken {
            let place = self.ranked[k];
            if self.costs[place] > each {
                self.shorten(place, each, count);
            }
        }
    }

    /// Leaves out lowest scores until the rest costs at most `allowed` or is one piece.
    fn drop_to(&mut self, allowed: u64) {
        let mut sum: u64 = self.ranked[..self.taken].iter().map(|i| self.costs[*i]).sum();
        while self.taken > 1 && sum > allowed {
            self.taken -= 1;
            sum -= self.costs[self.ranked[self.taken]];
        }
    }

    /// The most tokens a piece may have for all that are in to cost at most `allowed`, when longer ones are cut to it.
    fn largest_share(&self, allowed: u64) -> u64 {
        let mut costs: Vec<u64> = self.ranked[..self.taken].iter().map(|i| self.costs[*i]).collect();
        costs.sort_unstable();
        let mut left = allowed;
        for (n, cost) in costs.iter().enumerate() {
            let each = left / (costs.len() - n) as u64;
            if *cost > each {
                return each;
            }
            left -= cost;
        }
        u64::MAX
    }

    fn shorten(&mut self, place: usize, tokens: u64, count: Count<'_>) {
        let piece = &self.offered[place];
        let head = count(&format!("{}\n", piece.head));
        let body = truncate::prefix(&piece.body, tokens.saturating_sub(head + 1), count);
        let piece = Piece { body: body.to_owned().into(), ..piece.clone() };
        let mut text = String::new();
        piece.show(&mut text);
        let tokens = count(&text);
        self.shortened.insert(place, (piece, tokens));
    }

    /// What is in, in the order in which it was offered.
    pub(super) fn pieces(&self) -> Vec<&Piece<'a>> {
        let mut places = self.ranked[..self.taken].to_vec();
        places.sort_unstable();
        places.into_iter().map(|i| self.shortened.get(&i).map_or(&self.offered[i], |(piece, _)| piece)).collect()
    }

    /// Tokens of a piece that is in.
    fn sent(&self, place: usize) -> u64 {
        self.shortened.get(&place).map_or(self.costs[place], |(_, tokens)| *tokens)
    }

    /// Tokens of what is in.
    pub(super) fn kept(&self) -> u64 {
        self.ranked[..self.taken].iter().map(|i| self.sent(*i)).sum()
    }

    /// What is out or shortened, in the order in which it was offered.
    pub(super) fn cuts(&self) -> Vec<Cut> {
        let shortened = self.shortened.keys().map(|i| (*i, self.sent(*i)));
        let mut cuts: Vec<(usize, u64)> = self.ranked[self.taken..].iter().map(|i| (*i, 0)).chain(shortened).collect();
        cuts.sort_unstable();
        let cut = |(i, tokens_after): (usize, u64)| Cut {
            id: self.offered[i].id,
            tokens_before: self.costs[i],
            tokens_after,
        };
        cuts.into_iter().map(cut).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(id: u32, score: f64, words: usize) -> Piece<'static> {
        Piece { id, score, head: "#".into(), body: vec!["w"; words].join(" ").into() }
    }

    fn words(text: &str) -> u64 {
        text.split_whitespace().count() as u64
    }

    #[test]
    fn the_lowest_score_goes_first_and_the_order_stays() {
        let pieces = [piece(1, 0.2, 9), piece(2, 0.9, 9), piece(3, 0.5, 9), piece(4, 0.5, 9)];
        let cases = [(40, vec![1, 2, 3, 4]), (39, vec![2, 3, 4]), (29, vec![2, 3]), (19, vec![2]), (4, vec![2])];
        for (allowed, left) in cases {
            let mut evidence = Evidence::new(&pieces, true, &words);
            evidence.cut_to(allowed, &words);
            assert_eq!(evidence.pieces().iter().map(|p| p.id).collect::<Vec<_>>(), left, "{allowed}");
            assert!(evidence.kept() <= allowed);
            let lost: u64 = evidence.cuts().iter().map(|c| c.tokens_before - c.tokens_after).sum();
            assert_eq!(evidence.kept() + lost, evidence.offered());
        }
    }

    #[test]
    fn where_nothing_may_be_left_out_the_long_pieces_are_cut_alike() {
        // Words of the pieces with their mark, tokens allowed, and words left of each.
        for (sizes, allowed, left) in [
            ([9, 9, 9, 9], 40, [10, 10, 10, 10]),
            ([9, 9, 9, 9], 39, [9, 9, 9, 9]),
            ([1, 50, 50, 3], 40, [2, 17, 17, 4]),
            ([90, 1, 1, 1], 20, [14, 2, 2, 2]),
        ] {
            let pieces: Vec<_> = sizes.iter().zip(1..).map(|(words, id)| piece(id, 0.5, *words)).collect();
            let mut evidence = Evidence::new(&pieces, false, &words);
            evidence.cut_to(allowed, &words);
            let sent: Vec<u64> = evidence.pieces().iter().map(|p| words(&format!("{} {}", p.head, p.body))).collect();
            assert!(
                sent.iter().zip(left).all(|(sent, most)| *sent <= most && sent + 1 >= most),
                "{sent:?} for {left:?}"
            );
            assert!(evidence.kept() <= allowed && evidence.pieces().len() == 4);
            let lost: u64 = evidence.cuts().iter().map(|c| c.tokens_before - c.tokens_after).sum();
            assert_eq!(evidence.kept() + lost, evidence.offered());
        }
    }

    #[test]
    fn a_score_that_is_no_number_does_not_upset_the_order() {
        let pieces = [piece(1, f64::NAN, 9), piece(2, 0.5, 9)];
        let mut evidence = Evidence::new(&pieces, true, &words);
        evidence.cut_to(10, &words);
        assert_eq!(evidence.pieces().len(), 1);
    }
}
