//! Templates: `{{name|value|name=value}}`. What one shows is written on another page, so it is not expanded. Four rules say what of its
//! values stands on this page; none needs the names of templates.
//!
//! 1. Values with names of a template before all text are fields of the page, as in a box of facts.
//! 2. Where a template is all of a note, an item, a cell or a value, its values stand there: those without names, else those with names. Addresses are
//!    left out where there is more.
//! 3. Where it is a line of its own, values without names that are sentences stand there.
//! 4. Elsewhere it is left out. Inside a sentence a mark tells of the gap: without it, words that are not there would not be missed.
//!
//! A template that shows less than all is counted.

use super::braces::{self, Span, SpanKind};
use super::gaps::{ends_line, is_address, is_gap, is_sentence};
use super::pieces::without_marks;

/// Deepest nesting of templates of which values are shown. Chosen: boxes of facts have lists in them.
pub(super) const MAX_DEPTH: usize = 8;
/// Stands for words of a sentence that are not on this page.
const GAP: &str = "[…]";

/// A text without its templates.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PlainWikitext {
    pub(super) text: String,
    /// Names and values of the page.
    pub(super) fields: Vec<Field>,
    /// What the page is to be called.
    pub(super) title: Option<String>,
    /// Number of templates that show less than all.
    pub(super) unread: u64,
    /// Whether no text of the page was seen yet.
    is_at_top: bool,
}

/// A name and its value, in wikitext.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) value: String,
}

impl Field {
    pub(super) fn new(name: &str, value: &str) -> Self {
        Self { name: name.to_owned(), value: value.to_owned() }
    }
}

/// The page `text` without templates.
pub(super) fn of_page(text: &str) -> PlainWikitext {
    let mut plain = PlainWikitext { is_at_top: true, ..PlainWikitext::default() };
    plain.take(text, 0);
    plain
}

/// The note `text` without templates.
pub(super) fn of_note(text: &str) -> PlainWikitext {
    let mut plain = PlainWikitext::default();
    // As an item, so that a template that is all of it shows its values.
    plain.take(&format!(":{}", text.trim()), 0);
    plain.text.remove(0);
    plain
}

/// A template taken apart.
struct Template<'t> {
    name: &'t str,
    /// Values without names.
    values: Vec<&'t str>,
    named: Vec<(&'t str, &'t str)>,
}

impl PlainWikitext {
    fn take(&mut self, text: &str, depth: usize) {
        let mut at = 0;
        for span in braces::spans(text) {
            let before = &text[at..span.range.start];
            self.is_at_top &= before.trim().is_empty();
            self.text.push_str(before);
            at = self.span(text, &span, depth);
        }
        self.is_at_top &= text[at..].trim().is_empty();
        self.text.push_str(&text[at..]);
    }

    /// Takes a template; returns the position behind it.
    fn span(&mut self, text: &str, span: &Span, depth: usize) -> usize {
        let end = span.range.end;
        let (inside, behind) = (&text[span.inside()], &text[end..]);
        let template = take_apart(inside);
        match template.name {
            _ if span.kind == SpanKind::Parameter => {}
            "!" | "=" => {
                self.text.push_str(if template.name == "!" { "|" } else { "=" });
                return end;
            }
            name if name.starts_with("DISPLAYTITLE:") => {
                self.title = name.split_once(':').map(|(_, title)| title.trim().to_owned());
                return end;
            }
            _ => {}
        }
        if depth >= MAX_DEPTH {
            self.unread += 1;
            return end;
        }
        let is_blank = |c: char| c == ' ' || c == '\t';
        let before = self.text.trim_end_matches(is_blank);
        let rest = behind.trim_start_matches(is_blank);
        let begins = before.is_empty() || before.ends_with('\n');
        let ends = ends_line(rest);
        if begins && (ends || rest.starts_with("{{")) {
            let kept = before.len();
            self.text.truncate(kept);
            self.block(&template, depth);
            return text.len() - rest.len();
        }
        let is_cell_or_item = before.ends_with(['|', '!', '*', '#', ':', ';']);
        if is_cell_or_item && (ends || rest.starts_with(['|', '!'])) {
            self.all_of_a_place(&template, depth);
        } else {
            self.unread += 1;
            if is_gap(&self.text, rest, &template.values) {
                self.text.push_str(GAP);
            }
        }
        end
    }

    /// A template that is a line of its own.
    fn block(&mut self, template: &Template<'_>, depth: usize) {
        if self.is_at_top && template.named.len() > 1 {
            for (name, value) in &template.named {
                let value = self.inner(value, depth);
                self.fields.push(Field::new(&without_marks(name).replace('_', " "), &value));
            }
            return;
        }
        let sentences: Vec<&str> = template.values.iter().copied().filter(|value| is_sentence(value)).collect();
        if sentences.is_empty() {
            self.unread += 1;
        }
        for sentence in sentences {
            let sentence = self.inner(sentence, depth);
            self.text.push_str(&format!("\n{sentence}\n"));
            self.is_at_top = false;
        }
    }

