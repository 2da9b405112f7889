//! The straight lines drawn on a page. Ignores curves, slants and colours.

use hayro_interpret::kurbo::{Affine, BezPath, PathEl, Point, Rect};
use hayro_interpret::{DrawMode, DrawProps};

/// Most lines kept of a page; limits the memory. A drawing has more, and is no table.
const MAX_RULES: usize = 20_000;
/// Largest thickness, in points, of a filled box that is a line.
const MAX_THICKNESS: f64 = 3.0;
/// Largest deviation, in points, of the ends of a line that is level or upright.
const SLANT: f64 = 0.5;
/// Most corners of a filled shape that may be a box.
const BOX_ELEMENTS: usize = 6;

/// A level or upright line, in page space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rule {
    /// Its height on the page if level, its distance from the left edge if upright.
    pub(super) at: f64,
    pub(super) lo: f64,
    pub(super) hi: f64,
    pub(super) thickness: f64,
}

/// The lines of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rulings {
    pub(super) level: Vec<Rule>,
    pub(super) upright: Vec<Rule>,
}

impl Rulings {
    /// Adds the lines of a path that is drawn.
    pub(super) fn add_path(&mut self, path: &BezPath, props: &DrawProps<'_>, mode: &DrawMode) {
        match mode {
            DrawMode::Stroke(stroke) => self.add_strokes(path, props.transform, f64::from(stroke.line_width)),
            DrawMode::Fill(_) | DrawMode::FillAndStroke(..) => {
                boxes(path, props.transform, |filled| self.add_box(filled));
            }
            DrawMode::Invisible => {}
        }
    }

    /// Adds the lines of a rectangle that is drawn.
    pub(super) fn add_rect(&mut self, rect: &Rect, props: &DrawProps<'_>, mode: &DrawMode) {
        let Some(drawn) = upright_box(rect, props.transform) else {
            return;
        };
        match mode {
            DrawMode::Stroke(stroke) => {
                let width = f64::from(stroke.line_width) * scale(props.transform);
                let corners = [(drawn.x0, drawn.y0), (drawn.x1, drawn.y0), (drawn.x1, drawn.y1), (drawn.x0, drawn.y1)];
                let corners = corners.map(Point::from);
                (0..4).for_each(|k| self.add_line(corners[k], corners[(k + 1) % 4], width));
            }
            DrawMode::Fill(_) | DrawMode::FillAndStroke(..) => self.add_box(drawn),
            DrawMode::Invisible => {}
        }
    }

    fn add_strokes(&mut self, path: &BezPath, to_page: Affine, width: f64) {
        let width = width * scale(to_page);
        let (mut start, mut last) = (Point::ZERO, Point::ZERO);
        for element in path.elements() {
            match *element {
                PathEl::MoveTo(to) => (start, last) = (to_page * to, to_page * to),
                PathEl::LineTo(to) => {
                    let to = to_page * to;
                    self.add_line(last, to, width);
                    last = to;
                }
                PathEl::QuadTo(_, to) | PathEl::CurveTo(_, _, to) => last = to_page * to,
                PathEl::ClosePath => {
                    self.add_line(last, start, width);
                    last = start;
                }
            }
        }
    }

    /// Adds a filled box if it is thin enough to be a line.
    fn add_box(&mut self, filled: Rect) {
        let (width, height) = (filled.width(), filled.height());
        let middle = filled.center();
        if height <= MAX_THICKNESS && height < width {
            self.add_line(Point::new(filled.x0, middle.y), Point::new(filled.x1, middle.y), height);
        } else if width <= MAX_THICKNESS && width < height {
            self.add_line(Point::new(middle.x, filled.y0), Point::new(middle.x, filled.y1), width);
        }
    }

    fn add_line(&mut self, from: Point, to: Point, thickness: f64) {
        let (dx, dy) = ((to.x - from.x).abs(), (to.y - from.y).abs());
        if !(dx + dy).is_finite() || self.level.len() + self.upright.len() >= MAX_RULES {
            return;
        }
        if dy <= SLANT && dx > dy {
            let at = (from.y + to.y) / 2.0;
            self.level.push(Rule { at, lo: from.x.min(to.x), hi: from.x.max(to.x), thickness });
        } else if dx <= SLANT && dy > dx {
            let at = (from.x + to.x) / 2.0;
            self.upright.push(Rule { at, lo: from.y.min(to.y), hi: from.y.max(to.y), thickness });
        }
    }
}

