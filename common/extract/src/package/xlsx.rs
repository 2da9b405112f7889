//! Workbooks: each visible sheet as a heading and a table, with cells as shown on the screen (ECMA-376, part 1, chapter 18). A formula is
//! read as the value saved with it.

use std::collections::BTreeMap;

use precis_proto::DocumentFormat;

use super::super::runs::{LeftOut, Marks, Position, RunText, Words};
use super::super::sheet::{MAX_GAP, SheetReader};
use super::archive::Package;
use super::markup::{Markup, XmlElement, text_of_first, walk};
use super::package_text::{PackageError, PackageText};
use super::relations;
use formats::Formats;

mod formats;

/// Name of the part with the list of sheets.
pub(super) const WORKBOOK: &str = "xl/workbook.xml";

/// The text of a workbook.
pub(super) fn text(package: &mut Package<'_>) -> Result<PackageText, PackageError> {
    let relations = relations::of(package, WORKBOOK);
    let mut book = Workbook::default();
    let mut whole = walk(&package.part(WORKBOOK)?, |event| book.take(&event));
    let styles = package.part("xl/styles.xml").unwrap_or_default();
    let formats = Formats::read(&styles, book.is_from_1904);
    let mut strings = Strings::default();
    whole &= walk(&package.part("xl/sharedStrings.xml").unwrap_or_default(), |event| strings.take(event));
    let mut sheets = SheetReader::default();
    for (name, id) in &book.sheets {
        let Some(relation) = relations.get(id).filter(|relation| relation.kind == "worksheet") else { continue };
        sheets.open_named(name);
        let mut sheet = WorksheetReader::new(&strings, &formats, &mut sheets);
        whole &= walk(&package.part(&relation.part)?, |event| sheet.take(event));
        sheets.close();
    }
    let left_out = sheets.left_out();
    let (leaves, cut) = sheets.finish();
    let hidden = (book.hidden > 0).then(|| format!("hidden sheets were left out: {}", book.hidden));
    let broken = (!whole).then(|| "the document's markup ends early".to_owned());
    let title = package.part("docProps/core.xml").ok().and_then(|core| text_of_first(&core, "title"));
    Ok(PackageText {
        format: DocumentFormat::Xlsx,
        title,
        leaves,
        remarks: [broken, hidden, cut].into_iter().flatten().collect(),
        left_out,
    })
}

/// The list of sheets.
#[derive(Debug, Default)]
struct Workbook {
    /// Names and relation ids of the visible sheets.
    sheets: Vec<(String, String)>,
    hidden: usize,
    is_from_1904: bool,
}

impl Workbook {
    fn take(&mut self, event: &Markup<'_>) {
        let Markup::Open(element) = event else { return };
        match element.name.as_str() {
            "sheet" if element.attribute("state").is_some_and(|state| state != "visible") => self.hidden += 1,
            "sheet" => self.sheets.extend(element.attribute("name").zip(element.attribute("id"))),
            "workbookPr" => {
                self.is_from_1904 = element.attribute("date1904").is_some_and(|value| value == "1" || value == "true")
            }
            _ => {}
        }
    }
}

/// The texts shared by cells.
#[derive(Debug, Default)]
struct Strings {
    all: Vec<String>,
    /// What some of them do not say.
    left_out: BTreeMap<usize, LeftOut>,
    text: RunText,
    marks: Marks,
    in_text: bool,
    /// Whether the phonetic reading of a word is open.
    in_phonetic: bool,
}

impl Strings {
    fn take(&mut self, event: Markup<'_>) {
        match event {
            Markup::Open(element) => match element.name.as_str() {
                "rPh" => self.in_phonetic = true,
                "t" => self.in_text = !self.in_phonetic,
                "r" => self.marks = Marks::default(),
                _ => take_mark(&mut self.marks, &element),
            },
            Markup::Close(name) => match name.as_str() {
                "rPh" => self.in_phonetic = false,
                "t" => self.in_text = false,
                "r" => self.marks = Marks::default(),
                "si" => self.end(),
                _ => {}
            },
            Markup::Text(text) if self.in_text => self.text.push(&text, self.marks),
            Markup::Text(_) => {}
        }
    }

