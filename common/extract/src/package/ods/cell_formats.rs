//! [`CellFormats`]: how the styles of cells show numbers, and which styles of sheets hide them.

use std::collections::{BTreeMap, BTreeSet};

use super::super::markup::{Markup, XmlElement, walk};
use super::super::number_format::NumberFormat;
use super::format_code::FormatCode;

/// Most styles followed in a chain of base styles, because the chain may be circular.
const MAX_BASES: usize = 16;

/// The formats of a document.
#[derive(Debug, Default)]
pub(super) struct CellFormats {
    /// Number formats by the names of their styles.
    formats: BTreeMap<String, NumberFormat>,
    /// For each style of cells, its number style and its base.
    cells: BTreeMap<String, (Option<String>, Option<String>)>,
    /// Styles of sheets that are not shown.
    hidden_sheets: BTreeSet<String>,
}

impl CellFormats {
    /// Adds the styles in `part`; they replace styles of the same name from another part.
    pub(super) fn read(&mut self, part: &[u8]) {
        let (mut code, mut style) = (None::<(String, FormatCode)>, None::<String>);
        walk(part, |event| match (event, &mut code) {
            (Markup::Open(element), Some((_, code))) => code.open(&element),
            (Markup::Open(element), None) => {
                code = element.attribute("name").zip(FormatCode::from_element(&element));
                self.take(&element, &mut style);
            }
            (Markup::Text(text), Some((_, code))) => code.text(&text),
            (Markup::Close(name), Some((_, open))) => match name.ends_with("-style") {
                true => {
                    let (name, code) = code.take().expect("one is open");
                    self.formats.insert(name, NumberFormat::read(&code.finish()));
                }
                false => open.close(),
            },
            (Markup::Close(name), None) if name == "style" => style = None,
            (Markup::Text(_) | Markup::Close(_), None) => {}
        });
    }

    fn take(&mut self, element: &XmlElement<'_>, style: &mut Option<String>) {
        match element.name.as_str() {
            "style" => {
                *style = element.attribute("name");
                if let (Some(name), Some("table-cell")) = (&style, element.attribute("family").as_deref()) {
                    let of = (element.attribute("data-style-name"), element.attribute("parent-style-name"));
                    self.cells.insert(name.clone(), of);
                }
            }
            "table-properties" if element.attribute("display").as_deref() == Some("false") => {
                self.hidden_sheets.extend(style.clone());
            }
            _ => {}
        }
    }

    /// Whether sheets of the style `name` are hidden.
    pub(super) fn hides_sheet(&self, name: &str) -> bool {
        self.hidden_sheets.contains(name)
    }

    /// The format of cells of the style `name`.
    pub(super) fn of_cell(&self, name: &str) -> Option<&NumberFormat> {
        let mut next = Some(name);
        for _ in 0..MAX_BASES {
            let (format, base) = self.cells.get(next?)?;
            if let Some(format) = format {
                return self.formats.get(format);
            }
            next = base.as_deref();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_cell_styles_is_followed_to_a_length() {
        for (length, is_found) in [(MAX_BASES - 1, true), (MAX_BASES, true), (MAX_BASES + 1, false)] {
            let style =
                |n: usize| format!("<s:style s:name='c{n}' s:family='table-cell' s:parent-style-name='c{}'/>", n + 1);
            let last = format!("<s:style s:name='c{length}' s:family='table-cell' s:data-style-name='N'/>");
            let chain: String = (1..length).map(style).chain([last]).collect();
            let mut formats = CellFormats::default();
            formats.read(
                format!("<x><n:number-style s:name='N'><n:number min-integer-digits='3'/></n:number-style>{chain}</x>")
                    .as_bytes(),
            );
            assert_eq!(formats.of_cell("c1").is_some(), is_found, "{length}");
        }
    }
}
