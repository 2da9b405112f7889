//! The styles of cells: how they show numbers, and the marks of their fonts.

use std::collections::BTreeMap;

use super::super::super::runs::{Marks, RunText};
use super::super::markup::{Markup, XmlElement, walk};
use super::super::number_format::{NumberFormat, built_in, shortest};
use super::rich_text::take_mark;

/// The styles of a workbook.
#[derive(Debug, Default)]
pub(super) struct CellStyles {
    /// For each style number of cells, its format and its font.
    styles: Vec<(u32, usize)>,
    formats: BTreeMap<u32, NumberFormat>,
    fonts: Vec<Marks>,
    is_from_1904: bool,
}

impl CellStyles {
    /// Reads the styles in the part `styles.xml`.
    pub(super) fn read(part: &[u8], is_from_1904: bool) -> Self {
        let mut read = Self { is_from_1904, ..Self::default() };
        let (mut in_cells, mut in_fonts) = (false, false);
        walk(part, |event| match event {
            Markup::Open(element) => match element.name.as_str() {
                "numFmt" => read.take_format(&element),
                "cellXfs" => in_cells = true,
                "fonts" => in_fonts = true,
                "font" if in_fonts => read.fonts.push(Marks::default()),
                "xf" if in_cells => {
                    let format = number(&element, "numFmtId").unwrap_or(0);
                    read.styles.push((format, number(&element, "fontId").unwrap_or(0) as usize));
                }
                _ if in_fonts => {
                    if let Some(font) = read.fonts.last_mut() {
                        take_mark(font, &element);
                    }
                }
                _ => {}
            },
            Markup::Close(name) => match name.as_str() {
                "cellXfs" => in_cells = false,
                "fonts" => in_fonts = false,
                _ => {}
            },
            Markup::Text(_) => {}
        });
        for (id, _) in &read.styles {
            if let Some(code) = built_in(*id) {
                read.formats.entry(*id).or_insert_with(|| NumberFormat::read(code));
            }
        }
        read
    }

    fn take_format(&mut self, element: &XmlElement<'_>) {
        let code = element.attribute("formatCode");
        if let Some((id, code)) = number(element, "numFmtId").zip(code) {
            self.formats.insert(id, NumberFormat::read(&code));
        }
    }

    /// The number `value` as cells of `style` show it; a value that is not a number is returned unchanged.
    pub(super) fn format_number(&self, value: &str, style: usize) -> RunText {
        let mut text = RunText::default();
        let Some(number) = value.parse::<f64>().ok().filter(|number| number.is_finite()) else {
            text.push(value, self.marks(style));
            return text;
        };
        match self.format(style).map(|format| format.number(number, self.is_from_1904)) {
            Some(Some(shown)) => text.push(&shown, self.marks(style)),
            // The format shows nothing.
            Some(None) => text.push(value, Marks { is_hidden: true, ..Marks::default() }),
            None => text.push(&shortest(number), self.marks(style)),
        }
        text
    }

    /// What cells of `style` put before and behind text; `None` if they show no text.
    pub(super) fn around_text(&self, style: usize) -> Option<(String, String)> {
        self.format(style).map_or_else(|| Some(Default::default()), NumberFormat::around_text)
    }

    /// The marks of the font of `style`.
    pub(super) fn marks(&self, style: usize) -> Marks {
        self.styles.get(style).and_then(|(_, font)| self.fonts.get(*font)).copied().unwrap_or_default()
    }

    fn format(&self, style: usize) -> Option<&NumberFormat> {
        self.formats.get(&self.styles.get(style)?.0)
    }
}

fn number(element: &XmlElement<'_>, name: &str) -> Option<u32> {
    element.attribute(name)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLES: &[u8] = b"<s><numFmts><numFmt numFmtId='164' formatCode='dd\\.mm\\.yyyy hh:mm'/>\
        <numFmt numFmtId='165' formatCode='[Red]#,##0.00 &quot;days&quot;'/><numFmt numFmtId='166' formatCode='0.0%'/>\
        <numFmt numFmtId='167' formatCode=';;;'/></numFmts><fonts><font><sz val='11'/></font><font><strike/></font></fonts>\
        <cellStyleXfs><xf numFmtId='14'/></cellStyleXfs>\
        <cellXfs><xf numFmtId='0' fontId='0'/><xf numFmtId='164'/><xf numFmtId='165'/><xf numFmtId='166'/><xf numFmtId='14'/>\
        <xf numFmtId='167'/><xf numFmtId='0' fontId='1'/></cellXfs></s>";

    #[test]
    fn numbers_read_as_on_the_screen() {
        let styles = CellStyles::read(STYLES, false);
        for (value, style, want) in [
            ("0.30000000000000004", 0, "0.3"),
            ("1E-3", 0, "0.001"),
            ("12345678", 2, "12,345,678.00 days"),
            ("0.07", 3, "7.0%"),
            ("45306.5", 1, "2024-01-15 12:00"),
            ("1", 4, "1900-01-01"),
            ("n/a", 0, "n/a"),
            ("5", 99, "5"),
            ("5", 5, ""),
            ("5", 6, ""),
        ] {
            assert_eq!(styles.format_number(value, style).words().text, want, "{value} {style}");
        }
        assert_eq!(styles.format_number("5", 5).words().left_out.hidden, 1);
        assert_eq!(styles.format_number("52", 6).words().left_out.struck, 2);
        assert_eq!(CellStyles::read(STYLES, true).format_number("43844", 4).words().text, "2024-01-15");
    }
}