/// Calls `found` with each part of a path that is a box with level and upright sides, in page space.
pub(super) fn boxes(path: &BezPath, to_page: Affine, mut found: impl FnMut(Rect)) {
    let mut part: Vec<Point> = Vec::new();
    let mut close = |part: &mut Vec<Point>| {
        if let Some(filled) = box_of(part) {
            found(filled);
        }
        part.clear();
    };
    let mut is_straight = true;
    for element in path.elements() {
        match *element {
            PathEl::MoveTo(to) => {
                close(&mut part);
                part.push(to_page * to);
                is_straight = true;
            }
            PathEl::LineTo(to) if is_straight && part.len() < BOX_ELEMENTS => part.push(to_page * to),
            PathEl::LineTo(_) | PathEl::QuadTo(..) | PathEl::CurveTo(..) => {
                part.clear();
                is_straight = false;
            }
            PathEl::ClosePath => {}
        }
    }
    close(&mut part);
}

/// The box that a path in page space consists of; `None` for other shapes.
pub(super) fn only_box(path: &BezPath) -> Option<Rect> {
    let (mut found, mut parts) = (None, 0);
    boxes(path, Affine::IDENTITY, |filled| {
        found = Some(filled);
        parts += 1;
    });
    let begun = path.elements().iter().filter(|element| matches!(element, PathEl::MoveTo(_))).count();
    found.filter(|_| parts == 1 && begun == 1)
}

/// The box of four corners, the first possibly repeated.
fn box_of(corners: &[Point]) -> Option<Rect> {
    let corners = match corners {
        [rest @ .., last] if rest.len() == 4 && rest[0].distance(*last) <= SLANT => rest,
        corners => corners,
    };
    let [a, b, c, d] = corners else {
        return None;
    };
    let is_level = |p: &Point, q: &Point| (p.y - q.y).abs() <= SLANT;
    let is_upright = |p: &Point, q: &Point| (p.x - q.x).abs() <= SLANT;
    let one_way = is_level(a, b) && is_upright(b, c) && is_level(c, d) && is_upright(d, a);
    let other_way = is_upright(a, b) && is_level(b, c) && is_upright(c, d) && is_level(d, a);
    (one_way || other_way).then(|| Rect::from_points(*a, *c))
}

/// The rectangle in page space; `None` if it is turned.
pub(super) fn upright_box(rect: &Rect, to_page: Affine) -> Option<Rect> {
    let corners = [(rect.x0, rect.y0), (rect.x1, rect.y0), (rect.x1, rect.y1), (rect.x0, rect.y1)];
    box_of(&corners.map(|corner| to_page * Point::from(corner)))
}

fn scale(to_page: Affine) -> f64 {
    to_page.determinant().abs().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_found_among_the_parts_of_a_path() {
        let mut path = BezPath::new();
        for (x, y) in [(0.0, 0.0), (10.0, 0.0), (20.0, 5.0)] {
            path.move_to((x, y));
            path.line_to((x + 8.0, y));
            path.line_to((x + 8.0, y + 4.0));
            path.line_to((x, y + if x == 10.0 { 3.0 } else { 4.0 }));
            path.close_path();
        }
        let mut found = Vec::new();
        boxes(&path, Affine::scale(2.0), |filled| found.push(filled));
        assert_eq!(found, [Rect::new(0.0, 0.0, 16.0, 8.0), Rect::new(40.0, 10.0, 56.0, 18.0)]);
    }

    #[test]
    fn thin_boxes_are_lines() {
        let table = [
            (Rect::new(0.0, 0.0, 100.0, 1.0), (1, 0)),
            (Rect::new(0.0, 0.0, 1.0, 100.0), (0, 1)),
            (Rect::new(0.0, 0.0, 100.0, 3.0), (1, 0)),
            (Rect::new(0.0, 0.0, 100.0, 3.1), (0, 0)),
        ];
        for (filled, want) in table {
            let mut rulings = Rulings::default();
            rulings.add_box(filled);
            assert_eq!((rulings.level.len(), rulings.upright.len()), want, "{filled:?}");
        }
    }
}