    fn end(&mut self) {
        let Words { text, left_out, .. } = std::mem::take(&mut self.text).words();
        if left_out != LeftOut::default() {
            self.left_out.insert(self.all.len(), left_out);
        }
        self.all.push(text);
    }

    fn words(&self, at: usize) -> Words {
        let text = self.all.get(at).cloned().unwrap_or_default();
        Words { text, left_out: self.left_out.get(&at).copied().unwrap_or_default(), ..Words::default() }
    }
}

/// Takes a property of a run that is a mark.
fn take_mark(marks: &mut Marks, property: &XmlElement<'_>) {
    let value = property.attribute("val");
    match property.name.as_str() {
        "strike" => marks.is_struck = !matches!(value.as_deref(), Some("0" | "false")),
        "vertAlign" => {
            marks.position = match value.as_deref() {
                Some("superscript") => Position::Raised,
                Some("subscript") => Position::Lowered,
                _ => Position::Baseline,
            }
        }
        _ => {}
    }
}

/// A sheet being read.
struct WorksheetReader<'s> {
    strings: &'s Strings,
    formats: &'s Formats,
    sheets: &'s mut SheetReader,
    row: Vec<String>,
    in_value: bool,
    in_phonetic: bool,
    is_hidden: bool,
    kind: String,
    format: usize,
    value: String,
}

impl<'s> WorksheetReader<'s> {
    fn new(strings: &'s Strings, formats: &'s Formats, sheets: &'s mut SheetReader) -> Self {
        let (kind, value) = (String::new(), String::new());
        let (in_value, in_phonetic, is_hidden) = (false, false, false);
        Self { strings, formats, sheets, row: Vec::new(), in_value, in_phonetic, is_hidden, kind, format: 0, value }
    }

    fn take(&mut self, event: Markup<'_>) {
        if self.sheets.is_full() {
            return;
        }
        match event {
            Markup::Open(element) => self.open(&element),
            Markup::Close(name) => self.close(&name),
            Markup::Text(text) if self.in_value => self.value.push_str(&text),
            Markup::Text(_) => {}
        }
    }

    fn open(&mut self, element: &XmlElement<'_>) {
        match element.name.as_str() {
            "row" => {
                self.row.clear();
                self.is_hidden = element.attribute("hidden").is_some_and(|value| value == "1" || value == "true");
            }
            "c" => {
                self.value.clear();
                self.kind = element.attribute("t").unwrap_or_default();
                self.format = element.attribute("s").and_then(|style| style.parse().ok()).unwrap_or(0);
                let column = element.attribute("r").and_then(|place| column(&place)).unwrap_or(self.row.len());
                // If a cell is far to the right, its column is not kept, but its text is.
                if column.saturating_sub(self.row.len()) <= MAX_GAP {
                    self.row.resize(column.max(self.row.len()), String::new());
                }
            }
            "rPh" => self.in_phonetic = true,
            "v" | "t" => self.in_value = !self.in_phonetic,
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "v" | "t" => self.in_value = false,
            "rPh" => self.in_phonetic = false,
            "c" => {
                let words = self.words();
                let text = self.sheets.cell(&words);
                self.row.push(text);
            }
            "row" if !self.is_hidden => self.sheets.row(&self.row),
            _ => {}
        }
    }

    fn words(&self) -> Words {
        if self.kind == "s" {
            return self.value.trim().parse().map(|at| self.strings.words(at)).unwrap_or_default();
        }
        let mut text = RunText::default();
        text.plain(&self.shown());
        text.words()
    }

    /// The value of the cell as shown on the screen.
    fn shown(&self) -> String {
        let value = self.value.trim();
        match self.kind.as_str() {
            "b" => if value == "1" { "TRUE" } else { "FALSE" }.to_owned(),
            "" | "n" => self.formats.shown(value, self.format),
            _ => self.value.clone(),
        }
    }
}

