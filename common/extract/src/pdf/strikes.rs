//! Struck text: characters that a line is drawn through. Its author has taken it back, so it is not read.

use super::glyph::{Glyph, LEFT_OUT, PlacedGlyph};
use super::rulings::{Rule, Rulings};

/// Heights above the baseline, in ems, at which a line strikes text out: through the small letters, neither below nor over them.
const STRUCK_EM: std::ops::RangeInclusive<f64> = 0.12..=0.45;
/// Largest thickness of the line, in ems.
const THICKNESS_EM: f64 = 0.15;
/// Shortest line, in ems of its text: the bars of letters that are drawn as shapes are shorter.
const LENGTH_EM: f64 = 1.0;
/// Largest distance, in points, of the ends of a line from the sides of the box it belongs to.
const SIDE: f64 = 1.5;
/// Least share of a line that lies on characters: the lines of tables and forms that touch text are longer than it.
const COVERED: f64 = 0.8;
/// Largest gap between characters, in ems, that belongs to the text.
const GAP_EM: f64 = 0.8;

/// Leaves out upright characters that are struck out, and returns their number.
pub(super) fn leave_out_struck(glyphs: &mut [Glyph], rulings: &Rulings) -> usize {
    if rulings.level.is_empty() || glyphs.is_empty() {
        return 0;
    }
    let mut lines: Vec<(Rule, Vec<usize>)> = rulings.level.iter().map(|rule| (*rule, Vec::new())).collect();
    lines.sort_by(|a, b| a.0.at.total_cmp(&b.0.at));
    let placed: Vec<Option<PlacedGlyph>> = glyphs.iter().map(|g| (g.angle == 0).then(|| g.place())).collect();
    for (at, glyph) in placed.iter().enumerate() {
        let Some(glyph) = glyph else {
            continue;
        };
        let (top, bottom) = (glyph.v - STRUCK_EM.end() * glyph.em, glyph.v - STRUCK_EM.start() * glyph.em);
        let from = lines.partition_point(|(rule, _)| rule.at < top);
        for (rule, struck) in lines[from..].iter_mut().take_while(|(rule, _)| rule.at <= bottom) {
            let middle = (glyph.u0 + glyph.u1) / 2.0;
            if rule.thickness <= THICKNESS_EM * glyph.em && (rule.lo..=rule.hi).contains(&middle) {
                struck.push(at);
            }
        }
    }
    let mut is_struck = vec![false; glyphs.len()];
    for (rule, struck) in &lines {
        if !struck.is_empty()
            && is_covered(rule, struck.iter().filter_map(|at| placed[*at].as_ref()))
            && !is_side(rule, &rulings.upright)
        {
            struck.iter().for_each(|at| is_struck[*at] = true);
        }
    }
    let mut count = 0;
    for (glyph, _) in glyphs.iter_mut().zip(&is_struck).filter(|(glyph, struck)| **struck && glyph.ch != ' ') {
        glyph.ch = LEFT_OUT;
        count += 1;
    }
    count
}

/// Whether the line is the side of a box.
fn is_side(rule: &Rule, upright: &[Rule]) -> bool {
    let meets = |end: f64| {
        let at_end =
            |side: &&Rule| (side.at - end).abs() <= SIDE && (side.lo - SIDE..=side.hi + SIDE).contains(&rule.at);
        upright.iter().any(|side| at_end(&side))
    };
    meets(rule.lo) && meets(rule.hi)
}

/// Whether most of the line lies on the characters.
fn is_covered<'g>(rule: &Rule, glyphs: impl Iterator<Item = &'g PlacedGlyph>) -> bool {
    let mut extents: Vec<(f64, f64, f64)> = glyphs.map(|g| (g.u0.min(g.u1), g.u0.max(g.u1), g.em)).collect();
    let em = extents.iter().map(|(_, _, em)| *em).fold(0.0, f64::max);
    extents.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut covered, mut end) = (0.0, f64::NEG_INFINITY);
    for (lo, hi, em) in extents {
        let from = if lo - end <= GAP_EM * em { end.max(rule.lo) } else { lo.max(rule.lo) };
        covered += (hi.min(rule.hi) - from).max(0.0);
        end = end.max(hi);
    }
    covered >= COVERED * (rule.hi - rule.lo) && rule.hi - rule.lo >= LENGTH_EM * em
}

#[cfg(test)]
mod tests {
    use hayro_interpret::kurbo::Point;

    use super::*;

    fn text(text: &str, x: f64) -> Vec<Glyph> {
        let at = |k: usize| Point::new(x + 5.0 * k as f64, 100.0);
        let glyph = |(k, ch)| Glyph {
            ch,
            guessed: false,
            is_unseen: false,
            start: at(k),
            end: at(k + 1),
            em: 10.0,
            angle: 0,
            style: Default::default(),
        };
        text.chars().enumerate().map(glyph).collect()
    }

    #[test]
    fn only_a_line_through_its_own_text_strikes_it_out() {
        let table = [
            // Height, ends and thickness of the line; then what is left of "are not allowed".
            ((97.0, 20.0, 35.0, 0.5), "are  allowed"),
            ((97.0, 0.0, 75.0, 0.5), "  "),
            ((101.0, 20.0, 35.0, 0.5), "are not allowed"),
            ((92.0, 20.0, 35.0, 0.5), "are not allowed"),
            ((97.0, 20.0, 35.0, 3.0), "are not allowed"),
            ((97.0, -100.0, 300.0, 0.5), "are not allowed"),
        ];
        for ((at, lo, hi, thickness), want) in table {
            let mut rulings = Rulings { level: vec![Rule { at, lo, hi, thickness }], upright: Vec::new() };
            let mut glyphs = text("are not allowed", 0.0);
            leave_out_struck(&mut glyphs, &rulings);
            let left: String = glyphs.iter().map(|g| g.ch).filter(|ch| *ch != LEFT_OUT).collect();
            assert_eq!(left, want, "{at} {lo} {hi} {thickness}");
            rulings.upright = [lo, hi].map(|at| Rule { at, lo: 80.0, hi: 97.0, thickness }).to_vec();
            let mut framed = text("are not allowed", 0.0);
            assert_eq!(leave_out_struck(&mut framed, &rulings), 0);
        }
    }
}