    /// A template that is all of a note, an item or a cell.
    fn all_of_a_place(&mut self, template: &Template<'_>, depth: usize) {
        let named = || template.named.iter().map(|(_, value)| *value).collect();
        let values = if template.values.is_empty() { named() } else { template.values.clone() };
        let shown: Vec<String> = values.into_iter().map(|value| self.inner(value, depth)).collect();
        let mut shown: Vec<String> = shown.into_iter().filter(|value| !value.is_empty()).collect();
        if !shown.iter().all(|value| is_address(value)) {
            shown.retain(|value| !is_address(value));
        }
        self.unread += u64::from(shown.is_empty());
        // A line of its own would end the item.
        self.text.push_str(&shown.join(", ").replace('\n', " "));
    }

    /// A value without the templates in it.
    fn inner(&mut self, value: &str, depth: usize) -> String {
        let mut inner = Self::default();
        // A template that is all of a value shows its own values.
        inner.take(&format!(":{value}"), depth + 1);
        self.unread += inner.unread;
        inner.text[1..].trim().to_owned()
    }
}

fn take_apart(inside: &str) -> Template<'_> {
    let mut parts = braces::parts(inside).into_iter();
    let name = parts.next().unwrap_or_default().trim();
    let mut template = Template { name, values: Vec::new(), named: Vec::new() };
    for part in parts {
        match braces::name_and_value(part) {
            Some((name, value)) if !name.bytes().all(|byte| byte.is_ascii_digit()) => {
                if !value.is_empty() {
                    template.named.push((name, value));
                }
            }
            Some((_, value)) => template.values.push(value),
            None => template.values.push(part.trim()),
        }
    }
    template.values.retain(|value| !value.is_empty());
    template
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> (String, u64) {
        let plain = of_page(text);
        (plain.text, plain.unread)
    }

    #[test]
    fn values_stand_where_they_are_text_of_the_page() {
        for (text, want, unread) in [
            ("a\n{{quote|The dam is not safe at all.|Ann}}\nb", "a\n\nThe dam is not safe at all.\n\nb", 0),
            ("a\n{{main|Other page}}\nb", "a\n\nb", 1),
            ("a\n{{a}} {{b|c}}\nb", "a\n\nb", 2),
            ("* {{cite web|url=https://a.b|title=On dams|year=1931}}", "* On dams, 1931", 0),
            ("* {{sfn|Lund|1931|p=5}}", "* Lund, 1931", 0),
            ("* {{url|https://a.b}}", "* https://a.b", 0),
            ("It is so. {{as of|2020}}, it is. {{x|y}}\nNo", "It is so. […], it is. \nNo", 2),
            ("5{{efn|A guess.}}, {{e|6}} or 10{{e|6}},{{a|b}} c", "5, […] or 10[…], c", 4),
            ("| {{flag|France}} || {{yes}}", "| France || ", 1),
            ("* {{plainlist|{{flag|France}}}}", "* France", 0),
            ("so{{citation needed|date=May}} and", "so and", 1),
            ("It is so.{{sfn|Lund|1931}} Dogs", "It is so. Dogs", 1),
            ("Dogs are {{em|not}} allowed", "Dogs are […] allowed", 1),
            ("{{PAGENAME}} is a town", "[…] is a town", 1),
            ("a {{{1|b}}} c", "a […] c", 1),
            ("a {{!}} b {{=}} c", "a | b = c", 0),
            ("a {{open b }} c {{ d", "a […] c {{ d", 1),
        ] {
            assert_eq!(shown(text), (want.to_owned(), unread), "{text}");
        }
    }

    #[test]
    fn a_box_before_all_text_gives_fields() {
        let plain = of_page(
            "{{Use dates}}\n{{Infobox dam\n| name = Ost\n| built_in = 1931 [[a|b]]\n| x =\n}}\nText {{a|b=c|d=e}}",
        );
        let fields: Vec<(&str, &str)> = plain.fields.iter().map(|field| (&*field.name, &*field.value)).collect();
        assert_eq!(fields, [("name", "Ost"), ("built in", "1931 [[a|b]]")]);
        assert_eq!((plain.text.trim(), plain.unread), ("Text […]", 2));
        assert_eq!(of_page("{{DISPLAYTITLE:A b}}\nx").title.as_deref(), Some("A b"));
    }

    #[test]
    fn values_are_shown_to_a_depth() {
        for (depth, is_shown) in [(MAX_DEPTH - 1, true), (MAX_DEPTH, true), (MAX_DEPTH + 1, false)] {
            let text = format!("* {}b{}", "{{a|".repeat(depth), "}}".repeat(depth));
            assert_eq!(shown(&text).0 == "* b", is_shown, "{depth}");
        }
    }
}