/// The column of a cell reference, from 0: `AB12` is in column 27.
fn column(place: &str) -> Option<usize> {
    // Three letters reach the last column of the format; more could overflow.
    let letters = place.bytes().take_while(u8::is_ascii_alphabetic).take(3);
    letters
        .map(|letter| usize::from(letter.to_ascii_uppercase() - b'A') + 1)
        .reduce(|all, one| all * 26 + one)?
        .checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{shown, zipped};
    use super::*;

    fn workbook(sheet: &str) -> PackageText {
        let parts = [
            (
                WORKBOOK,
                "<workbook><sheets><sheet name='Costs' r:id='a'/><sheet name='Secret' state='hidden' r:id='b'/></sheets></workbook>",
            ),
            (
                "xl/_rels/workbook.xml.rels",
                "<r><Relationship Id='a' Type='x/worksheet' Target='worksheets/one.xml'/>\
                 <Relationship Id='b' Type='x/worksheet' Target='worksheets/two.xml'/></r>",
            ),
            (
                "xl/sharedStrings.xml",
                "<sst><si><t>Item</t></si><si><r><t>Pri</t></r><r><t>ce</t></r><rPh><t>x</t></rPh></si></sst>",
            ),
            ("xl/styles.xml", "<s><cellXfs><xf numFmtId='0'/><xf numFmtId='14'/><xf numFmtId='10'/></cellXfs></s>"),
            ("xl/worksheets/one.xml", sheet),
            ("xl/worksheets/two.xml", "<sheetData><row><c><v>666</v></c></row></sheetData>"),
        ];
        super::super::text(Package::open(&zipped(&parts)).expect("an archive")).expect("a workbook")
    }

    #[test]
    fn sheets_are_tables_with_cells_in_their_columns() {
        let found = workbook(
            "<sheetData><row r='1'><c r='A1' t='s'><v>0</v></c><c r='B1' t='s'><v>1</v></c><c r='D1' t='inlineStr'><is><t>Day</t></is></c></row>\
             <row r='2'><c r='A2' t='str'><f>x</f><v>Pen</v></c><c r='B2'><v>1.1000000000000001</v></c><c r='C2' s='2'><v>0.19</v></c><c r='D2' s='1'><v>45306</v></c></row>\
             <row r='3' hidden='1'><c r='A3'><v>7</v></c></row><row r='4'><c r='A4' t='b'><v>1</v></c><c r='XFD4' t='str'><v>far</v></c></row></sheetData>",
        );
        let shown: Vec<String> = found.leaves.iter().map(shown).collect();
        assert_eq!(
            shown,
            [
                "heading1 : Costs",
                "table_row1h : Item|Price||Day",
                "table_row1 : Pen|1.1|19%|2024-01-15",
                "table_row1 : TRUE|far"
            ]
        );
        assert_eq!(found.remarks, ["hidden sheets were left out: 1"]);
        assert_eq!(found.format, DocumentFormat::Xlsx);
    }

    #[test]
    fn a_cell_keeps_its_column_up_to_a_gap() {
        for (gap, cells) in [(MAX_GAP - 1, MAX_GAP + 1), (MAX_GAP, MAX_GAP + 2), (MAX_GAP + 1, 2)] {
            let letters = |mut at: usize| {
                let mut name = String::new();
                loop {
                    name.insert(0, char::from(b'A' + (at % 26) as u8));
                    if at < 26 {
                        return name;
                    }
                    at = at / 26 - 1;
                }
            };
            let far = letters(gap + 1);
            let row = format!("<row><c r='A1' t='str'><v>a</v></c><c r='{far}1' t='str'><v>b</v></c></row>");
            assert_eq!(workbook(&row).leaves[1].cells.len(), cells, "{gap} {far}");
        }
    }
}
