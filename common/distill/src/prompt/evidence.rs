//! Which pieces of evidence are in a payload: lowest score out first, whole; the last one shortened.

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
    /// The first of `ranked`, shortened, and its tokens then.
    shortened: Option<(Piece<'a>, u64)>,
}

impl<'a> Evidence<'a> {
    /// All of `offered`, counted once.
    pub(super) fn new(offered: &'a [Piece<'a>], count: Count<'_>) -> Self {
        let mut text = String::new();
        let cost = |piece: &Piece<'_>| {
            text.clear();
            piece.show(&mut text);
            count(&text)
        };
        let costs = offered.iter().map(cost).collect();
        let mut ranked: Vec<usize> = (0..offered.len()).collect();
        ranked.sort_by(|a, b| offered[*b].score.total_cmp(&offered[*a].score).then(a.cmp(b)));
        Self { offered, costs, taken: ranked.len(), ranked, shortened: None }
    }

    /// Tokens of all pieces as offered.
    pub(super) fn offered(&self) -> u64 {
        self.costs.iter().sum()
    }

    /// Leaves out lowest scores until the rest costs at most `allowed`; shortens the last one where it is still too long.
    pub(super) fn cut_to(&mut self, allowed: u64, count: Count<'_>) {
        let mut sum: u64 = self.ranked[..self.taken].iter().map(|i| self.costs[*i]).sum();
        while self.taken > 1 && sum > allowed {
            self.taken -= 1;
            sum -= self.costs[self.ranked[self.taken]];
        }
        if self.taken == 1 && sum > allowed {
            let piece = &self.offered[self.ranked[0]];
            let head = count(&format!("{}\n", piece.head));
            let body = truncate::prefix(&piece.body, allowed.saturating_sub(head + 1), count);
            let piece = Piece { body: body.to_owned().into(), ..piece.clone() };
            let mut text = String::new();
            piece.show(&mut text);
            let tokens = count(&text);
            self.shortened = Some((piece, tokens));
        }
    }

    /// What is in, in the order in which it was offered.
    pub(super) fn pieces(&self) -> Vec<&Piece<'a>> {
        if let Some((piece, _)) = &self.shortened {
            return vec![piece];
        }
        let mut places = self.ranked[..self.taken].to_vec();
        places.sort_unstable();
        places.into_iter().map(|i| &self.offered[i]).collect()
    }

    /// Tokens of what is in.
    pub(super) fn kept(&self) -> u64 {
        match &self.shortened {
            Some((_, tokens)) => *tokens,
            None => self.ranked[..self.taken].iter().map(|i| self.costs[*i]).sum(),
        }
    }

    /// What is out or shortened, in the order in which it was offered.
    pub(super) fn cuts(&self) -> Vec<Cut> {
        let shortened = self.shortened.iter().map(|(_, tokens)| (self.ranked[0], *tokens));
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
            let mut evidence = Evidence::new(&pieces, &words);
            evidence.cut_to(allowed, &words);
            assert_eq!(evidence.pieces().iter().map(|p| p.id).collect::<Vec<_>>(), left, "{allowed}");
            assert!(evidence.kept() <= allowed);
            let lost: u64 = evidence.cuts().iter().map(|c| c.tokens_before - c.tokens_after).sum();
            assert_eq!(evidence.kept() + lost, evidence.offered());
        }
    }

    #[test]
    fn a_score_that_is_no_number_does_not_upset_the_order() {
        let pieces = [piece(1, f64::NAN, 9), piece(2, 0.5, 9)];
        let mut evidence = Evidence::new(&pieces, &words);
        evidence.cut_to(10, &words);
        assert_eq!(evidence.pieces().len(), 1);
    }
}
