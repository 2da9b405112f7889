//! The value of a CSS declaration, and the forms that many values have: numbers, lengths, arguments of functions.

use super::css_math::{EM_PX, Quantity, quantity};

/// Opacity below which text is invisible. Chosen: 0.1 of black on white has a contrast of 1.25, and text needs 4.5 (WCAG 2.2, 1.4.3).
pub(super) const LEAST_OPACITY: f32 = 0.1;

/// Least distance in pixels that moves text off the screen. Chosen: pages use 999 and more for hiding, and less than a screen for layout.
const OFF_SCREEN_PX: f32 = 900.0;

/// Most bytes of a value that are read; a longer one is not understood.
pub(super) const MAX_VALUE_BYTES: usize = 256;

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
    /// A box with text.
    Box(BoxShape),
    /// Numbers of list items, by the name of their kind.
    Numbers(&'static str),
}

/// The box that `display` makes of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BoxShape {
    /// Lines of its own.
    Block,
    /// A box in a line, whose text is not drawn through with the line's.
    InLine,
    Table,
    Row,
    Cell,
    /// Any other: in a line, a part of a table without cells, or not understood.
    Other,
}

impl BoxShape {
    /// The box of a `display` value.
    pub(super) fn from_display(value: &str) -> Self {
        match value {
            "block" | "flex" | "grid" | "flow-root" | "list-item" => Self::Block,
            "inline-block" | "inline-flex" | "inline-grid" | "inline-table" => Self::InLine,
            "table" => Self::Table,
            "table-row" => Self::Row,
            "table-cell" => Self::Cell,
            _ => Self::Other,
        }
    }
}

/// Parses a number or a percentage.
pub(super) fn number(value: &str) -> Option<f32> {
    match quantity(value)? {
        Quantity::Number(n) | Quantity::Percent(n) => Some(n),
        Quantity::Length { .. } => None,
    }
}

/// The text between the brackets of the function `name`.
pub(super) fn arguments<'v>(value: &'v str, name: &str) -> Option<&'v str> {
    value.match_indices(name).find_map(|(at, _)| {
        let starts = at == 0 || !value.as_bytes()[at - 1].is_ascii_alphanumeric();
        let inside = value[at + name.len()..].strip_prefix('(').filter(|_| starts)?;
        Some(inside.split(')').next().unwrap_or_default())
    })
}

/// Whether a length moves text off the screen, up or to the left; a reader can scroll right and down.
pub(super) fn is_off(length: DeclaredValue) -> bool {
    match length {
        DeclaredValue::Px(px) => px <= -OFF_SCREEN_PX,
        DeclaredValue::Em(em) => em * 16.0 <= -OFF_SCREEN_PX,
        _ => false,
    }
}

/// Parses a length.
pub(super) fn length(value: &str) -> DeclaredValue {
    match quantity(value) {
        Some(Quantity::Length { px, em: 0.0 }) => DeclaredValue::Px(px),
        Some(Quantity::Length { px: 0.0, em }) => DeclaredValue::Em(em),
        Some(Quantity::Length { px, em }) => DeclaredValue::Px(px + em * EM_PX),
        // Only zero needs no unit, and only outside of a calculation.
        Some(Quantity::Number(0.0)) if !value.contains('(') => DeclaredValue::Px(0.0),
        Some(Quantity::Percent(0.0)) => DeclaredValue::Px(0.0),
        Some(Quantity::Number(_) | Quantity::Percent(_)) | None => DeclaredValue::Unknown,
    }
}

/// Parses the size of text; percentages are those of the surrounding text.
pub(super) fn font_size(value: &str) -> DeclaredValue {
    match value {
        "inherit" | "unset" => DeclaredValue::Inherit,
        _ => match quantity(value) {
            Some(Quantity::Percent(part)) => DeclaredValue::Em(part),
            _ => length(value),
        },
    }
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
            ("calc(1px + 2px)", DeclaredValue::Px(3.0)),
            ("calc(1px + 2em)", DeclaredValue::Px(33.0)),
            ("calc(0px)", DeclaredValue::Px(0.0)),
            ("calc( calc(-2em) )", DeclaredValue::Em(-2.0)),
            ("calc(0)", DeclaredValue::Unknown),
            ("calc(0px + 12px)", DeclaredValue::Px(12.0)),
            ("clamp(0px, 1px, 2px)", DeclaredValue::Px(1.0)),
            ("0%", DeclaredValue::Px(0.0)),
            ("50%", DeclaredValue::Unknown),
        ] {
            assert_eq!(length(text), want, "{text}");
        }
    }

    #[test]
    fn what_is_out_of_its_place_by_a_little_is_still_seen() {
        for (px, is_out) in [(-899.0, false), (-900.0, true), (-901.0, true)] {
            assert_eq!(is_off(DeclaredValue::Px(px)), is_out, "{px}");
        }
    }
}
