//! What the declaration of a property of CSS says, as a plain value. Works on text alone; knows no variables and no element.

use super::css_color::color;
use super::css_shape::{is_clipped_away, is_empty_rectangle, is_transformed_away};
use super::css_value::{BoxShape, DeclaredValue, LEAST_OPACITY, arguments, font_size, is_off, length, number};
use super::number_styles;
use super::property::Property;

/// Tells `claim` what the declaration `name: value` says of the properties that decide whether text is visible. `value` is in lower case,
/// without variables.
pub(super) fn read_declaration(name: &str, value: &str, claim: &mut impl FnMut(Property, DeclaredValue)) {
    use Property as P;
    match name {
        "display" => {
            claim(P::Display, if_so(value == "none"));
            claim(P::Shape, DeclaredValue::Box(BoxShape::from_display(value)));
        }
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
        "list-style" | "list-style-type" => claim(P::ListStyle, numbers(value)),
        "vertical-align" | "font-variant-position" => claim(P::VerticalAlign, height_on_the_line(value)),
        "text-decoration" | "text-decoration-line" => {
            claim(P::LineThrough, if_so(value.split(' ').any(|word| word == "line-through")));
        }
        "position" => {
            claim(P::Position, if_so(matches!(value, "absolute" | "fixed")));
            claim(P::Relative, if_so(value == "relative"));
        }
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

/// The numbers in a `list-style` value; unknown if it has bullets, no markers or numbers of another kind.
fn numbers(value: &str) -> DeclaredValue {
    let kind = value.split_ascii_whitespace().find_map(number_styles::of_style);
    kind.map_or(DeclaredValue::Unknown, |(name, _)| DeclaredValue::Numbers(name))
}

fn if_so(is_so: bool) -> DeclaredValue {
    if is_so { DeclaredValue::Yes } else { DeclaredValue::No }
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

/// The size in a `font` value: the word before the line height, or the first length.
fn size_of_font(value: &str) -> DeclaredValue {
    let mut sizes = value.split_ascii_whitespace().map(|word| font_size(word.split('/').next().unwrap_or_default()));
    sizes.find(|size| matches!(size, DeclaredValue::Px(_) | DeclaredValue::Em(_))).unwrap_or(DeclaredValue::Unknown)
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

/// By how much text is raised; less than 0 if it is lowered. Words are beyond all lengths, percent are of the usual line.
fn height_on_the_line(value: &str) -> DeclaredValue {
    const LINE_PX: f32 = 20.0;
    match value {
        "super" => DeclaredValue::Px(f32::INFINITY),
        "sub" => DeclaredValue::Px(f32::NEG_INFINITY),
        _ => match value.strip_suffix('%').and_then(|percent| percent.parse::<f32>().ok()) {
            Some(percent) => DeclaredValue::Px(percent * LINE_PX / 100.0),
            None => length(value),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_in_a_font_is_a_length() {
        for (text, want) in [
            ("bold 0/0 a", DeclaredValue::Px(0.0)),
            ("italic 12px/1.5 serif", DeclaredValue::Px(12.0)),
            ("menu", DeclaredValue::Unknown),
        ] {
            assert_eq!(size_of_font(text), want, "{text}");
        }
    }
}
