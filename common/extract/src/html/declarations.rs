//! CSS declarations that can hide text, with their values as plain numbers. A value that is not understood is
//! [`DeclaredValue::Unknown`] and hides nothing. Works on text alone, without elements.

use super::css_text::plain;

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
/// Opacity below which text is invisible. Chosen: 0.1 of black on white has a contrast of 1.25, and text needs 4.5 (WCAG 2.2, 1.4.3).
const LEAST_OPACITY: f32 = 0.1;
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

/// The value of a declaration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum DeclaredValue {
    /// The property hides text, or does its part in it: `display: none`, `opacity: 0`, `position: absolute`, `overflow: hidden`.
    Yes,
    /// The property does not hide text.
    No,
    /// A length in pixels.
    Px(f32),
    /// A length relative to the surrounding text size.
    Em(f32),
    /// An opaque colour.
    Rgb([u8; 3]),
    /// A transparent colour.
    Clear,
    /// The value of the parent element.
    Inherit,
    Unknown,
}

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

/// Parses a number or a percentage.
fn number(value: &str) -> Option<f32> {
    let value = single_term(value).unwrap_or(value);
    match value.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f32>().ok().map(|percent| percent / 100.0),
        None => value.trim().parse().ok(),
    }
}

/// The value inside `calc()` around a single term; `None` if `value` is no `calc()`.
fn single_term(value: &str) -> Option<&str> {
    let mut term = value;
    while let Some(inside) = term.strip_prefix("calc(").and_then(|rest| rest.strip_suffix(')')) {
        term = inside.trim();
    }
    (term.len() != value.len()).then_some(term)
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

/// The text between the brackets of the function `name`.
fn arguments<'v>(value: &'v str, name: &str) -> Option<&'v str> {
    value.match_indices(name).find_map(|(at, _)| {
        let starts = at == 0 || !value.as_bytes()[at - 1].is_ascii_alphanumeric();
        let inside = value[at + name.len()..].strip_prefix('(').filter(|_| starts)?;
        Some(inside.split(')').next().unwrap_or_default())
    })
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

/// Parses a colour. A semi-transparent one counts as opaque, unless it is almost transparent.
pub(super) fn color(value: &str) -> DeclaredValue {
    match value {
        "transparent" => return DeclaredValue::Clear,
        "inherit" | "currentcolor" | "unset" => return DeclaredValue::Inherit,
        _ => {}
    }
    if let Some(hex) = value.strip_prefix('#') {
        return from_hex(hex).unwrap_or(DeclaredValue::Unknown);
    }
    if let Some(inside) = arguments(value, "rgba").or_else(|| arguments(value, "rgb")) {
        let parts = parts(inside);
        let part = |part: &str| match part.strip_suffix('%') {
            Some(percent) => percent.parse::<f32>().ok().map(|n| n * 2.55),
            None => part.parse().ok(),
        };
        let channels: Option<Vec<f32>> = parts.iter().take(3).map(|n| part(n)).collect();
        return channels.map_or(DeclaredValue::Unknown, |channels| opaque(&channels, parts.get(3).copied()));
    }
    if let Some(inside) = arguments(value, "hsla").or_else(|| arguments(value, "hsl")) {
        return from_hsl(&parts(inside));
    }
    NAMES.iter().find(|(name, _)| *name == value).map_or(DeclaredValue::Unknown, |(_, rgb)| DeclaredValue::Rgb(*rgb))
}

fn parts(inside: &str) -> Vec<&str> {
    inside.split([',', '/', ' ']).map(str::trim).filter(|part| !part.is_empty()).collect()
}

fn opaque(channels: &[f32], alpha: Option<&str>) -> DeclaredValue {
    let [r, g, b] = *channels else { return DeclaredValue::Unknown };
    match alpha.map(number) {
        Some(None) => DeclaredValue::Unknown,
        Some(Some(alpha)) if alpha < LEAST_OPACITY => DeclaredValue::Clear,
        // `as` saturates at the bounds of the type.
        _ => DeclaredValue::Rgb([r.round() as u8, g.round() as u8, b.round() as u8]),
    }
}

