//! What stands between `\begin` and `\end`: lists, code, tables, displayed formulas.

use precis_proto::BlockKind;

use super::super::commands::{Environment, environment};
use super::super::source::Source;
use super::super::{math, tables};
use super::{TexList, TexReader};
use crate::runs::{Marks, RunText};
use crate::table::Cell;

impl TexReader {
    pub(super) fn begin(&mut self, source: &mut Source, marks: Marks) {
        let name = source.argument();
        if name == "document" {
            self.in_body = true;
            return;
        }
        let kind = environment(&name);
        match kind {
            Environment::Code => {
                source.option();
                if name == "minted" {
                    source.argument();
                }
                let code = source.environment(&name);
                self.code(&code);
            }
            Environment::Comment => {
                source.environment(&name);
            }
            Environment::Drawing => {
                self.drawings += 1;
                source.environment(&name);
            }
            Environment::Formula { is_numbered } => self.push_displayed(&name, is_numbered, source, marks),
            Environment::Table(arguments) => {
                while source.option().is_some() {}
                for _ in 0..arguments {
                    source.argument();
                }
                let body = source.environment(&name);
                self.table(&body);
            }
            Environment::Bullets | Environment::Numbers | Environment::Terms | Environment::References => {
                self.end_block();
                let options = source.option().unwrap_or_default();
                if kind == Environment::References {
                    source.argument();
                }
                self.begin_list(kind, &options);
            }
            Environment::Quotation => {
                self.end_block();
                self.kind = BlockKind::Quotation;
            }
            Environment::Text(arguments) => {
                self.end_block();
                while source.option().is_some() {}
                for _ in 0..arguments {
                    source.argument();
                }
                if name == "frame" && source.peek() == Some('{') {
                    self.block(BlockKind::Heading, Some(self.counters.level(2)), &source.argument());
                }
            }
        }
    }

    /// Begins a list; its `options` may give its first number and how its numbers are written (package enumitem).
    pub(super) fn begin_list(&mut self, kind: Environment, options: &str) {
        let option = |name: &str| options.split_once(&format!("{name}=")).map(|(_, rest)| rest);
        let start = option("start").and_then(|rest| rest.split(',').next()?.trim().parse::<u32>().ok());
        let label = option("label").map(|rest| Source::of(rest).until(",")).map(|label| label.replace(['{', '}'], ""));
        let depth = self.lists.iter().filter(|list| list.kind == Environment::Numbers).count();
        let own = ["labelenumi", "labelenumii", "labelenumiii", "labelenumiv"].get(depth);
        let label = label.or_else(|| own.and_then(|own| self.macros.body(own)));
        self.lists.push(TexList { kind, number: start.unwrap_or(1).saturating_sub(1), label });
    }

    pub(super) fn end(&mut self, name: &str) {
        self.end_block();
        match environment(name) {
            Environment::Bullets | Environment::Numbers | Environment::Terms | Environment::References => {
                self.lists.pop();
                self.marker = None;
            }
            Environment::Quotation => self.kind = BlockKind::Paragraph,
            _ if name == "document" => {
                self.in_body = !self.has_preamble;
            }
            _ => {}
        }
    }

    pub(super) fn push_displayed(&mut self, name: &str, is_numbered: bool, source: &mut Source, marks: Marks) {
        let body = source.environment(name);
        let number = if is_numbered && !name.ends_with('*') { self.counters.equation() } else { String::new() };
        for label in body.split("\\label{").skip(1).filter_map(|rest| rest.split('}').next()) {
            self.labels.insert(label.to_owned(), number.clone());
        }
        let lines: Vec<String> = tables::split(&body)
            .into_iter()
            .map(|row| math::render_formula(&row.join(" "), &mut self.macros))
            .filter(|line| !line.trim().is_empty())
            .collect();
        // A formula set apart belongs to the sentence around it.
        self.text.space(' ');
        self.text.formula(&lines.join("; "), marks);
        self.text.space(' ');
    }

    pub(super) fn verbatim(&mut self, name: &str, source: &mut Source, marks: Marks) {
        source.take('*');
        source.option();
        if name == "mintinline" {
            source.argument();
        }
        let Some(end) = source.next() else { return };
        let code = source.until(&String::from(if end == '{' { '}' } else { end }));
        self.text.push(&code, marks);
    }

    pub(super) fn code(&mut self, code: &str) {
        self.end_block();
        let code = self.leaves.leaf(BlockKind::Code, RunText::of(code));
        code.into_iter().for_each(|code| self.leaves.push(code));
    }

    pub(super) fn table(&mut self, body: &str) {
        let rows = tables::rows(body);
        if self.in_cell {
            // A table inside a cell is text of the cell, row by row.
            for (_, text) in rows.into_iter().flat_map(|row| row.cells) {
                self.run(Source::of(&text), Marks::default());
                self.text.space(' ');
            }
            return;
        }
        self.end_block();
        self.leaves.open_table();
        for row in rows {
            self.leaves.open_row(row.is_header);
            for (cell, text) in row.cells {
                let words = self.aside(&text);
                self.leaves.open_cell(Cell { is_header: row.is_header, ..cell });
                let leaf = self.leaves.leaf(BlockKind::Paragraph, words);
                leaf.into_iter().for_each(|leaf| self.leaves.push(leaf));
            }
            self.leaves.close_row();
        }
        self.leaves.close_table();
    }
}
