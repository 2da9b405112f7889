//! Selects and shortens the pieces of evidence in a payload.
//!
//! If not everything fits, a model's summaries are cut to their share first. Then each overlong piece keeps the sentences most relevant to
//! the question, else its beginning. Whole pieces are left out only if not even beginnings fit, lowest score first, and only if the limits
//! allow it. Passages that findings are made of are left out whole instead: half of each says less than half of them whole.

use std::collections::{BTreeMap, BTreeSet};

use precis_text::terms::{query_terms, terms};

use super::evidence_cut::EvidenceCut;
use super::render::Piece;
use crate::reduction::PROSE_PERCENT;
use crate::truncate::{self, Count};

/// Least tokens of a shortened piece besides its head; a piece is left out rather than cut further. Chosen, not measured.
const MIN_PIECE_TOKENS: u64 = 24;
/// Marks omitted sentences in a piece.
const GAP: &str = " … ";

/// The pieces of evidence, and which of them are left out or shortened.
pub(super) struct Evidence<'a> {
    offered: &'a [Piece<'a>],
    /// Tokens of each piece as offered.
    costs: Vec<u64>,
    /// Tokens of the head of each.
    heads: Vec<u64>,
    /// Indexes in `offered` of evidence, highest score first, then lowest index.
    ranked: Vec<usize>,
    /// Indexes in `offered` of notes, in order.
    notes: Vec<usize>,
    /// Indexes of pieces that are left out.
    out: BTreeSet<usize>,
    /// Shortened pieces by index, with their tokens.
    shortened: BTreeMap<usize, (Piece<'a>, u64)>,
    /// Terms of the question.
    query: BTreeSet<String>,
    may_drop: bool,
    /// Whether pieces are left out whole before any is shortened.
    drops_whole: bool,
}

