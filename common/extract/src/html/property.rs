//! The properties of CSS that decide whether text is visible.

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
