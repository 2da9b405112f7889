//! Values as an outline: an object is a section, a member with a short value a field, a long text its paragraphs, a list one field or items.

use precis_language::heading::names_title;
use precis_proto::BlockKind;
use precis_text::Leaf;

use super::super::runs::RunText;
use super::super::table::Leaves;
use super::super::{html, plain};
use super::json_text::JsonText;
use super::records;
use super::value::{JsonFault, JsonValue};

/// Longest value that stands in a field, in characters; a longer one gets a heading and paragraphs. Chosen, not measured.
const MAX_FIELD_CHARS: usize = 200;
/// Deepest level of a heading.
const MAX_LEVEL: u8 = 6;

/// The outline of `values`.
pub(super) fn read(values: &[JsonValue], fault: JsonFault<'_>) -> JsonText {
    let mut outline = Outline::default();
    match values {
        [value] => outline.value("", value, 1),
        [] => {}
        lines => outline.list("", lines, 1),
    }
    if let Some((_, rest)) = fault.broken {
        let rest = outline.leaves.leaf(BlockKind::Code, RunText::of(rest));
        rest.into_iter().for_each(|rest| outline.leaves.push(rest));
    }
    JsonText {
        title: values.first().filter(|_| values.len() == 1).and_then(title),
        remarks: fault.remarks(),
        left_out: outline.leaves.left_out(),
        leaves: outline.leaves.finish(),
    }
}

/// The value of the first member that is called a title.
fn title(value: &JsonValue) -> Option<String> {
    let JsonValue::Object(members) = value else { return None };
    members.iter().filter(|(name, _)| names_title(&name.to_lowercase())).find_map(|(_, value)| match value {
        JsonValue::Text(text) if text.chars().count() <= MAX_FIELD_CHARS => Some(precis_text::normalize(text)),
        _ => None,
    })
}

#[derive(Default)]
struct Outline {
    leaves: Leaves,
}

impl Outline {
    fn heading(&mut self, name: &str, level: u8) {
        let name = self.leaves.block_words(RunText::of(name)).text;
        self.leaves.push(Leaf { level: Some(level.min(MAX_LEVEL)), ..Leaf::new(BlockKind::Heading, name) });
    }

    /// Adds `value`, the member called `name`; the name is empty for the whole document.
    fn value(&mut self, name: &str, value: &JsonValue, level: u8) {
        match value {
            JsonValue::Literal(text) => self.field(name, text),
            JsonValue::Text(text) => self.text(name, text, level),
            JsonValue::List(items) => self.list(name, items, level),
            JsonValue::Object(members) if members.is_empty() => {}
            JsonValue::Object(members) => {
                let inner = if name.is_empty() { level } else { level.saturating_add(1) };
                if !name.is_empty() {
                    self.heading(name, level);
                }
                members.iter().for_each(|(name, value)| self.value(name, value, inner));
            }
        }
    }

    fn field(&mut self, name: &str, text: &str) {
        let text = self.leaves.block_words(RunText::of(text)).text;
        if text.is_empty() {
            return;
        }
        let name = self.leaves.block_words(RunText::of(name)).text;
        self.leaves.push(match name.is_empty() {
            true => Leaf::new(BlockKind::Paragraph, text),
            false => Leaf::new(BlockKind::FormField, format!("{name}: {text}")),
        });
    }

    /// Adds a text: a field if it is short, otherwise what it is, a page or plain text, below its name.
    fn text(&mut self, name: &str, text: &str, level: u8) {
        let trimmed = text.trim();
        let is_page = trimmed.starts_with('<') && trimmed.ends_with('>') && trimmed.contains("</");
        if !is_page && trimmed.chars().count() <= MAX_FIELD_CHARS {
            return self.field(name, trimmed);
        }
        if !name.is_empty() {
            self.heading(name, level);
        }
        if is_page {
            let (leaves, left_out) = html::fragment(trimmed);
            self.leaves.count(left_out);
            return self.leaves.extend(leaves);
        }
        for leaf in plain::leaves(trimmed) {
            let words = self.leaves.block_words(RunText::of(&leaf.text)).text;
            self.leaves.push(Leaf { text: words, ..leaf });
        }
    }

    fn list(&mut self, name: &str, items: &[JsonValue], level: u8) {
        if let Some(line) = inline(items).filter(|line| line.chars().count() <= MAX_FIELD_CHARS || !has_texts(items)) {
            return self.field(name, &line);
        }
        let inner = if name.is_empty() { level } else { level.saturating_add(1) };
        if !name.is_empty() {
            self.heading(name, level);
        }
        if let Some(table) = records::table(items) {
            self.leaves.open_table();
            for (at, row) in table.iter().enumerate() {
                let row: Vec<String> = row.iter().map(|cell| self.leaves.block_words(RunText::of(cell)).text).collect();
                self.leaves.push_row(at == 0, &row);
            }
            return self.leaves.close_table();
        }
        for (n, item) in (1..).zip(items) {
            match item.scalar() {
                Some(text) => {
                    let text = self.leaves.block_words(RunText::of(text)).text;
                    self.leaves.push(Leaf { level: Some(1), ..Leaf::new(BlockKind::ListItem, text) });
                }
                // Without a name of its own, an item is told by its place.
                None => self.value(format!("{name} {n}").trim(), item, inner),
            }
        }
    }
}

fn has_texts(items: &[JsonValue]) -> bool {
    items.iter().any(|item| matches!(item, JsonValue::Text(_)))
}

/// A list of values, or of such lists, in one line; `None` if it has an object.
fn inline(items: &[JsonValue]) -> Option<String> {
    let of = |items: &[JsonValue]| Some(items.iter().map(JsonValue::scalar).collect::<Option<Vec<_>>>()?.join(", "));
    of(items).or_else(|| {
        let lines = items.iter().map(|item| match item {
            JsonValue::List(inner) => of(inner),
            JsonValue::Literal(_) | JsonValue::Text(_) | JsonValue::Object(_) => None,
        });
        Some(lines.collect::<Option<Vec<_>>>()?.join("; "))
    })
}
