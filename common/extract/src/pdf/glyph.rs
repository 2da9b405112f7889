//! A character at its place on a page, and the coordinate frame of a writing direction.

use hayro_interpret::kurbo::{Point, Vec2};

/// A character as shown on the page. Page space: points, origin at the top left of the upright page, y downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Glyph {
    /// The character; any white space is `' '`.
    pub(super) ch: char,
    /// Whether the meaning is only the character code, because the file does not define it.
    pub(super) guessed: bool,
    /// Whether it is drawn without ink, over the picture of a scan or to be hidden, or covered by a box drawn later.
    pub(super) is_unseen: bool,
    /// Start of its advance, on the baseline.
    pub(super) start: Point,
    /// End of its advance, on the baseline.
    pub(super) end: Point,
    /// Height of the font's em square in points, always positive.
    pub(super) em: f64,
    /// Direction of writing in whole degrees, 0..360, clockwise on the page; 0 is left to right.
    pub(super) angle: u16,
    pub(super) style: GlyphStyle,
}

/// Stands for a character that is shown crossed out or covered. It keeps its place, so that the text around it stays one line, and is not
/// read. No document has it: controls are removed.
pub(super) const LEFT_OUT: char = '\0';

/// Further properties of a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GlyphStyle {
    /// Whether the font declares itself as bold; Type 1 and Type 3 fonts do not.
    pub(super) bold: bool,
    /// Whether the character belongs to the value of a form field.
    pub(super) field: bool,
}

/// A character in the frame of its direction: `u` grows along the line, `v` from line to line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PlacedGlyph {
    pub(super) ch: char,
    pub(super) u0: f64,
    pub(super) u1: f64,
    pub(super) v: f64,
    pub(super) em: f64,
    pub(super) style: GlyphStyle,
}

impl Glyph {
    /// Converts the glyph to the frame of its own direction.
    pub(super) fn place(&self) -> PlacedGlyph {
        let (sin, cos) = match self.angle {
            0 => (0.0, 1.0),
            turned => f64::from(turned).to_radians().sin_cos(),
        };
        let along = |p: Point| p.x * cos + p.y * sin;
        let across = |p: Point| p.y * cos - p.x * sin;
        PlacedGlyph {
            ch: self.ch,
            u0: along(self.start),
            u1: along(self.end),
            v: across(self.start),
            em: self.em,
            style: self.style,
        }
    }
}

/// The direction of a vector in whole degrees, 0..360. Within 2 degrees of an axis it snaps to the axis, so that a slightly rotated scan
/// stays one body of text; 2 is chosen, not measured.
pub(super) fn direction(v: Vec2) -> u16 {
    if v.y == 0.0 && v.x > 0.0 {
        return 0;
    }
    let degrees = v.y.atan2(v.x).to_degrees().rem_euclid(360.0);
    let axis = (degrees / 90.0).round() * 90.0;
    let snapped = if (degrees - axis).abs() <= 2.0 { axis } else { degrees.round() };
    snapped as u16 % 360
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_near_an_axis_are_the_axis() {
        let table = [
            ((1.0, 0.0), 0),
            ((1.0, 0.02), 0),
            ((1.0, -0.02), 0),
            ((0.0, 1.0), 90),
            ((-1.0, 0.0), 180),
            ((0.0, -1.0), 270),
            ((1.0, 1.0), 45),
        ];
        for (v, want) in table {
            assert_eq!(direction(Vec2::new(v.0, v.1)), want, "{v:?}");
        }
    }

    #[test]
    fn vertical_text_has_its_lines_from_right_to_left() {
        let glyph = |x: f64| Glyph {
            ch: 'a',
            guessed: false,
            is_unseen: false,
            start: Point::new(x, 10.0),
            end: Point::new(x, 16.0),
            em: 10.0,
            angle: 90,
            style: GlyphStyle::default(),
        };
        let (right, left) = (glyph(100.0).place(), glyph(50.0).place());
        assert!((right.u0 - 10.0).abs() < 1e-9 && (right.u1 - 16.0).abs() < 1e-9);
        assert!(right.v < left.v);
    }
}
