//! Formats the numbers of cells as on the screen: dates, times and percentages by their format, other numbers in their shortest form.

use std::collections::BTreeMap;

use super::super::markup::{Markup, walk};

/// Days between the first of January 1970 and day 0 of a workbook, and of one that counts from 1904.
const EPOCH_1900: i64 = 25_569;
const EPOCH_1904: i64 = 24_107;
const SECONDS_OF_DAY: f64 = 86_400.0;
/// End of the days that are dates: the end of the year 9999.
const MAX_DAY: f64 = 2_958_466.0;

/// How a format shows a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberFormat {
    Plain,
    Percent,
    Date,
}

/// The formats of a workbook.
#[derive(Debug)]
pub(super) struct Formats {
    /// Indexed by the style number of cells.
    shapes: Vec<NumberFormat>,
    epoch: i64,
}

impl Formats {
    /// Reads the formats in the part `styles.xml`.
    pub(super) fn read(part: &[u8], is_from_1904: bool) -> Self {
        let (mut own, mut shapes, mut in_cells) = (BTreeMap::new(), Vec::new(), false);
        walk(part, |event| match event {
            Markup::Open(element) => match element.name.as_str() {
                "numFmt" => own.extend(element.attribute("numFmtId").zip(element.attribute("formatCode"))),
                "cellXfs" => in_cells = true,
                "xf" if in_cells => {
                    let id = element.attribute("numFmtId").unwrap_or_default();
                    shapes.push(own.get(&id).map_or_else(|| built_in(&id), |code| shape(code)));
                }
                _ => {}
            },
            Markup::Close(name) if name == "cellXfs" => in_cells = false,
            _ => {}
        });
        Self { shapes, epoch: if is_from_1904 { EPOCH_1904 } else { EPOCH_1900 } }
    }

    /// Formats the number `value` in the style `style`; a value that is not a number is returned unchanged.
    pub(super) fn shown(&self, value: &str, style: usize) -> String {
        let Some(number) = value.parse::<f64>().ok().filter(|number| number.is_finite()) else {
            return value.to_owned();
        };
        match self.shapes.get(style) {
            Some(NumberFormat::Percent) => format!("{}%", shortest(number * 100.0)),
            Some(NumberFormat::Date) if (0.0..MAX_DAY).contains(&number) => self.date(number),
            _ => shortest(number),
        }
    }

    fn date(&self, number: f64) -> String {
        let seconds = (number.fract() * SECONDS_OF_DAY).round() as i64;
        let time = format!("{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
        let time = if seconds % 60 == 0 { time } else { format!("{time}:{:02}", seconds % 60) };
        if number < 1.0 {
            return time;
        }
        // Workbooks count a day 60 of 1900 that never existed, so before it the count is one less.
        let early = i64::from(self.epoch == EPOCH_1900 && number < 60.0);
        let (year, month, day) = civil(number as i64 - self.epoch + early);
        let date = format!("{year:04}-{month:02}-{day:02}");
        if seconds == 0 { date } else { format!("{date} {time}") }
    }
}

/// A number in 15 digits, the precision of a workbook: 0.1 + 0.2 is 0.3.
fn shortest(number: f64) -> String {
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    rounded.to_string()
}

/// Formats identified by number only (ECMA-376, part 1, 18.8.30).
fn built_in(id: &str) -> NumberFormat {
    match id.parse::<u32>() {
        Ok(9 | 10) => NumberFormat::Percent,
        Ok(14..=22 | 27..=36 | 45..=47 | 50..=58) => NumberFormat::Date,
        _ => NumberFormat::Plain,
    }
}

/// The kind of a format code, ignoring quoted and bracketed parts: `yyyy-mm-dd`, `0.0%`, `[Red]#,##0`.
fn shape(code: &str) -> NumberFormat {
    let (mut is_quoted, mut in_brackets, mut is_escaped) = (false, false, false);
    for c in code.chars() {
        match c {
            _ if std::mem::take(&mut is_escaped) => {}
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            _ if in_brackets => {}
            '\\' | '_' | '*' => is_escaped = true,
            '%' => return NumberFormat::Percent,
            'y' | 'Y' | 'd' | 'D' | 'h' | 'H' | 's' | 'S' | 'm' | 'M' => return NumberFormat::Date,
            // "General", in any language.
            c if c.is_alphabetic() && c != 'E' && c != 'e' => return NumberFormat::Plain,
            _ => {}
        }
    }
    NumberFormat::Plain
}

/// Year, month and day of a day number counted from the first of January 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    // Hinnant's algorithm: eras of 400 years that begin in March.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_of_year = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_of_year + 2) / 5 + 1;
    let month = if month_of_year < 10 { month_of_year + 3 } else { month_of_year - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLES: &[u8] = b"<s><numFmts><numFmt numFmtId='164' formatCode='dd\\.mm\\.yyyy hh:mm'/>\
        <numFmt numFmtId='165' formatCode='[Red]#,##0.00 &quot;days&quot;'/><numFmt numFmtId='166' formatCode='0.0%'/></numFmts>\
        <cellStyleXfs><xf numFmtId='14'/></cellStyleXfs>\
        <cellXfs><xf numFmtId='0'/><xf numFmtId='164'/><xf numFmtId='165'/><xf numFmtId='166'/><xf numFmtId='14'/></cellXfs></s>";

    #[test]
    fn numbers_read_as_on_the_screen() {
        let formats = Formats::read(STYLES, false);
        for (value, style, want) in [
            ("0.30000000000000004", 0, "0.3"),
            ("1E-3", 0, "0.001"),
            ("12345678", 2, "12345678"),
            ("0.07", 3, "7%"),
            ("45306.5", 1, "2024-01-15 12:00"),
            ("0.75001", 4, "18:00:01"),
            ("1", 4, "1900-01-01"),
            ("61", 4, "1900-03-01"),
            ("-1", 4, "-1"),
            ("2958465", 4, "9999-12-31"),
            ("2958466", 4, "2958466"),
            ("n/a", 0, "n/a"),
            ("5", 99, "5"),
        ] {
            assert_eq!(formats.shown(value, style), want, "{value} {style}");
        }
        assert_eq!(Formats::read(STYLES, true).shown("0.5", 4), "12:00");
        assert_eq!(Formats::read(STYLES, true).shown("43844", 4), "2024-01-15");
    }
}