fn from_hex(hex: &str) -> Option<DeclaredValue> {
    let digit = |at: usize| hex.get(at..=at).and_then(|d| u8::from_str_radix(d, 16).ok());
    let byte = |at: usize| hex.get(at..at + 2).and_then(|d| u8::from_str_radix(d, 16).ok());
    let (rgb, alpha) = match hex.len() {
        3 | 4 => ([digit(0)? * 17, digit(1)? * 17, digit(2)? * 17], if hex.len() == 4 { digit(3)? * 17 } else { 255 }),
        6 | 8 => ([byte(0)?, byte(2)?, byte(4)?], if hex.len() == 8 { byte(6)? } else { 255 }),
        _ => return None,
    };
    Some(if f32::from(alpha) / 255.0 < LEAST_OPACITY { DeclaredValue::Clear } else { DeclaredValue::Rgb(rgb) })
}

/// Hue in degrees, saturation and lightness in percent (CSS Color 4, 7.1).
fn from_hsl(parts: &[&str]) -> DeclaredValue {
    let percent = |at: usize| parts.get(at).and_then(|n| number(n)).filter(|n| (0.0..=1.0).contains(n));
    let hue = parts.first().and_then(|hue| hue.trim_end_matches("deg").parse::<f32>().ok());
    let (Some(hue), Some(saturation), Some(light)) = (hue, percent(1), percent(2)) else {
        return DeclaredValue::Unknown;
    };
    let reach = saturation * light.min(1.0 - light);
    let channel = |n: f32| {
        let k = (n + hue / 30.0).rem_euclid(12.0);
        255.0 * (light - reach * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0))
    };
    opaque(&[channel(0.0), channel(8.0), channel(4.0)], parts.get(3).copied())
}

/// Names of colours that are used as backgrounds; other names are not understood.
const NAMES: [(&str, [u8; 3]); 22] = [
    ("white", [255, 255, 255]),
    ("black", [0, 0, 0]),
    ("snow", [255, 250, 250]),
    ("ivory", [255, 255, 240]),
    ("ghostwhite", [248, 248, 255]),
    ("floralwhite", [255, 250, 240]),
    ("whitesmoke", [245, 245, 245]),
    ("mintcream", [245, 255, 250]),
    ("azure", [240, 255, 255]),
    ("aliceblue", [240, 248, 255]),
    ("gray", [128, 128, 128]),
    ("grey", [128, 128, 128]),
    ("silver", [192, 192, 192]),
    ("lightgray", [211, 211, 211]),
    ("lightgrey", [211, 211, 211]),
    ("gainsboro", [220, 220, 220]),
    ("red", [255, 0, 0]),
    ("green", [0, 128, 0]),
    ("blue", [0, 0, 255]),
    ("navy", [0, 0, 128]),
    ("yellow", [255, 255, 0]),
    ("orange", [255, 165, 0]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_in_every_notation() {
        for (text, want) in [
            ("#fff", DeclaredValue::Rgb([255; 3])),
            ("#0a141e", DeclaredValue::Rgb([10, 20, 30])),
            ("#ffffff08", DeclaredValue::Clear),
            ("rgb(10, 20,30)", DeclaredValue::Rgb([10, 20, 30])),
            ("rgb(100% 0% 0% / 50%)", DeclaredValue::Rgb([255, 0, 0])),
            ("rgba(0,0,0,.01)", DeclaredValue::Clear),
            ("hsl(0, 0%, 100%)", DeclaredValue::Rgb([255; 3])),
            ("hsl(240deg 100% 50%)", DeclaredValue::Rgb([0, 0, 255])),
            ("var(--x)", DeclaredValue::Unknown),
            ("#ff", DeclaredValue::Unknown),
            ("rgb(1,2)", DeclaredValue::Unknown),
            ("currentcolor", DeclaredValue::Inherit),
        ] {
            assert_eq!(color(text), want, "{text}");
        }
    }

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
