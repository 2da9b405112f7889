//! CSS declarations that can hide text, with their values as plain numbers. A value that is not understood is
//! [`DeclaredValue::Unknown`] and hides nothing. Works on text alone, without elements.

use super::css_color::color;
use super::css_text::plain;
use super::css_value::{DeclaredValue, LEAST_OPACITY, arguments, number, single_term};

/// Pixels per unit, at the default text and screen size of browsers: 16 px, 1,280 by 800.
const UNITS: [(&str, f32); 11] = [
    ("rem", 16.0),
    ("px", 1.0),
    ("pt", 4.0 / 3.0),
    ("pc", 16.0),
    ("in", 96.0),
    ("cm", 37.8),
    ("mm", 3.78),
    ("vw", 12.8),
    ("vh", 8.0),
    ("ch", 8.0),
    ("ex", 8.0),
];
/// Least distance in pixels that moves text off the screen. Chosen: pages use 999 and more for hiding, and less than a screen for layout.
const OFF_SCREEN_PX: f32 = 900.0;
/// Most bytes of a value that are read; a longer one is not understood.
const MAX_VALUE_BYTES: usize = 256;

/// A property that decides whether text is visible, alone or together with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Property {
    Display,
    Visibility,
    ContentVisibility,
    Opacity,
    Filter,
    Transform,
    Zoom,
    ClipPath,
    Clip,
    TextIndent,
    FontSize,
    Color,
    TextFill,
    TextShadow,
    Background,
    BackgroundClip,
    Position,
    Left,
    Right,
    Top,
    Bottom,
    MarginLeft,
    MarginTop,
    PaddingLeft,
    PaddingTop,
    Width,
    MaxWidth,
    Height,
    MaxHeight,
    Overflow,
}

/// Number of properties.
pub(super) const PROPERTIES: usize = Property::Overflow as usize + 1;

/// The declaration of one property.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Declaration {
    pub(super) property: Property,
    pub(super) value: DeclaredValue,
    pub(super) is_important: bool,
}

impl Declaration {
    /// The declaration for a rule that may not apply: it may show text, but never hides any.
    pub(super) fn if_unsure(self) -> Option<Self> {
        match (self.property, self.value) {
            (_, DeclaredValue::Yes) => None,
            (Property::Color | Property::TextFill | Property::Background | Property::FontSize, _) => {
                Some(Self { value: DeclaredValue::Unknown, ..self })
            }
            (_, DeclaredValue::No | DeclaredValue::Unknown) => Some(self),
            _ => None,
        }
    }
}

/// The declarations in a list such as a `style` attribute, in order.
pub(super) fn claims(declarations: &str) -> Vec<Declaration> {
    let mut claims = Vec::new();
    for (name, value) in plain(declarations).split(';').filter_map(|one| one.split_once(':')) {
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        let (value, is_important) = match value.rsplit_once('!') {
            Some((value, word)) if word.trim().eq_ignore_ascii_case("important") => (value.trim(), true),
            _ => (value, false),
        };
        let value = match value.len() {
            0 => continue,
            // Longer values are embedded pictures.
            len if len > MAX_VALUE_BYTES => "?".to_owned(),
            _ => value.to_ascii_lowercase(),
        };
        declared(&name, &value, &mut |property, value| claims.push(Declaration { property, value, is_important }));
    }
    claims
}