impl<'a> Evidence<'a> {
    /// Starts with all of `offered`, each counted once.
    pub(super) fn new(offered: &'a [Piece<'a>], query: &str, may_drop: bool, count: Count<'_>) -> Self {
        let mut text = String::new();
        let cost = |piece: &Piece<'_>| {
            text.clear();
            piece.show(&mut text);
            count(&text)
        };
        let costs = offered.iter().map(cost).collect();
        let heads = offered.iter().map(|piece| count(&format!("{}\n", piece.head)) + 1).collect();
        let (notes, mut ranked): (Vec<usize>, Vec<usize>) = (0..offered.len()).partition(|i| offered[*i].is_note);
        ranked.sort_by(|a, b| offered[*b].score.total_cmp(&offered[*a].score).then(a.cmp(b)));
        let (out, shortened) = (BTreeSet::new(), BTreeMap::new());
        Self {
            offered,
            costs,
            heads,
            ranked,
            notes,
            out,
            shortened,
            query: query_terms(query).into_iter().collect(),
            may_drop,
            drops_whole: false,
        }
    }

    /// Leaves pieces of evidence out whole, the least important first, if it `drops_whole` and pieces may be left out at all; only the last
    /// one left is shortened.
    pub(super) fn dropping_whole(self, drops_whole: bool) -> Self {
        Self { drops_whole, ..self }
    }

    /// Tokens of all pieces as offered.
    pub(super) fn offered_tokens(&self) -> u64 {
        self.costs.iter().sum()
    }

    /// Cuts the pieces to `allowed` tokens, or as close to that as their heads permit.
    pub(super) fn cut_to(&mut self, allowed: u64, count: Count<'_>) {
        self.out.clear();
        self.shortened.clear();
        if self.offered_tokens() <= allowed {
            return;
        }
        let evidence: u64 = self.ranked.iter().map(|i| self.costs[*i]).sum();
        let prose = allowed.saturating_sub(evidence).max(allowed / 100 * PROSE_PERCENT);
        self.fit(&self.notes.clone(), prose, true, count);
        let left = allowed.saturating_sub(self.kept_of(&self.notes));
        let places = if self.drops_whole && self.may_drop { self.most_important(left) } else { self.ranked.clone() };
        self.out.extend(self.ranked.iter().filter(|place| !places.contains(place)));
        self.fit(&places, left, self.may_drop, count);
    }

    /// The pieces of evidence, best first, that fit `allowed` tokens as they are; the best one if none does.
    fn most_important(&self, allowed: u64) -> Vec<usize> {
        let mut left = allowed;
        let fits = |place: &&usize| {
            let cost = self.costs[**place];
            let fits = cost <= left;
            left -= if fits { cost } else { 0 };
            fits
        };
        let kept: Vec<usize> = self.ranked.iter().filter(fits).copied().collect();
        if kept.is_empty() { self.ranked.first().copied().into_iter().collect() } else { kept }
    }

    /// Shortens the pieces at `places` (best first) to `allowed` tokens; if that is too little for all of them, the last ones are left out.
    fn fit(&mut self, places: &[usize], allowed: u64, may_drop: bool, count: Count<'_>) {
        let mut kept = places.len();
        let least = |i: &usize| self.costs[*i].min(self.heads[*i] + MIN_PIECE_TOKENS);
        let mut sum: u64 = places.iter().map(least).sum();
        let least_kept = usize::from(places.iter().any(|i| !self.offered[*i].is_note));
        while may_drop && kept > least_kept && sum > allowed {
            kept -= 1;
            sum -= least(&places[kept]);
        }
        self.out.extend(&places[kept..]);
        let each = self.largest_share(&places[..kept], allowed);
        // Sentences are not cut, so a piece may not use its whole share; the rest goes to the next one.
        let mut spare = 0;
        for place in &places[..kept] {
            if self.costs[*place] > each {
                self.shorten(*place, each + spare, count);
                spare = (each + spare).saturating_sub(self.sent_tokens(*place));
            }
        }
    }

    /// The largest number of tokens to which longer pieces can be cut so that all of `places` cost at most `allowed`.
    fn largest_share(&self, places: &[usize], allowed: u64) -> u64 {
        let mut costs: Vec<u64> = places.iter().map(|i| self.costs[*i]).collect();
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
        if self.costs[place] <= tokens {
            return;
        }
        let room = tokens.saturating_sub(self.heads[place]);
        let tighter = self.tighter(piece, room, count);
        let body = tighter.unwrap_or_else(|| truncate::prefix(&piece.body, room, count).to_owned());
        let piece = Piece { body: body.into(), ..piece.clone() };
        let mut text = String::new();
        piece.show(&mut text);
        let tokens = count(&text);
        self.shortened.insert(place, (piece, tokens));
    }

    /// The sentences of `piece` that share most terms with the question, within `tokens`, in text order; `None` if its sentences are not
    /// known or none fits.
    fn tighter(&self, piece: &Piece<'_>, tokens: u64, count: Count<'_>) -> Option<String> {
        if piece.units.len() < 2 {
            return None;
        }
        let at = |chars: usize| piece.body.char_indices().nth(chars).map_or(piece.body.len(), |(byte, _)| byte);
        let sentences: Vec<&str> =
            piece.units.iter().map(|unit| piece.body.get(at(unit.start)..at(unit.end)).unwrap_or_default()).collect();
        let says =
            |n: usize| terms(sentences[n]).into_iter().collect::<BTreeSet<_>>().intersection(&self.query).count();
        let mut order: Vec<(usize, usize)> = (0..sentences.len()).map(|n| (n, says(n))).collect();
        order.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut chosen = BTreeSet::new();
        for (n, _) in order {
            chosen.insert(n);
            if count(&join_sentences(&sentences, &chosen)) > tokens {
                chosen.remove(&n);
            }
        }
        (!chosen.is_empty()).then(|| join_sentences(&sentences, &chosen))
    }

    /// The pieces that are sent, in the order offered.
    pub(super) fn pieces(&self) -> Vec<&Piece<'a>> {
        let places = (0..self.offered.len()).filter(|i| !self.out.contains(i));
        places.map(|i| self.shortened.get(&i).map_or(&self.offered[i], |(piece, _)| piece)).collect()
    }

    /// Tokens of a piece as sent; 0 if it is left out.
    fn sent_tokens(&self, place: usize) -> u64 {
        if self.out.contains(&place) {
            return 0;
        }
        self.shortened.get(&place).map_or(self.costs[place], |(_, tokens)| *tokens)
    }

    fn kept_of(&self, places: &[usize]) -> u64 {
        places.iter().map(|i| self.sent_tokens(*i)).sum()
    }

    /// Tokens of all pieces as sent.
    pub(super) fn kept_tokens(&self) -> u64 {
        (0..self.offered.len()).map(|i| self.sent_tokens(i)).sum()
    }

    /// The pieces left out or shortened, in the order offered.
    pub(super) fn cuts(&self) -> Vec<EvidenceCut> {
        let mut places: Vec<usize> = self.out.iter().chain(self.shortened.keys()).copied().collect();
        places.sort_unstable();
        let cut = |i: usize| EvidenceCut {
            id: self.offered[i].id,
            is_note: self.offered[i].is_note,
            tokens_before: self.costs[i],
            tokens_after: self.sent_tokens(i).min(self.costs[i]),
        };
        places.into_iter().map(cut).collect()
    }
}

