//! Removes characters printed twice at almost the same place: fake bold, shadows, separate fill and stroke.

use foldhash::HashMap;

use super::glyph::Glyph;

/// Distance, in ems, below which equal characters are one print. The letters of a double letter are at least a narrow `i` (0.2 em) apart;
/// bold offsets are a few hundredths. Chosen, not measured.
const SAME_PLACE_EM: f64 = 0.12;
/// Cell size of the look-up grid, in points; also the largest distance searched.
const CELL_POINTS: f64 = 4.0;
/// Most prints of one character compared in one cell; limits the work on a page that piles them up.
const MAX_COMPARED: usize = 32;

/// A character and the grid cell of its print.
type PrintedCell = (char, i64, i64);

/// Keeps the first print of each character, in the given order. Spaces and characters without width are always kept: if a font gives no
/// widths, all its characters are at one place.
pub(super) fn suppress(glyphs: &mut Vec<Glyph>) {
    let mut seen = Prints::default();
    let mut kept: Vec<Glyph> = Vec::with_capacity(glyphs.len());
    for glyph in glyphs.drain(..) {
        if glyph.ch == ' ' || glyph.start.distance(glyph.end) < 0.01 * glyph.em {
            seen.skip();
        } else {
            let twice = around(&glyph).any(|place| seen.at(place).any(|i| same_print(&kept[i], &glyph)));
            if twice {
                continue;
            }
            seen.push((glyph.ch, cell(glyph.start.x), cell(glyph.start.y)));
        }
        kept.push(glyph);
    }
    *glyphs = kept;
}

/// Positions of the kept glyphs: the last one at each place, and for each glyph the one before it at the same place.
#[derive(Default)]
struct Prints {
    last: HashMap<PrintedCell, usize>,
    before: Vec<Option<usize>>,
}

impl Prints {
    fn push(&mut self, place: PrintedCell) {
        let before = self.last.insert(place, self.before.len());
        self.before.push(before);
    }

    /// Adds a glyph that is never searched for.
    fn skip(&mut self) {
        self.before.push(None);
    }

    /// The glyphs at `place`, last one first.
    fn at(&self, place: PrintedCell) -> impl Iterator<Item = usize> {
        std::iter::successors(self.last.get(&place).copied(), |&i| self.before[i]).take(MAX_COMPARED)
    }
}

/// The places where an earlier print of `glyph` may be.
fn around(glyph: &Glyph) -> impl Iterator<Item = PrintedCell> + use<> {
    let reach = (SAME_PLACE_EM * glyph.em).min(CELL_POINTS);
    let cells = |at: f64| cell(at - reach)..=cell(at + reach);
    let (ch, columns, rows) = (glyph.ch, cells(glyph.start.x), cells(glyph.start.y));
    columns.flat_map(move |x| rows.clone().map(move |y| (ch, x, y)))
}

fn cell(at: f64) -> i64 {
    (at / CELL_POINTS).floor() as i64
}

fn same_print(a: &Glyph, b: &Glyph) -> bool {
    let em = a.em.min(b.em);
    let width = a.start.distance(a.end);
    // The limit of half the width keeps thin double letters (ll, ii) of a condensed font.
    let near = (SAME_PLACE_EM * em).min(0.5 * width).min(CELL_POINTS);
    a.angle == b.angle && (a.em - b.em).abs() < 0.2 * em && a.start.distance(b.start) < near
}

#[cfg(test)]
mod tests {
    use hayro_interpret::kurbo::Point;

    use super::*;

    fn glyph(ch: char, x: f64) -> Glyph {
        Glyph {
            ch,
            guessed: false,
            is_unseen: false,
            start: Point::new(x, 50.0),
            end: Point::new(x + 3.0, 50.0),
            em: 10.0,
            angle: 0,
            style: Default::default(),
        }
    }

    fn after(glyphs: &[Glyph]) -> String {
        let mut glyphs = glyphs.to_vec();
        suppress(&mut glyphs);
        glyphs.iter().map(|g| g.ch).collect()
    }

    #[test]
    fn only_the_same_character_at_the_same_place_is_suppressed() {
        let table: [(&[(char, f64)], &str); 5] = [
            (&[('a', 10.0), ('a', 10.3)], "a"),
            (&[('l', 10.0), ('l', 13.0)], "ll"),
            (&[('a', 10.0), ('b', 10.0)], "ab"),
            (&[('a', 3.95), ('a', 4.05)], "a"),
            (&[('a', 4.05), (' ', 4.0), ('a', 3.95), ('a', 3.9)], "a "),
        ];
        for (given, want) in table {
            let glyphs: Vec<Glyph> = given.iter().map(|(c, x)| glyph(*c, *x)).collect();
            assert_eq!(after(&glyphs), want, "{given:?}");
        }
    }
}