fn declared(name: &str, value: &str, claim: &mut impl FnMut(Property, DeclaredValue)) {
    use Property as P;
    match name {
        "display" => claim(P::Display, if_so(value == "none")),
        "visibility" => claim(P::Visibility, if_so(matches!(value, "hidden" | "collapse"))),
        "content-visibility" => claim(P::ContentVisibility, if_so(value == "hidden")),
        "opacity" => claim(P::Opacity, if_so(number(value).is_some_and(|n| n < LEAST_OPACITY))),
        "filter" | "-webkit-filter" => {
            let opacity = arguments(value, "opacity").and_then(number);
            claim(P::Filter, if_so(opacity.is_some_and(|n| n < LEAST_OPACITY)));
        }
        "transform" | "-webkit-transform" => claim(P::Transform, if_so(is_transformed_away(value))),
        "scale" => claim(P::Transform, if_so(value.split(' ').take(2).any(|n| number(n) == Some(0.0)))),
        "zoom" => claim(P::Zoom, if_so(number(value) == Some(0.0))),
        "clip-path" | "-webkit-clip-path" => claim(P::ClipPath, if_so(is_clipped_away(value))),
        "clip" => claim(P::Clip, if_so(is_empty_rectangle(value))),
        "text-indent" => claim(P::TextIndent, if_so(is_off(length(value)))),
        "font-size" => claim(P::FontSize, font_size(value)),
        "font" => claim(P::FontSize, size_of_font(value)),
        "color" => claim(P::Color, color(value)),
        "-webkit-text-fill-color" => claim(P::TextFill, color(value)),
        "text-shadow" => claim(P::TextShadow, if_so(value != "none")),
        "background-color" => claim(P::Background, color(value)),
        "background" => {
            claim(P::Background, background(value));
            claim(P::BackgroundClip, if_so(value.split(' ').any(|word| word == "text")));
        }
        "background-image" if value != "none" => claim(P::Background, DeclaredValue::Unknown),
        "background-clip" | "-webkit-background-clip" => claim(P::BackgroundClip, if_so(value == "text")),
        "position" => claim(P::Position, if_so(matches!(value, "absolute" | "fixed"))),
        "left" => claim(P::Left, length(value)),
        "right" => claim(P::Right, length(value)),
        "top" => claim(P::Top, length(value)),
        "bottom" => claim(P::Bottom, length(value)),
        "inset" => sides(value, [P::Top, P::Right, P::Bottom, P::Left].map(Some), claim),
        "margin-left" => claim(P::MarginLeft, length(value)),
        "margin-top" => claim(P::MarginTop, length(value)),
        "margin" => sides(value, [Some(P::MarginTop), None, None, Some(P::MarginLeft)], claim),
        "padding-left" => claim(P::PaddingLeft, length(value)),
        "padding-top" => claim(P::PaddingTop, length(value)),
        "padding" => sides(value, [Some(P::PaddingTop), None, None, Some(P::PaddingLeft)], claim),
        "width" => claim(P::Width, length(value)),
        "max-width" => claim(P::MaxWidth, length(value)),
        "height" => claim(P::Height, length(value)),
        "max-height" => claim(P::MaxHeight, length(value)),
        "overflow" | "overflow-x" | "overflow-y" => {
            claim(P::Overflow, if_so(value.split(' ').any(|word| matches!(word, "hidden" | "clip"))));
        }
        _ => {}
    }
}

fn if_so(is_so: bool) -> DeclaredValue {
    if is_so { DeclaredValue::Yes } else { DeclaredValue::No }
}

/// Whether a length moves text off the screen, up or to the left; a reader can scroll right and down.
pub(super) fn is_off(length: DeclaredValue) -> bool {
    match length {
        DeclaredValue::Px(px) => px <= -OFF_SCREEN_PX,
        DeclaredValue::Em(em) => em * 16.0 <= -OFF_SCREEN_PX,
        _ => false,
    }
}

/// Reads one to four values for top, right, bottom and left.
fn sides(value: &str, sides: [Option<Property>; 4], claim: &mut impl FnMut(Property, DeclaredValue)) {
    let values: Vec<DeclaredValue> = value.split_ascii_whitespace().map(length).collect();
    let last = values.len().saturating_sub(1);
    for (at, side) in sides.into_iter().enumerate() {
        let from = match (at, last) {
            (3, 3) => 3,
            (1 | 3, 1..) => 1,
            (2, 2..) => 2,
            _ => 0,
        };
        if let (Some(side), Some(value)) = (side, values.get(from)) {
            claim(side, *value);
        }
    }
}

fn length(value: &str) -> DeclaredValue {
    if let Some(term) = single_term(value) {
        // Inside `calc()` even zero needs a unit.
        return if term.parse::<f32>().is_ok() { DeclaredValue::Unknown } else { length(term) };
    }
    if let Some(em) = value.strip_suffix("em").filter(|em| !em.ends_with('r')) {
        return em.parse().map_or(DeclaredValue::Unknown, DeclaredValue::Em);
    }
    match value.parse::<f32>() {
        // Only zero needs no unit.
        Ok(0.0) => return DeclaredValue::Px(0.0),
        Ok(_) => return DeclaredValue::Unknown,
        Err(_) if value == "0%" => return DeclaredValue::Px(0.0),
        Err(_) => {}
    }
    let unit = UNITS.iter().find_map(|(unit, px)| Some((value.strip_suffix(unit)?, px)));
    unit.and_then(|(n, px)| Some(n.parse::<f32>().ok()? * px))
        .filter(|px| px.is_finite())
        .map_or(DeclaredValue::Unknown, DeclaredValue::Px)
}

