//! The properties of CSS that decide whether text is visible, whether it is raised, lowered or struck out, and which boxes it stands in.

/// A property that decides how text is seen, alone or together with others.
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
    VerticalAlign,
    LineThrough,
    Relative,
    /// The box that `display` makes of an element.
    Shape,
}

/// Number of properties.
pub(super) const PROPERTIES: usize = Property::Shape as usize + 1;
