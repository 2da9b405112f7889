//! The properties of CSS that decide whether text is visible, whether it is raised, lowered or struck out, which boxes it
//! stands in, and how its list is numbered.

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
    /// The markers of the items of a list.
    ListStyle,
}

/// Number of properties.
pub(super) const PROPERTIES: usize = Property::ListStyle as usize + 1;