fn font_size(value: &str) -> DeclaredValue {
    match value.strip_suffix('%') {
        Some(percent) => {
            percent.parse().map_or(DeclaredValue::Unknown, |percent: f32| DeclaredValue::Em(percent / 100.0))
        }
        None if value == "inherit" => DeclaredValue::Inherit,
        None => length(value),
    }
}

/// The size in a `font` value: the word before the line height, or the first length.
fn size_of_font(value: &str) -> DeclaredValue {
    let mut sizes = value.split_ascii_whitespace().map(|word| font_size(word.split('/').next().unwrap_or_default()));
    sizes.find(|size| matches!(size, DeclaredValue::Px(_) | DeclaredValue::Em(_))).unwrap_or(DeclaredValue::Unknown)
}

fn is_transformed_away(value: &str) -> bool {
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
fn is_clipped_away(value: &str) -> bool {
    if let Some(inset) = arguments(value, "inset") {
        let insets: Vec<f32> =
            inset.split_ascii_whitespace().map_while(|n| n.strip_suffix('%')?.parse().ok()).collect();
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
fn is_empty_rectangle(value: &str) -> bool {
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

fn background(value: &str) -> DeclaredValue {
    if value.contains("url(") || value.contains("gradient(") || value.contains("image(") {
        return DeclaredValue::Unknown;
    }
    if value == "none" {
        return DeclaredValue::Clear;
    }
    let mut colors = split_words(value).map(color);
    colors.find(|color| !matches!(color, DeclaredValue::Unknown)).unwrap_or(DeclaredValue::Unknown)
}

/// Splits a value into words; a function with its arguments is one word.
fn split_words(value: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    value.split(move |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ' ' && depth == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_pixels_or_sizes_of_text() {
        for (text, want) in [
            ("0", DeclaredValue::Px(0.0)),
            ("-9999px", DeclaredValue::Px(-9999.0)),
            ("-2em", DeclaredValue::Em(-2.0)),
            ("2rem", DeclaredValue::Px(32.0)),
            ("-100vw", DeclaredValue::Px(-1280.0)),
            ("12", DeclaredValue::Unknown),
            ("calc(1px + 2px)", DeclaredValue::Unknown),
            ("calc(0px)", DeclaredValue::Px(0.0)),
            ("calc( calc(-2em) )", DeclaredValue::Em(-2.0)),
            ("calc(0)", DeclaredValue::Unknown),
            ("calc(0px + 12px)", DeclaredValue::Unknown),
            ("50%", DeclaredValue::Unknown),
        ] {
            assert_eq!(length(text), want, "{text}");
        }
        for (text, want) in [
            ("bold 0/0 a", DeclaredValue::Px(0.0)),
            ("italic 12px/1.5 serif", DeclaredValue::Px(12.0)),
            ("menu", DeclaredValue::Unknown),
        ] {
            assert_eq!(size_of_font(text), want, "{text}");
        }
    }

    #[test]
    fn a_value_is_read_up_to_a_length() {
        for (bytes, want) in [
            (MAX_VALUE_BYTES - 1, DeclaredValue::Yes),
            (MAX_VALUE_BYTES, DeclaredValue::Yes),
            (MAX_VALUE_BYTES + 1, DeclaredValue::No),
        ] {
            let value = format!("scale(0){}rotate(1deg)", " ".repeat(bytes - 20));
            assert_eq!(claims(&format!("transform:{value}"))[0].value, want, "{bytes}");
        }
    }

    #[test]
    fn what_is_out_of_its_place_by_a_little_is_still_seen() {
        for (px, is_out) in [(-899.0, false), (-900.0, true), (-901.0, true)] {
            assert_eq!(is_off(DeclaredValue::Px(px)), is_out, "{px}");
        }
    }
}