/// The `chosen` sentences in order, with [`GAP`] in place of omitted ones.
fn join_sentences(sentences: &[&str], chosen: &BTreeSet<usize>) -> String {
    let mut text = String::new();
    let mut next = 0;
    for n in chosen {
        text.push_str(if *n > next {
            GAP
        } else if text.is_empty() {
            ""
        } else {
            " "
        });
        text.push_str(sentences[*n]);
        next = n + 1;
    }
    if next < sentences.len() {
        text.push_str(GAP);
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use precis_proto::BlockKind;
    use precis_proto::finding::Unit;

    use super::*;

    fn piece(id: u32, score: f64, words: usize) -> Piece<'static> {
        let body = Cow::Owned(vec!["w"; words].join(" "));
        Piece { id, score, head: "#".into(), body, units: &[], is_note: false, is_shared: false }
    }

    fn words(text: &str) -> u64 {
        text.split_whitespace().count() as u64
    }

    fn balances(evidence: &Evidence<'_>) {
        let lost: u64 = evidence.cuts().iter().map(|c| c.tokens_before - c.tokens_after).sum();
        assert_eq!(evidence.kept_tokens() + lost, evidence.offered_tokens());
    }

    #[test]
    fn pieces_are_shortened_first_and_then_the_lowest_score_goes() {
        let pieces = [piece(1, 0.2, 99), piece(2, 0.9, 99), piece(3, 0.5, 99), piece(4, 0.5, 99)];
        // Tokens allowed, and the pieces kept; the least of a piece is its mark, a line end and 24.
        let cases = [
            (400, vec![1, 2, 3, 4]),
            (399, vec![1, 2, 3, 4]),
            (104, vec![1, 2, 3, 4]),
            (103, vec![2, 3, 4]),
            (77, vec![2, 3]),
            (51, vec![2]),
            (4, vec![2]),
        ];
        for (allowed, left) in cases {
            let mut evidence = Evidence::new(&pieces, "", true, &words);
            evidence.cut_to(allowed, &words);
            assert_eq!(evidence.pieces().iter().map(|p| p.id).collect::<Vec<_>>(), left, "{allowed}");
            assert!(
                evidence.kept_tokens() <= allowed && evidence.kept_tokens() + 8 >= allowed.min(400),
                "{allowed}: {}",
                evidence.kept_tokens()
            );
            balances(&evidence);
        }
    }

    #[test]
    fn a_long_piece_keeps_the_sentences_relevant_to_the_question() {
        let text = "Sand moves in the wind all year. The ice of the glacier melts. Birds nest in the reed beds.";
        let unit = |start, end| Unit {
            start,
            end,
            block: 0,
            kind: BlockKind::Paragraph,
            head_end: None,
            depth: None,
            needs: Vec::new(),
            list: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        };
        let units = [unit(0, 32), unit(33, 62), unit(63, 91)];
        let whole = Piece { body: Cow::Borrowed(text), units: &units, ..piece(1, 0.5, 0) };
        for (allowed, expected) in [
            (19, "Sand moves in the wind all year. … Birds nest in the reed beds."),
            (12, "… The ice of the glacier melts. …"),
            (4, "Sand moves"),
        ] {
            let pieces = [whole.clone()];
            let query = if allowed == 19 { "birds sand" } else { "Which glacier?" };
            let mut evidence = Evidence::new(&pieces, query, true, &words);
            evidence.cut_to(allowed, &words);
            assert_eq!(evidence.pieces()[0].body, expected, "{allowed}");
            balances(&evidence);
        }
    }

    #[test]
    fn summaries_yield_to_evidence_down_to_their_share() {
        let note = |words| Piece { is_note: true, ..piece(0, 0.0, words) };
        let pieces = [note(200), note(200), piece(1, 0.5, 299), piece(2, 0.4, 299)];
        for allowed in [900, 700, 400, 200, 60] {
            let mut evidence = Evidence::new(&pieces, "", true, &words);
            evidence.cut_to(allowed, &words);
            let prose: u64 = evidence.kept_of(&[0, 1]);
            assert!(prose <= allowed.saturating_sub(600).max(allowed / 100 * PROSE_PERCENT), "{allowed}: {prose}");
            assert!(evidence.pieces().iter().any(|piece| !piece.is_note));
            assert!(evidence.kept_tokens() <= allowed);
            balances(&evidence);
        }
    }

    #[test]
    fn where_nothing_may_be_left_out_the_long_pieces_are_cut_alike() {
        // Words of the pieces with their mark, tokens allowed, and words left of each.
        for (sizes, allowed, left) in [
            ([9, 9, 9, 9], 40, [10, 10, 10, 10]),
            ([9, 9, 9, 9], 39, [9, 9, 9, 9]),
            ([1, 50, 50, 3], 40, [2, 17, 18, 4]),
            ([90, 1, 1, 1], 20, [14, 2, 2, 2]),
        ] {
            let pieces: Vec<_> = sizes.iter().zip(1..).map(|(words, id)| piece(id, 0.5, *words)).collect();
            let mut evidence = Evidence::new(&pieces, "", false, &words);
            evidence.cut_to(allowed, &words);
            let sent: Vec<u64> = evidence.pieces().iter().map(|p| words(&format!("{} {}", p.head, p.body))).collect();
            assert!(
                sent.iter().zip(left).all(|(sent, most)| *sent <= most + 3 && sent + 2 >= most),
                "{sent:?} for {left:?}"
            );
            assert!(evidence.kept_tokens() <= allowed && evidence.pieces().len() == 4);
            balances(&evidence);
        }
    }

    #[test]
    fn a_score_that_is_no_number_does_not_upset_the_order() {
        let pieces = [piece(1, f64::NAN, 90), piece(2, 0.5, 90)];
        let mut evidence = Evidence::new(&pieces, "", true, &words);
        evidence.cut_to(30, &words);
        assert_eq!(evidence.pieces().len(), 1);
    }

    #[test]
    fn passages_are_left_out_whole_and_the_least_important_first() {
        let pieces = [piece(1, 0.5, 90), piece(2, 0.9, 60), piece(3, 0.1, 30), piece(4, 0.7, 90)];
        let cost = |at: usize| words(&format!("{} {}", pieces[at].head, pieces[at].body));
        let all: u64 = (0..4).map(cost).sum();
        for (allowed, kept) in [
            (all, &[1, 2, 3, 4][..]),
            (all - 1, &[1, 2, 4]),
            (cost(0) + cost(1) + cost(3), &[1, 2, 4]),
            (cost(1) + cost(2) + cost(3), &[2, 3, 4]),
            (cost(1) + cost(3), &[2, 4]),
            (cost(1), &[2]),
            (cost(2), &[3]),
        ] {
            let mut evidence = Evidence::new(&pieces, "", true, &words).dropping_whole(true);
            evidence.cut_to(allowed, &words);
            assert_eq!(evidence.pieces().iter().map(|piece| piece.id).collect::<Vec<_>>(), kept, "{allowed}");
            assert!(evidence.shortened.is_empty() && evidence.kept_tokens() <= allowed, "{allowed}");
        }
        let mut evidence = Evidence::new(&pieces[..1], "", true, &words).dropping_whole(true);
        evidence.cut_to(40, &words);
        assert_eq!(evidence.shortened.len(), 1, "the only one is shortened");
    }
}
