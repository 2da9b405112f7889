//! Suppresses characters printed twice at almost the same place: fake bold, shadows, fill and stroke drawn apart.

use std::collections::HashMap;

use super::glyph::Glyph;

/// Distance, in ems, below which the same character is the same print. A double letter stands at least a narrow `i` (0.2 em) apart;
/// bold offsets are a few hundredths. Chosen, not measured.
const SAME_PLACE_EM: f64 = 0.12;
/// Cells per em of the look-up grid; a cell must not be smaller than the distance searched, so that neighbours suffice.
const CELL_POINTS: f64 = 4.0;
/// Prints of one character in one cell that are compared, at most: a bound on the work of a page that piles them up.
const MAX_COMPARED: usize = 32;

/// Keeps the first print of each character, in the given order. Spaces always stay, and so does what has no width: where a font tells
/// no widths, all its characters stand at one place.
pub(super) fn suppress(glyphs: &mut Vec<Glyph>) {
    let mut seen: HashMap<(char, i64, i64), Vec<usize>> = HashMap::new();
    let mut kept: Vec<Glyph> = Vec::with_capacity(glyphs.len());
    for glyph in glyphs.drain(..) {
        if glyph.ch == ' ' || glyph.start.distance(glyph.end) < 0.01 * glyph.em {
            kept.push(glyph);
            continue;
        }
        let (cx, cy) = cell(&glyph);
        let around = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (glyph.ch, cx + dx, cy + dy)));
        let twice = around
            .filter_map(|key| seen.get(&key))
            .flat_map(|prints| prints.iter().rev().take(MAX_COMPARED))
            .any(|i| same_print(&kept[*i], &glyph));
        if !twice {
            seen.entry((glyph.ch, cx, cy)).or_default().push(kept.len());
            kept.push(glyph);
        }
    }
    *glyphs = kept;
}

fn cell(glyph: &Glyph) -> (i64, i64) {
    ((glyph.start.x / CELL_POINTS).floor() as i64, (glyph.start.y / CELL_POINTS).floor() as i64)
}

fn same_print(a: &Glyph, b: &Glyph) -> bool {
    let em = a.em.min(b.em);
    let width = a.start.distance(a.end);
    // Half the width keeps thin double letters (ll, ii) of a condensed font apart.
    let near = (SAME_PLACE_EM * em).min(0.5 * width).min(CELL_POINTS);
    a.angle == b.angle && (a.em - b.em).abs() < 0.2 * em && a.start.distance(b.start) < near
}

#[cfg(test)]
mod tests {
    use hayro_interpret::kurbo::Point;

    use super::*;

    fn glyph(ch: char, x: f64) -> Glyph {
        Glyph { ch, guessed: false, start: Point::new(x, 50.0), end: Point::new(x + 3.0, 50.0), em: 10.0, angle: 0 }
    }

    fn after(glyphs: &[Glyph]) -> String {
        let mut glyphs = glyphs.to_vec();
        suppress(&mut glyphs);
        glyphs.iter().map(|g| g.ch).collect()
    }

    #[test]
    fn only_the_same_character_at_the_same_place_is_suppressed() {
        let table: [(&[(char, f64)], &str); 4] = [
            (&[('a', 10.0), ('a', 10.3)], "a"),
            (&[('l', 10.0), ('l', 13.0)], "ll"),
            (&[('a', 10.0), ('b', 10.0)], "ab"),
            (&[('a', 3.95), ('a', 4.05)], "a"),
        ];
        for (given, want) in table {
            let glyphs: Vec<Glyph> = given.iter().map(|(c, x)| glyph(*c, *x)).collect();
            assert_eq!(after(&glyphs), want, "{given:?}");
        }
    }
}
