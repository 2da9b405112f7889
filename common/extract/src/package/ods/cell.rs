//! [`OdsCell`]: a cell being read, and what it shows.

use super::super::super::runs::{Marks, RunText, Words};
use super::super::markup::XmlElement;
use super::super::number_format::{NumberFormat, shortest};
use super::date::days;
use super::elements::times;

/// A cell.
#[derive(Debug, Default)]
pub(super) struct OdsCell {
    /// How often it stands there.
    pub(super) times: usize,
    pub(super) style: Option<String>,
    kind: String,
    value: String,
    is_formula: bool,
    /// Whether a merged area covers it.
    pub(super) is_covered: bool,
    /// What the program that saved the document showed of it; `None` if the document does not say.
    text: Option<RunText>,
}

impl OdsCell {
    pub(super) fn from_element(element: &XmlElement<'_>) -> Self {
        let kind = element.attribute("value-type").unwrap_or_default();
        let value = match kind.as_str() {
            "date" => "date-value",
            "time" => "time-value",
            "boolean" => "boolean-value",
            "string" => "string-value",
            _ => "value",
        };
        Self {
            times: times(element, "number-columns-repeated"),
            style: element.attribute("style-name").filter(|name| !name.is_empty()),
            value: element.attribute(value).unwrap_or_default(),
            kind,
            is_covered: element.name == "covered-table-cell",
            is_formula: element.attribute("formula").is_some(),
            text: None,
        }
    }

    /// Begins a paragraph, below those before it.
    pub(super) fn begin_paragraph(&mut self) {
        match &mut self.text {
            Some(text) => text.space('\n'),
            None => self.text = Some(RunText::default()),
        }
    }

    /// The paragraph being read.
    pub(super) fn text(&mut self) -> &mut RunText {
        self.text.get_or_insert_default()
    }

    /// Whether its value is a number, a date or a time.
    pub(super) fn is_number(&self) -> bool {
        matches!(self.kind.as_str(), "float" | "percentage" | "currency" | "date" | "time")
    }

    /// Whether it shows the result of a formula that the document does not contain.
    pub(super) fn is_without_value(&self) -> bool {
        self.is_formula && self.kind.is_empty() && self.is_blank()
    }

    /// Whether it has neither text nor a value.
    pub(super) fn is_blank(&self) -> bool {
        self.value.trim().is_empty() && self.text.as_ref().is_none_or(RunText::is_blank)
    }

    /// What it shows, in a cell of `format` whose text has `marks`. Dates and times are written as workbooks are read, year first; other
    /// values as the document shows them, or by their format if it does not.
    pub(super) fn words(self, format: Option<&NumberFormat>, marks: Marks) -> Words {
        let shows_nothing = self.text.as_ref().is_some_and(RunText::is_blank) && self.is_number();
        if shows_nothing {
            return value(&self.value, Marks { is_hidden: true, ..marks });
        }
        match (self.kind.as_str(), self.text) {
            ("date" | "time", text) => match (format_date(&self.value, format), text) {
                (Some(shown), _) => value(&shown, marks),
                (None, Some(text)) if self.kind == "time" => text.words(),
                (None, _) => value(&self.value.replacen('T', " ", 1), marks),
            },
            (_, Some(text)) => text.words(),
            ("float" | "percentage" | "currency", None) => match self.value.trim().parse::<f64>() {
                Ok(number) => match format.map(|format| format.number(number, false)) {
                    Some(Some(shown)) => value(&shown, marks),
                    Some(None) => value(&self.value, Marks { is_hidden: true, ..marks }),
                    None => value(&shortest(number), marks),
                },
                Err(_) => value(&self.value, marks),
            },
            ("boolean", None) => value(&self.value.to_uppercase(), marks),
            (_, None) => value(&self.value, marks),
        }
    }
}

fn value(shown: &str, marks: Marks) -> Words {
    let mut text = RunText::default();
    text.push(shown, marks);
    text.words()
}

/// The date or time `value` as its format shows it.
fn format_date(value: &str, format: Option<&NumberFormat>) -> Option<String> {
    format?.number(days(value)?, false)
}
