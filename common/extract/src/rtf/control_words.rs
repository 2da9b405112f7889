//! What each control word means for the text behind it.

use rtf_parser_tt::ControlWord;

use super::{Destination, RtfParagraph, RtfReader};
use crate::runs::{Marks, Position};

/// Destinations with text about the document or text repeated on each page. Those behind `\*` are left out unless they are known.
const ASIDE: [&str; 35] = [
    "sp",
    "colortbl",
    "pict",
    "objdata",
    "header",
    "headerl",
    "headerr",
    "headerf",
    "footer",
    "footerl",
    "footerr",
    "footerf",
    "fldinst",
    "xe",
    "tc",
    "themedata",
    "colorschememapping",
    "latentstyles",
    "datastore",
    "listtable",
    "listoverridetable",
    "rsidtbl",
    "generator",
    "revtbl",
    "nonshppict",
    "pntxta",
    "pntxtb",
    "annotation",
    "filetbl",
    "ftnsep",
    "ftnsepc",
    "aftnsep",
    "aftnsepc",
    "bkmkstart",
    "bkmkend",
];
/// Destinations behind `\*` with text of the page, such as that of a drawing.
const SHOWN: [&str; 2] = ["shpinst", "shptxt"];

impl RtfReader {
    /// Interprets a control word; `is_starred` is whether it begins a group that readers may skip.
    pub(super) fn word(&mut self, word: &ControlWord<'_>, value: Option<i32>, is_starred: bool) {
        use ControlWord as W;
        if matches!(word, W::HexChar) {
            match self.skip {
                0 => self.letters.push(value.unwrap_or(0) as u8),
                _ => self.skip -= 1,
            }
            return;
        }
        if !matches!(word, W::Unicode) {
            self.skip = 0;
        }
        match word {
            W::Unicode => {
                let text = self.letters.unicode(value.unwrap_or(0));
                self.push(&text);
                self.skip = self.group().stand_ins;
            }
            W::UnicodeIgnoreCount => self.group().stand_ins = usize::try_from(value.unwrap_or(1)).unwrap_or(0),
            W::AnsiCodePage => self.letters.set_code_page(value.unwrap_or(0)),
            W::FontTable => self.group().place = Destination::Fonts,
            W::FontCharset => self.letters.set_charset(value.unwrap_or(0)),
            W::FontNumber => match self.group().place {
                Destination::Fonts => self.letters.begin_font(value.unwrap_or(0)),
                _ => self.group().font = value,
            },
            W::StyleSheet => (self.group().place, self.style) = (Destination::Style, 0),
            W::ColorTable | W::FileTable => self.group().place = Destination::Nowhere,
            W::Info => self.group().place = Destination::Nowhere,
            W::Par | W::Sect => self.end_paragraph(),
            W::Line => self.push("\n"),
            W::Tab => self.push(" "),
            W::Page => self.push("\n"),
            W::Pard => self.paragraph = RtfParagraph::default(),
            W::Plain => (self.group().marks, self.group().font) = (Marks::default(), None),
            W::ParStyle => match self.group().place {
                Destination::Style => self.style = value.unwrap_or(0),
                _ => self.paragraph.style = value,
            },
            W::Hidden => self.group().marks.is_hidden = value != Some(0),
            W::Superscript => self.group().marks.position = Position::Raised,
            W::Subscript => self.group().marks.position = Position::Lowered,
            W::Strikethrough => self.group().marks.is_struck = value != Some(0),
            W::Cell | W::NestCell => self.end_cell(matches!(word, W::NestCell)),
            W::Row => self.end_row(),
            W::Emdash => self.push("\u{2014}"),
            W::Endash => self.push("\u{2013}"),
            W::Bullet => self.push("\u{2022}"),
            W::LeftSingleQuote => self.push("\u{2018}"),
            W::RightSingleQuote => self.push("\u{2019}"),
            W::LeftDoubleQuote => self.push("\u{201c}"),
            W::RightDoubleQuote => self.push("\u{201d}"),
            W::NonBreakingSpace => self.push("\u{a0}"),
            W::NonBreakingHyphen => self.push("-"),
            W::Unknown(name) => self.read_control_word(name.trim_start_matches('\\'), value, is_starred),
            _ => {}
        }
    }

    /// Interprets a control word that the library does not know by name.
    fn read_control_word(&mut self, name: &str, value: Option<i32>, is_starred: bool) {
        let is_on = value != Some(0);
        let kinds = ["annotation", "header headerl headerr headerf footer footerl footerr footerf"];
        for (count, kind) in self.unread.iter_mut().zip(kinds) {
            *count += usize::from(kind.split(' ').any(|kind| kind == name));
        }
        match name {
            _ if ASIDE.contains(&name) || (is_starred && !SHOWN.contains(&name)) => {
                self.group().place = Destination::Nowhere
            }
            "title" => self.group().place = Destination::Title,
            "listtext" | "pntext" => {
                self.group().place = Destination::Marker;
                self.marker.clear();
                self.paragraph.is_listed = true;
            }
            "super" => self.group().marks.position = Position::Raised,
            "sub" => self.group().marks.position = Position::Lowered,
            "nosupersub" => self.group().marks.position = Position::Baseline,
            "strike" | "striked" => self.group().marks.is_struck = is_on,
            "footnote" => self.begin_note(),
            "deleted" => self.group().is_deleted = is_on,
            "intbl" => self.paragraph.in_table = true,
            "trowd" => {
                self.defined += 1;
                if self.group().place != Destination::Nowhere {
                    self.is_header = false;
                    self.row.take(name, value);
                }
            }
            "clmrg" | "clvmrg" | "cellx" if self.group().place != Destination::Nowhere => self.row.take(name, value),
            "trhdr" => self.is_header = true,
            "outlinelevel" => {
                self.paragraph.outline = value.and_then(|level| u8::try_from(level).ok()).filter(|level| *level < 9)
            }
            "ls" => self.paragraph.is_listed = value.is_some_and(|list| list > 0),
            "ilvl" => self.paragraph.depth = u8::try_from(value.unwrap_or(0).clamp(0, 8)).unwrap_or(0),
            _ => {}
        }
    }
}
