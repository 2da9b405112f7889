//! Colours in the notations of CSS.

use super::css_value::{DeclaredValue, LEAST_OPACITY, arguments, number};

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
}
