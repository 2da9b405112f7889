//! [`TexReader`]: a source, read block by block.

use std::collections::BTreeMap;

use precis_proto::{BlockKind, FieldPlace};
use precis_text::{Leaf, normalize};

use super::super::fields;
use super::super::runs::{Marks, Position, RunText, Words};
use super::super::table::Leaves;
use super::accents;
use super::commands::{Command, Environment, command};
use super::counters::{Counters, item, item_mark, unit};
use super::macros::Macros;
use super::math;
use super::source::Source;
use super::tex_text::TexText;

mod environments;

/// Deepest nesting of arguments and environments that is followed. Chosen: documents are less than 20 deep.
const MAX_DEPTH: usize = 100;

/// A document being read.
#[derive(Debug, Default)]
pub(super) struct TexReader {
    leaves: Leaves,
    macros: Macros,
    counters: Counters,
    /// Numbers of what is referred to, by label, from a first reading.
    known: BTreeMap<String, String>,
    /// Those found in this one.
    pub(super) labels: BTreeMap<String, String>,
    /// The number that a label behind it names.
    number: String,
    /// The block being read.
    text: RunText,
    kind: BlockKind,
    lists: Vec<TexList>,
    /// The mark of the item being read, until its first block takes it.
    marker: Option<String>,
    notes: Vec<Leaf>,
    title: Option<String>,
    heading: Option<String>,
    /// Whether the text of the document has begun; before it only definitions count.
    in_body: bool,
    has_preamble: bool,
    depth: usize,
    /// In a cell there are no blocks.
    in_cell: bool,
    elsewhere: u64,
    drawings: usize,
    unknown: usize,
}

#[derive(Debug)]
struct TexList {
    kind: Environment,
    number: u32,
    /// How its numbers are written, if the document says so.
    label: Option<String>,
}

impl TexReader {
    /// Reads `source`, which refers to things by labels with the `known` numbers.
    pub(super) fn read(source: &str, known: BTreeMap<String, String>) -> Self {
        let has_preamble = source.contains("\\begin{document}");
        let class = source.split("\\document").nth(1).and_then(|class| class.split(['{', '}']).nth(1));
        let mut reader = Self { known, has_preamble, in_body: !has_preamble, ..Self::default() };
        let is_long =
            class.is_some_and(|class| class.contains("book") || class.contains("report") || class == "memoir");
        reader.counters.is_document = class.is_some();
        reader.counters.has_chapters = is_long || (class.is_none() && source.contains("\\chapter"));
        reader.run(Source::of(source), Marks::default());
        reader.end_block();
        reader
    }

    /// What was read.
    pub(super) fn finish(mut self) -> TexText {
        let mut remarks = Vec::new();
        for (what, count) in [("drawings were left out", self.drawings), ("commands that are not known", self.unknown)]
        {
            remarks.extend((count > 0).then(|| format!("{what}: {count}")));
        }
        for note in std::mem::take(&mut self.notes) {
            self.leaves.push(note);
        }
        let left_out = self.leaves.left_out();
        let title = self.title.or(self.heading);
        TexText { title, leaves: self.leaves.finish(), left_out, remarks, elsewhere: self.elsewhere }
    }

