//! Jupyter notebooks (nbformat 3 and 4): prose cells through the Markdown reader, code and text outputs as code, pictures counted.

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::super::runs::RunText;
use super::super::table::Leaves;
use super::super::{html, markdown, plain};
use super::json_text::JsonText;
use super::value::{self, JsonFault, JsonValue};

/// Whether the whole of `text` is a notebook.
pub(crate) fn is_notebook(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim();
    text.starts_with('{') && text.contains("\"nbformat\"") && value::values(text).found.first().is_some_and(is_one)
}

/// Whether `value` is a notebook.
pub(super) fn is_one(value: &JsonValue) -> bool {
    value.get("nbformat").is_some() && (value.get("cells").is_some() || value.get("worksheets").is_some())
}

/// The text of the notebook `value`.
pub(super) fn read(value: &JsonValue, fault: JsonFault<'_>) -> JsonText {
    let mut notebook = Notebook::default();
    let sheets = value.get("worksheets").map(JsonValue::items).unwrap_or_default();
    for sheet in std::iter::once(value).chain(sheets) {
        sheet.get("cells").map(JsonValue::items).unwrap_or_default().iter().for_each(|cell| notebook.cell(cell));
    }
    let mut remarks = fault.remarks();
    if notebook.unread > 0 {
        remarks.push(format!("pictures and other outputs without text are not read: {}", notebook.unread));
    }
    JsonText { title: notebook.title, remarks, left_out: notebook.leaves.left_out(), leaves: notebook.leaves.finish() }
}

#[derive(Default)]
struct Notebook {
    title: Option<String>,
    leaves: Leaves,
    /// Number of outputs without text.
    unread: usize,
}

impl Notebook {
    fn cell(&mut self, cell: &JsonValue) {
        let text = |name: &str| cell.get(name).and_then(JsonValue::text);
        let source = text("source").or_else(|| text("input")).unwrap_or_default();
        match cell.get("cell_type").and_then(JsonValue::scalar) {
            Some("markdown") => self.markdown(&source),
            Some("code") => {
                self.code(&source);
                cell.get("outputs")
                    .map(JsonValue::items)
                    .unwrap_or_default()
                    .iter()
                    .for_each(|output| self.output(output));
            }
            Some("heading") => self.markdown(&format!("# {source}")),
            _ => {
                for leaf in plain::leaves(&source) {
                    let words = self.leaves.block_words(RunText::of(&leaf.text)).text;
                    self.leaves.push(Leaf { text: words, ..leaf });
                }
            }
        }
    }

    fn markdown(&mut self, source: &str) {
        let page = markdown::read(source, false);
        self.title = self.title.take().or(page.title);
        self.leaves.count(page.left_out);
        self.leaves.extend(page.leaves);
    }

    fn code(&mut self, source: &str) {
        let code = self.leaves.leaf(BlockKind::Code, RunText::of(source));
        code.into_iter().for_each(|code| self.leaves.push(code));
    }

    /// Adds an output: a table of a page as rows, otherwise its plain text.
    fn output(&mut self, output: &JsonValue) {
        // Version 3 has the forms of an output beside its other members.
        let data = output.get("data").unwrap_or(output);
        let form = |names: [&str; 2]| names.iter().find_map(|name| data.get(name)).and_then(JsonValue::text);
        let page = form(["text/html", "html"]).filter(|page| page.contains("<table"));
        let text = form(["text/plain", "text"]).or_else(|| traceback(output));
        if let Some(page) = page {
            let (leaves, left_out) = html::fragment(&page);
            self.leaves.count(left_out);
            self.leaves.extend(leaves);
        } else if let Some(source) = form(["text/markdown", "markdown"]) {
            self.markdown(&source);
        } else if let Some(text) = text {
            self.code(&without_colors(&text));
            self.unread += usize::from(has_picture(data));
        } else {
            self.unread += 1;
        }
    }
}

/// The name and the message of an error.
fn traceback(output: &JsonValue) -> Option<String> {
    let of = |name: &str| output.get(name).and_then(JsonValue::scalar);
    Some(format!("{}: {}", of("ename")?, of("evalue")?))
}

fn has_picture(data: &JsonValue) -> bool {
    let is_picture = |name: &str| name.starts_with("image/") || ["png", "jpeg", "svg"].contains(&name);
    matches!(data, JsonValue::Object(members) if members.iter().any(|(name, _)| is_picture(name)))
}

/// `text` without the sequences that set colours on a terminal (ECMA-48, CSI).
fn without_colors(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find(|c: char| ('@'..='~').contains(&c)).map_or(piece.len(), |end| end + 1);
        out.push_str(&piece[end..]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::super::package::fixture::render_leaf;
    use super::super::read;

    #[test]
    fn cells_are_prose_and_code_and_pictures_are_counted() {
        let source = r##"{"nbformat": 4, "metadata": {"k": 1}, "cells": [
            {"cell_type": "markdown", "source": ["# Ropes\n", "\n", "We do *not* sell."]},
            {"cell_type": "code", "source": "x = 1\nx", "outputs": [
                {"output_type": "stream", "text": ["\u001b[31mone\u001b[0m\n"]},
                {"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": ["<Figure>"]}},
                {"output_type": "execute_result", "data": {"text/html": ["<table><tr><th>a<th>b<tr><td>1<td>2</table>"], "text/plain": "a b"}},
                {"output_type": "error", "ename": "E", "evalue": "no", "traceback": ["x"]},
                {"output_type": "display_data", "data": {"image/png": "AAAA"}}]},
            {"cell_type": "raw", "source": "Plain words."}]}"##;
        let found = read(source);
        assert_eq!(
            found.leaves.iter().map(render_leaf).collect::<Vec<_>>(),
            [
                "heading1 : Ropes",
                "paragraph : We do not sell.",
                "code : x = 1 x",
                "code : one",
                "code : <Figure>",
                "table_row1h : a|b",
                "table_row1 : 1|2",
                "code : E: no",
                "paragraph : Plain words."
            ]
        );
        assert_eq!(found.title.as_deref(), Some("Ropes"));
        assert_eq!(found.remarks, ["pictures and other outputs without text are not read: 2"]);
    }

    #[test]
    fn an_older_notebook_has_sheets() {
        let source = r#"{"nbformat": 3, "worksheets": [{"cells": [
            {"cell_type": "heading", "level": 1, "source": "Ropes"},
            {"cell_type": "code", "input": "x", "outputs": [{"output_type": "pyout", "text": "1", "png": "AA"}]}]}]}"#;
        let found = read(source);
        assert_eq!(
            found.leaves.iter().map(render_leaf).collect::<Vec<_>>(),
            ["heading1 : Ropes", "code : x", "code : 1"]
        );
        assert_eq!(found.remarks, ["pictures and other outputs without text are not read: 1"]);
    }
}
