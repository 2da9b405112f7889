//! The value of a CSS declaration, and the forms that many values have: numbers, `calc()` around one, arguments of functions.

/// Opacity below which text is invisible. Chosen: 0.1 of black on white has a contrast of 1.25, and text needs 4.5 (WCAG 2.2, 1.4.3).
pub(super) const LEAST_OPACITY: f32 = 0.1;

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

/// Parses a number or a percentage.
pub(super) fn number(value: &str) -> Option<f32> {
    let value = single_term(value).unwrap_or(value);
    match value.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f32>().ok().map(|percent| percent / 100.0),
        None => value.trim().parse().ok(),
    }
}

/// The value inside `calc()` around a single term; `None` if `value` is no `calc()`.
pub(super) fn single_term(value: &str) -> Option<&str> {
    let mut term = value;
    while let Some(inside) = term.strip_prefix("calc(").and_then(|rest| rest.strip_suffix(')')) {
        term = inside.trim();
    }
    (term.len() != value.len()).then_some(term)
}

/// The text between the brackets of the function `name`.
pub(super) fn arguments<'v>(value: &'v str, name: &str) -> Option<&'v str> {
    value.match_indices(name).find_map(|(at, _)| {
        let starts = at == 0 || !value.as_bytes()[at - 1].is_ascii_alphanumeric();
        let inside = value[at + name.len()..].strip_prefix('(').filter(|_| starts)?;
        Some(inside.split(')').next().unwrap_or_default())
    })
}