    /// Reads `source` as text with `marks`.
    fn run(&mut self, mut source: Source, marks: Marks) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        while let Some(c) = source.next() {
            match c {
                '\\' => {
                    let name = source.name();
                    if !self.macros.define(&name, &mut source) && !self.macros.expand(&name, &mut source) {
                        self.command(&name, &mut source, marks);
                    }
                }
                '%' => {
                    source.skip_comment();
                    if source.peek() == Some('\n') {
                        self.end_block();
                    }
                }
                '$' => self.dollar(&mut source, marks),
                _ if !self.in_body => {}
                '\n' if source.skip_line_end() => {
                    self.end_block();
                    self.text.space(' ');
                }
                c if c.is_whitespace() || c == '~' => self.text.space(' '),
                '{' | '}' | '&' => {}
                '`' | '\'' if source.take(c) => self.text.push(if c == '`' { "“" } else { "”" }, marks),
                '`' => self.text.push("‘", marks),
                '\'' => self.text.push("’", marks),
                '-' if source.take_text("--") => self.text.push("—", marks),
                '-' if source.take('-') => self.text.push("–", marks),
                c => self.text.push(c.encode_utf8(&mut [0; 4]), marks),
            }
        }
        self.depth -= 1;
    }

    fn dollar(&mut self, source: &mut Source, marks: Marks) {
        let end = if source.take('$') { "$$" } else { "$" };
        let formula = source.until(end);
        self.formula(&formula, marks);
    }

    fn formula(&mut self, source: &str, marks: Marks) {
        let written = math::render_formula(source, &mut self.macros);
        if !self.in_body {
            return;
        }
        // An index or exponent without a base belongs to the text before it.
        match source.trim_start().starts_with(['_', '^']) {
            true => self.text.push(&written, marks),
            false => self.text.formula(&written, marks),
        }
    }

    fn command(&mut self, name: &str, source: &mut Source, marks: Marks) {
        if !self.in_body && !matches!(name, "begin" | "title" | "author" | "date") {
            if let Some(Command::Layout(arguments)) = command(name) {
                self.skip(source, arguments);
            }
            return;
        }
        match name {
            "begin" => self.begin(source, marks),
            "end" => self.end(&source.argument()),
            "title" => self.set_title(source),
            "author" | "date" => self.field(name, source),
            "item" => self.item(source),
            "bibitem" => self.reference(source),
            "appendix" => self.counters.begin_appendix(),
            "caption" => {
                source.take('*');
                source.option();
                self.block(BlockKind::Caption, None, &source.argument());
            }
            "frametitle" => self.block(BlockKind::Heading, Some(self.counters.level(2)), &source.argument()),
            "footnote" | "footnotetext" | "endnote" => self.note(source),
            "setcounter" => {
                let (counter, number) = (source.argument(), source.argument());
                if let (Some(list), Ok(number)) = (self.lists.last_mut(), number.trim().parse()) {
                    list.number = if counter.starts_with("enum") { number } else { list.number };
                }
            }
            "label" => {
                let label = source.argument();
                self.labels.insert(label, self.number.clone());
            }
            "verb" | "lstinline" | "mintinline" => self.verbatim(name, source, marks),
            "(" => self.formula(&source.until("\\)"), marks),
            "[" => self.formula(&source.until("\\]"), marks),
            "\\" | "linebreak" | "newline" => {
                source.take('*');
                source.option();
                self.text.space('\n');
            }
            "and" => self.text.push(", ", marks),
            "iffalse" => drop(source.until("\\fi")),
            "fi" | "else" | "makeatletter" | "makeatother" => {}
            name if unit(name).is_some() => self.section(name, source),
            name => self.inline(name, source, marks),
        }
    }

    fn inline(&mut self, name: &str, source: &mut Source, marks: Marks) {
        if let Some(sign) = accents::sign(name) {
            return self.text.push(sign, marks);
        }
        if let Some(mark) = accents::accent(name) {
            let letter = source.argument();
            if letter.trim().is_empty() {
                return self.text.push(name, marks);
            }
            let letter = match letter.trim() {
                "\\i" => "i",
                "\\j" => "j",
                letter => letter,
            };
            let mut letters = letter.chars();
            let accented: String = letters.next().into_iter().chain([mark]).chain(letters).collect();
            return self.text.push(&accented, marks);
        }
        let Some(known) = command(name) else {
            // A sign of formulas outside of one, or a command of a package: its arguments in braces are read as text.
            match super::math_signs::sign(name) {
                Some(sign) => self.text.push(sign, marks),
                None => self.unknown += 1,
            }
            while source.option().is_some() {}
            return;
        };
        let placed = |position| Marks { position, ..Marks::default() }.within(marks);
        match known {
            Command::Layout(arguments) => self.skip(source, arguments),
            Command::Text(before) => {
                self.skip(source, before);
                while source.option().is_some() {}
                let argument = source.argument();
                self.run(Source::of(&argument), marks);
            }
            Command::Raised => self.argument(source, placed(Position::Raised)),
            Command::Lowered => self.argument(source, placed(Position::Lowered)),
            Command::Struck => self.argument(source, Marks { is_struck: true, ..marks }),
            Command::Reference => {
                source.take('*');
                let label = source.argument();
                let number = self.known.get(&label).cloned().unwrap_or_default();
                let shown = if number.is_empty() { "??".to_owned() } else { number };
                self.text.push(&if name == "eqref" { format!("({shown})") } else { shown }, marks);
            }
            Command::Citation => {
                source.take('*');
                while source.option().is_some() {}
                for key in source.argument().split(',').map(str::trim).filter(|key| !key.is_empty()) {
                    self.text.note(key);
                }
            }
            Command::Elsewhere => {
                self.skip(source, 1);
                self.elsewhere += 1;
            }
            Command::Break => self.end_block(),
            Command::Quantity(arguments) => {
                source.option();
                for at in 0..arguments {
                    let argument = source.argument();
                    if at > 0 {
                        self.text.space(' ');
                    }
                    self.run(Source::of(&argument), marks);
                }
            }
        }
    }

    fn argument(&mut self, source: &mut Source, marks: Marks) {
        let argument = source.argument();
        self.run(Source::of(&argument), marks);
    }

    /// Skips arguments that are no text.
    fn skip(&mut self, source: &mut Source, arguments: usize) {
        source.take('*');
        for _ in 0..arguments {
            while source.option().is_some() {}
            source.argument();
        }
        if arguments > 0 {
            while source.option().is_some() {}
        }
    }

    fn section(&mut self, name: &str, source: &mut Source) {
        let unit = unit(name).unwrap_or_default();
        let number = if source.take('*') { String::new() } else { self.counters.next(unit) };
        source.option();
        let title = source.argument();
        self.number.clone_from(&number);
        let level = self.counters.level(unit);
        self.block(BlockKind::Heading, Some(level), &format!("{number} {title}"));
    }

    /// Adds a block of its own with the text of `source`.
    fn block(&mut self, kind: BlockKind, level: Option<u8>, source: &str) {
        self.end_block();
        self.run(Source::of(source), Marks::default());
        let text = std::mem::take(&mut self.text);
        let Some(leaf) = self.leaves.leaf(kind, text) else { return };
        if kind == BlockKind::Heading {
            self.heading = self.heading.take().or_else(|| Some(leaf.text.clone()));
        }
        self.leaves.push(Leaf { level, ..leaf });
    }

    fn set_title(&mut self, source: &mut Source) {
        source.option();
        let title = self.aside(&source.argument());
        if let (Some(leaf), None) = (self.leaves.leaf(BlockKind::Heading, title), &self.title) {
            self.title = Some(leaf.text.clone());
            self.leaves.push(Leaf { level: Some(1), ..leaf });
        }
    }

    fn field(&mut self, name: &str, source: &mut Source) {
        source.option();
        let value = self.aside(&source.argument());
        let value = self.leaves.block_words(value).text;
        let value = value.replace(" ,", ",");
        if let Some(field) = fields::leaf(name, &value, FieldPlace::FrontMatter) {
            self.leaves.push(field);
        }
    }

    /// The text of `source`, which is not part of the block being read.
    fn aside(&mut self, source: &str) -> RunText {
        let (text, in_body) = (std::mem::take(&mut self.text), std::mem::replace(&mut self.in_body, true));
        let in_cell = std::mem::replace(&mut self.in_cell, true);
        self.run(Source::of(source), Marks::default());
        (self.in_body, self.in_cell) = (in_body, in_cell);
        std::mem::replace(&mut self.text, text)
    }

    fn note(&mut self, source: &mut Source) {
        let mark = source.option().unwrap_or_else(|| {
            self.counters.notes += 1;
            self.counters.notes.to_string()
        });
        self.text.note(&mark);
        let note = self.aside(&source.argument());
        let leaf = self.leaves.leaf(BlockKind::Footnote, note);
        self.notes.extend(leaf.map(|leaf| Leaf { marker: Some(mark), ..leaf }));
    }

    fn item(&mut self, source: &mut Source) {
        self.end_block();
        let own = source.option();
        let depth = self.lists.iter().filter(|list| list.kind == Environment::Numbers).count();
        let Some(list) = self.lists.last_mut() else { return };
        let kind = list.kind;
        let is_numbered = kind == Environment::Numbers;
        if is_numbered && own.is_none() {
            list.number += 1;
        }
        let (number, label) = (list.number, list.label.clone());
        match own {
            Some(own) => {
                let own = self.aside(&own);
                let own = self.leaves.block_words(own).text;
                match kind {
                    Environment::Terms => {
                        self.marker = Some("-".to_owned());
                        self.text.plain(&format!("{own}: "));
                    }
                    _ => self.marker = Some(own),
                }
            }
            None if is_numbered => {
                let mark = label.map_or_else(|| item(number, depth), |label| item_mark(&label, number));
                mark.trim_matches(['.', '(', ')']).clone_into(&mut self.number);
                self.marker = Some(mark);
            }
            None => self.marker = Some("-".to_owned()),
        }
    }

    fn reference(&mut self, source: &mut Source) {
        self.end_block();
        source.option();
        self.marker = Some(source.argument());
    }

    /// Ends the block being read.
    fn end_block(&mut self) {
        if self.in_cell {
            return self.text.space('\n');
        }
        let Words { text, notes, left_out, .. } = self.leaves.block_words(std::mem::take(&mut self.text));
        if text.is_empty() {
            return;
        }
        let mut leaf = Leaf { notes, is_struck: left_out.struck > 0, ..Leaf::new(self.kind, normalize(&text)) };
        match self.lists.last().map(|list| list.kind) {
            Some(Environment::References) => (leaf.kind, leaf.marker) = (BlockKind::Reference, self.marker.take()),
            Some(_) => {
                leaf.level = Some(u8::try_from(self.lists.len()).unwrap_or(u8::MAX));
                (leaf.kind, leaf.marker) = (BlockKind::ListItem, self.marker.take());
            }
            None => {}
        }
        self.leaves.push(leaf);
    }
}
