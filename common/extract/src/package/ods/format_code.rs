//! [`FormatCode`]: a number style of OpenDocument as a code of workbooks, so that one reader shows numbers of both.

use super::super::markup::XmlElement;

/// The code of a style being read.
#[derive(Debug, Default)]
pub(super) struct FormatCode {
    code: String,
    /// Words being read.
    words: Option<String>,
    /// Whether a time counts hours beyond a day.
    counts_hours: bool,
    is_percentage: bool,
}

impl FormatCode {
    /// The code of the style that `element` begins; `None` if it is no number style.
    pub(super) fn from_element(element: &XmlElement<'_>) -> Option<Self> {
        let is_one = matches!(
            element.name.as_str(),
            "number-style" | "currency-style" | "percentage-style" | "date-style" | "time-style"
        );
        let counts_hours = element.attribute("truncate-on-overflow").as_deref() == Some("false");
        let is_percentage = element.name == "percentage-style";
        is_one.then(|| Self { counts_hours, is_percentage, ..Self::default() })
    }

    /// Takes a part of the style.
    pub(super) fn open(&mut self, element: &XmlElement<'_>) {
        let is_long = element.attribute("style").as_deref() == Some("long");
        let pick = |short: &'static str, long: &'static str| if is_long { long } else { short };
        let number = |name: &str| element.attribute(name).and_then(|number| number.parse::<usize>().ok()).unwrap_or(0);
        let places = |sign: &str, number: usize| sign.repeat(number.min(MAX_PLACES));
        let part = match element.name.as_str() {
            "text" | "currency-symbol" => {
                self.words = Some(String::new());
                return;
            }
            "number" | "scientific-number" => {
                let grouping = if element.attribute("grouping").as_deref() == Some("true") { "#,##" } else { "" };
                let least = places("0", number("min-integer-digits").max(usize::from(!grouping.is_empty())));
                let decimals = places("0", number("decimal-places"));
                let point = if decimals.is_empty() { "" } else { "." };
                let exponent = match element.name.as_str() {
                    "number" => String::new(),
                    _ => format!("E+{}", places("0", number("min-exponent-digits").max(1))),
                };
                let least = if least.is_empty() { "#".to_owned() } else { least };
                format!("{grouping}{least}{point}{decimals}{exponent}")
            }
            "fraction" => {
                let above = places("?", number("min-numerator-digits").max(1));
                let below = match number("denominator-value") {
                    0 => places("?", number("min-denominator-digits").max(1)),
                    value => value.to_string(),
                };
                format!("# {above}/{below}")
            }
            "year" => pick("yy", "yyyy").to_owned(),
            "month" if element.attribute("textual").as_deref() == Some("true") => pick("mmm", "mmmm").to_owned(),
            "month" => pick("m", "mm").to_owned(),
            "day" => pick("d", "dd").to_owned(),
            "day-of-week" => pick("ddd", "dddd").to_owned(),
            "hours" if self.counts_hours => "[h]".to_owned(),
            "hours" => pick("h", "hh").to_owned(),
            "minutes" => pick("m", "mm").to_owned(),
            "seconds" => {
                let decimals = places("0", number("decimal-places"));
                format!("{}{}{decimals}", pick("s", "ss"), if decimals.is_empty() { "" } else { "." })
            }
            "am-pm" => "AM/PM".to_owned(),
            _ => return,
        };
        self.code.push_str(&part);
    }

    /// Takes text of the style.
    pub(super) fn text(&mut self, text: &str) {
        if let Some(words) = &mut self.words {
            words.push_str(text);
        }
    }

    /// Ends a part of the style.
    pub(super) fn close(&mut self) {
        for c in self.words.take().unwrap_or_default().chars() {
            match c {
                // This has a meaning in a code, the others stand for themselves.
                '%' if self.is_percentage => self.code.push(c),
                ' ' | ':' | '-' | '/' | '(' | ')' => self.code.push(c),
                _ => self.code.extend(['\\', c]),
            }
        }
    }

    /// The code.
    pub(super) fn finish(self) -> String {
        self.code
    }
}

/// Most places of digits that are kept. Chosen: numbers have 17 digits.
const MAX_PLACES: usize = 20;

#[cfg(test)]
mod tests {
    use super::super::super::markup::{Markup, walk};
    use super::super::super::number_format::NumberFormat;
    use super::*;

    fn code(style: &str) -> String {
        let mut code = None::<FormatCode>;
        walk(style.as_bytes(), |event| match (event, &mut code) {
            (Markup::Open(element), None) => code = FormatCode::from_element(&element),
            (Markup::Open(element), Some(code)) => code.open(&element),
            (Markup::Text(text), Some(code)) => code.text(&text),
            (Markup::Close(_), Some(code)) => code.close(),
            _ => {}
        });
        code.map(FormatCode::finish).unwrap_or_default()
    }

    #[test]
    fn styles_show_numbers_as_codes_do() {
        for (style, number, want) in [
            ("<n:number-style><n:number min-integer-digits='5'/></n:number-style>", 421.0, "00421"),
            (
                "<n:currency-style><n:number decimal-places='2' min-integer-digits='1' grouping='true'/><n:text> </n:text><n:currency-symbol>kr</n:currency-symbol></n:currency-style>",
                1234.5,
                "1,234.50 kr",
            ),
            (
                "<n:percentage-style><n:number decimal-places='1' min-integer-digits='1'/><n:text>%</n:text></n:percentage-style>",
                0.256,
                "25.6%",
            ),
            (
                "<n:date-style><n:day style='long'/><n:text>.</n:text><n:month style='long'/><n:text>.</n:text><n:year style='long'/></n:date-style>",
                46_095.0,
                "2026-03-14",
            ),
            ("<n:date-style><n:month textual='true'/><n:text> </n:text><n:year/></n:date-style>", 46_095.0, "2026-03"),
            (
                "<n:time-style truncate-on-overflow='false'><n:hours/><n:text>:</n:text><n:minutes style='long'/></n:time-style>",
                1.5,
                "36:00",
            ),
            (
                "<n:number-style><n:fraction min-numerator-digits='1' denominator-value='8'/></n:number-style>",
                0.5,
                "4/8",
            ),
            (
                "<n:number-style><n:scientific-number decimal-places='2' min-integer-digits='1' min-exponent-digits='2'/></n:number-style>",
                1.23e-6,
                "1.23E-06",
            ),
            ("<n:date-style><n:year style='long'/></n:date-style>", 46_095.0, "2026"),
        ] {
            let shown = NumberFormat::read(&code(style)).number(number, false).unwrap_or_default();
            assert_eq!(shown.trim(), want, "{style}");
        }
    }

    #[test]
    fn places_of_digits_are_bounded() {
        for (places, kept) in [(MAX_PLACES - 1, MAX_PLACES - 1), (MAX_PLACES, MAX_PLACES), (MAX_PLACES + 1, MAX_PLACES)]
        {
            let style = format!("<n:number-style><n:number min-integer-digits='{places}'/></n:number-style>");
            assert_eq!(code(&style), "0".repeat(kept));
        }
    }
}
