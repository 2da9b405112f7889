//! Finds gutters: empty stripes that divide a stack of rows into columns. Uses positions only; `columns` interprets the result.

use super::gutter::{Gutter, GutterEvidence};
use super::rows::SegmentRow;
use super::stripes::{COLUMN_ROWS, Stripe, height, narrow};

/// Most rows examined from a starting row: hardly any page has more, and the search stays linear on one that does.
const MAX_BAND_ROWS: usize = 300;

/// Vertical step, in ems, that ends a band: the rows below are read after both sides.
const BAND_GAP_EM: f64 = 5.0;
/// Largest step, in ems, to rows at the end of a band that have text on one side only and still belong to it.
const TAIL_GAP_EM: f64 = 2.2;

/// A range of rows divided into columns by gutters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Band {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Ascending.
    pub(super) gutters: Vec<Gutter>,
    pub(super) evidence: GutterEvidence,
    /// Number of rows in which both sides of the main gutter have text.
    pub(super) side_by_side: usize,
    width: f64,
}

/// The state of the search on one page.
#[derive(Default)]
pub(super) struct GutterSearch {
    /// Remaining steps; without any, rows stay undivided.
    pub(super) fuel: usize,
    /// Gutters of other pages.
    pub(super) known: Vec<Gutter>,
    /// Gutters of columns on this page.
    pub(super) found: Vec<Gutter>,
    /// Gaps of rows that no gutter divides, with their type size.
    pub(super) gaps: Vec<((f64, f64), f64)>,
}

/// The band that divides the rows best: the one with the most rows side by side.
pub(super) fn best_band(rows: &[SegmentRow], search: &mut GutterSearch) -> Option<Band> {
    let mut best: Option<Band> = None;
    for from in 0..rows.len() {
        if best.as_ref().is_some_and(|b| b.side_by_side >= rows.len() - from) {
            break;
        }
        let better =
            |b: &Band| best.as_ref().is_none_or(|best| (b.side_by_side, b.width) > (best.side_by_side, best.width));
        if let Some(band) = band_from(rows, from, search).filter(better) {
            best = Some(band);
        }
    }
    best
}

/// The best band that begins at row `from`.
fn band_from(rows: &[SegmentRow], from: usize, search: &mut GutterSearch) -> Option<Band> {
    let mut stripes = vec![Stripe::whole()];
    let mut ems = 0.0;
    let mut best: Option<Band> = None;
    for (n, row) in rows.iter().enumerate().skip(from).take(MAX_BAND_ROWS) {
        search.fuel = search.fuel.checked_sub(1 + stripes.len())?;
        let Some(em) = row.iter().map(|s| s.em).reduce(f64::min) else {
            break;
        };
        if n > from && height(row) - height(&rows[n - 1]) > BAND_GAP_EM * em {
            break;
        }
        ems += em;
        stripes = narrow(&stripes, row, n, em);
        if n + 1 < from + COLUMN_ROWS && search.known.is_empty() {
            continue;
        }
        // The type size of the band is the mean of its rows.
        let em = ems / (n + 1 - from) as f64;
        let least = best.as_ref().map_or(0, |b| b.side_by_side);
        let widest = |a: &&Stripe, b: &&Stripe| {
            a.side_by_side().cmp(&b.side_by_side()).then((a.hi - a.lo).total_cmp(&(b.hi - b.lo)))
        };
        // Examining a stripe costs as many steps as it has rows.
        let cost = stripes.iter().map(Stripe::side_by_side).filter(|rows| *rows > least).sum();
        search.fuel = search.fuel.checked_sub(cost)?;
        let main = stripes
            .iter()
            .filter(|s| s.side_by_side() > least && s.evidence(rows, from, em, &search.known).is_some())
            .max_by(widest);
        match main {
            Some(main) => best = band(rows, main, &stripes, from, n, em, &search.known),
            None => {
                if let Some(best) = &mut best
                    && best.to == n
                    && is_near(rows, n - 1)
                    && stripes.iter().any(|s| best.gutters.iter().any(|g| s.lo < g.middle() && g.middle() < s.hi))
                {
                    best.to = n + 1;
                }
            }
        }
    }
    best
}

/// The band of the main stripe and of the stripes that run next to it.
fn band(
    rows: &[SegmentRow],
    main: &Stripe,
    stripes: &[Stripe],
    from: usize,
    n: usize,
    em: f64,
    known: &[Gutter],
) -> Option<Band> {
    let evidence = main.evidence(rows, from, em, known)?;
    let (side_by_side, overlap) = (main.side_by_side(), main.overlap()?);
    let (first, to) = extent(rows, overlap, from, n + 1);
    let divides = |s: &&Stripe| {
        let beside = s.overlap().is_some_and(|(a, b)| a <= overlap.1 && b >= overlap.0);
        beside && s.side_by_side() * 5 >= side_by_side * 4 && s.evidence(rows, from, em, known) == Some(evidence)
    };
    let gutters = stripes.iter().filter(divides).map(|s| Gutter { lo: s.lo, hi: s.hi }).collect();
    Some(Band {
        from: first,
        to,
        gutters: without_empty_columns(gutters, &rows[first..to]),
        evidence,
        side_by_side,
        width: main.hi - main.lo,
    })
}

/// Of two gutters with nothing between them, keeps the wider one: they were divided by a word in a single row, such as a heading.
fn without_empty_columns(gutters: Vec<Gutter>, rows: &[SegmentRow]) -> Vec<Gutter> {
    let mut out: Vec<Gutter> = Vec::with_capacity(gutters.len());
    for gutter in gutters {
        let between = |last: &Gutter| {
            rows.iter().filter(|row| row.iter().any(|s| s.u0 >= last.hi - 1e-6 && s.u1 <= gutter.lo + 1e-6)).count()
        };
        match out.last_mut().filter(|last| between(last) < 2) {
            Some(last) if last.hi - last.lo < gutter.hi - gutter.lo => *last = gutter,
            Some(_) => {}
            None => out.push(gutter),
        }
    }
    out
}

/// Whether row `k` and the next one are close together.
fn is_near(rows: &[SegmentRow], k: usize) -> bool {
    let em = rows[k].iter().chain(&rows[k + 1]).map(|s| s.em).fold(0.0, f64::max);
    height(&rows[k + 1]) - height(&rows[k]) <= TAIL_GAP_EM * em
}

/// The rows of a band: those in which both sides have text, extended by adjacent rows on both ends.
fn extent(rows: &[SegmentRow], overlap: (usize, usize), from: usize, to: usize) -> (usize, usize) {
    let (mut a, mut b) = overlap;
    while a > from && is_near(rows, a - 1) {
        a -= 1;
    }
    while b + 1 < to && is_near(rows, b) {
        b += 1;
    }
    (a, b + 1)
}
