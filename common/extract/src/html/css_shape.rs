//! Shapes and transformations of CSS that leave nothing of an element to see.

use super::css_value::{DeclaredValue, arguments, is_off, length, number};

/// Whether a transformation moves an element off the screen, turns its edge to the reader, or shrinks it to nothing.
pub(super) fn is_transformed_away(value: &str) -> bool {
    let parts = |name| arguments(value, name).into_iter().flat_map(|inside: &str| inside.split(',').map(str::trim));
    let is_nothing = |n: &str| number(n) == Some(0.0);
    parts("scale").chain(parts("scalex")).chain(parts("scaley")).any(is_nothing)
        || parts("scale3d").take(2).any(is_nothing)
        || ["translate", "translatex", "translatey", "translate3d"]
            .into_iter()
            .any(|name| parts(name).any(|n| is_off(length(n))))
        || ["rotatex", "rotatey"]
            .into_iter()
            .any(|name| parts(name).any(|turn| matches!(turn, "90deg" | "-90deg" | "270deg")))
}

/// Whether a clip shape is empty: insets that meet, a circle without radius, a polygon of a single point.
pub(super) fn is_clipped_away(value: &str) -> bool {
    if let Some(inset) = arguments(value, "inset") {
        // A length may or may not be all of the element; what stands behind `round` is about its corners.
        let percent = |n: &str| if n == "0" { Some(0.0) } else { n.strip_suffix('%')?.parse::<f32>().ok() };
        let sides = inset.split_ascii_whitespace().take_while(|n| *n != "round").map(percent);
        let Some(insets) = sides.collect::<Option<Vec<f32>>>() else { return false };
        let at = |n: usize, or: usize| insets.get(n).or(insets.get(or)).or(insets.first()).copied().unwrap_or(0.0);
        return at(0, 0) + at(2, 0) >= 100.0 || at(1, 0) + at(3, 1) >= 100.0;
    }
    if let Some(radius) = arguments(value, "circle").or_else(|| arguments(value, "ellipse")) {
        return radius
            .split_ascii_whitespace()
            .next()
            .is_some_and(|n| number(n) == Some(0.0) || length(n) == DeclaredValue::Px(0.0));
    }
    arguments(value, "polygon").is_some_and(|points| {
        let mut points = points.split(',').map(|point| point.split_ascii_whitespace().collect::<Vec<_>>());
        let first = points.next();
        points.all(|point| Some(point) == first)
    })
}

/// Whether the rectangle of an old `clip` value is at most a pixel wide or high.
pub(super) fn is_empty_rectangle(value: &str) -> bool {
    let Some(inside) = arguments(value, "rect") else { return false };
    let sides: Vec<f32> = inside
        .split([',', ' '])
        .filter(|n| !n.is_empty())
        .map_while(|n| match length(n) {
            DeclaredValue::Px(px) => Some(px),
            _ => None,
        })
        .collect();
    matches!(sides[..], [top, right, bottom, left] if bottom - top <= 1.0 || right - left <= 1.0)
}
