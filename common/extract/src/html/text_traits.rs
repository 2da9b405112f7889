//! What the text of a unit tells by itself: its length, its links, how it ends, what it is made of.

use dom_query::{NodeId, NodeRef};
use precis_language::related::announces_related;

use super::sentences;
use super::text_sizes::TextSizes;

/// Fewest characters of sentences that make a unit long.
const LONG_CHARS: usize = 140;
/// Longest label above links, in characters.
const MAX_LABEL_CHARS: usize = 60;
/// Marks that are frequent in lines around articles, or in articles.
const SIGNS: [char; 10] = [',', '©', '|', '»', '/', '@', '?', '!', '(', '#'];
/// Elements that change a text or stand in it.
const INSIDE: [&[&str]; 9] = [
    &["em", "i"],
    &["strong", "b"],
    &["small"],
    &["span"],
    &["time"],
    &["img", "picture", "svg"],
    &["button", "input"],
    &["sup"],
    &["br"],
];
/// Of these, those that may hold all of it.
const HOLDING: usize = 4;

/// What a unit is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitForm {
    List,
    /// A table, a quotation, or preformatted text.
    Whole,
    /// Choices or fields of a form.
    Field,
    /// Text that says something and is not of links.
    Sentences,
    /// Anything else.
    Line,
}

/// The text of a unit. Sizes are characters without white space.
pub(super) struct UnitText {
    pub(super) chars: usize,
    pub(super) parent: Option<NodeId>,
    linked: usize,
    said: usize,
    pub(super) is_heading: bool,
    text: String,
}

impl UnitText {
    pub(super) fn of(node: &NodeRef<'_>, sizes: &TextSizes) -> Self {
        let text = precis_text::normalize(&node.text());
        let chars = text.chars().filter(|c| !c.is_whitespace()).count();
        let is_in_link = node.ancestors_it(None).any(|above| above.has_name("a"));
        Self {
            chars,
            parent: node.parent().map(|parent| parent.id),
            linked: if is_in_link { chars } else { sizes.of_node(node).linked.min(chars) },
            said: sentences::of_text(&text),
            is_heading: matches!(tag(node), 1..=3),
            text,
        }
    }

    pub(super) fn is_long(&self) -> bool {
        self.said >= LONG_CHARS && self.linked * 3 < self.chars
    }

    /// Characters of its sentences; none if it is mostly links.
    pub(super) fn said_unlinked(&self) -> usize {
        if self.linked * 2 < self.chars { self.said } else { 0 }
    }

    /// Whether it is mostly links, or a label above links.
    pub(super) fn is_linked(&self) -> bool {
        self.linked * 5 >= self.chars * 3 || self.is_label()
    }

    fn is_label(&self) -> bool {
        self.chars <= MAX_LABEL_CHARS && announces_related(&self.text.to_lowercase())
    }

    pub(super) fn form(&self, node: &NodeRef<'_>) -> UnitForm {
        match tag(node) {
            6 => UnitForm::List,
            7 | 10 => UnitForm::Whole,
            _ if ["select", "textarea", "option", "button"].iter().any(|name| node.has_name(name)) => UnitForm::Field,
            _ if self.said > 0 && self.linked * 4 < self.chars => UnitForm::Sentences,
            _ => UnitForm::Line,
        }
    }

    /// What it is for its neighbours; 0 is for none.
    pub(super) fn shape(&self) -> u8 {
        match () {
            () if self.is_heading => 1,
            () if self.is_long() => 2,
            () if self.linked * 2 > self.chars => 3,
            () if self.said > 0 => 4,
            () => 5,
        }
    }

    pub(super) fn traits(&self, node: &NodeRef<'_>, sizes: &TextSizes) -> Vec<u8> {
        let text = self.text.as_str();
        let stops = text.matches(['.', '!', '?', '。', '！', '？']).count();
        let digits = text.chars().filter(|c| c.is_numeric()).count();
        let mut traits = vec![
            step(self.chars, &[15, 40, 80, 140, 300]),
            step(self.linked * 100 / self.chars.max(1), &[1, 25, 60, 90]),
            ending(text),
            u8::from(self.said > 0),
            step(stops, &[1, 3]),
            step(digits * 100 / self.chars.max(1), &[1, 20]),
            tag(node),
            u8::from(self.is_label()),
            u8::from(!text.chars().any(char::is_lowercase)),
        ];
        traits.extend(SIGNS.map(|sign| u8::from(text.contains(sign))));
        traits.extend(self.inside(node, sizes));
        traits
    }

    /// Whether the elements of each row are in `node`, and whether they hold nearly all of it.
    fn inside(&self, node: &NodeRef<'_>, sizes: &TextSizes) -> [u8; INSIDE.len()] {
        let (mut found, mut held) = ([0; INSIDE.len()], [0; INSIDE.len()]);
        for inside in node.descendants_it() {
            let Some(name) = inside.node_name() else { continue };
            if let Some(row) = INSIDE.iter().position(|names| names.contains(&&*name)) {
                found[row] = 1;
                held[row] += sizes.of_node(&inside).chars;
            }
        }
        for row in 0..HOLDING {
            found[row] += u8::from(found[row] > 0 && held[row] * 10 >= self.chars * 9);
        }
        found
    }
}

/// The number of `edges` that `number` reaches.
pub(super) fn step(number: usize, edges: &[usize]) -> u8 {
    edges.iter().filter(|edge| number >= **edge).count() as u8
}

fn ending(text: &str) -> u8 {
    let open = text.trim_end_matches(['"', '”', '“', '»', '’', '\'', ')', ']']);
    match open.chars().last() {
        Some('…') => 1,
        Some('.') if text.ends_with("...") => 1,
        Some('.' | '!' | '?' | '。' | '！' | '？') => 2,
        Some(':') => 3,
        Some(',' | ';') => 4,
        Some(c) if c.is_numeric() => 5,
        _ => 0,
    }
}

fn tag(node: &NodeRef<'_>) -> u8 {
    let Some(name) = node.node_name() else { return 0 };
    match &*name {
        "h1" => 1,
        "h2" => 2,
        "h3" | "h4" | "h5" | "h6" => 3,
        "p" => 4,
        "li" | "dt" | "dd" => 5,
        "ul" | "ol" | "dl" => 6,
        "td" | "th" | "table" => 7,
        "figcaption" | "caption" => 8,
        "div" | "section" | "article" => 9,
        "blockquote" | "pre" => 10,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use dom_query::Document;

    use super::*;

    fn unit(html: &str) -> (UnitForm, u8, bool) {
        let document = Document::from(format!("<body>{html}"));
        let node = document.select("body > *").nodes()[0];
        let unit = UnitText::of(&node, &TextSizes::of(&document));
        (unit.form(&node), unit.shape(), unit.is_linked())
    }

    #[test]
    fn units_are_recognized_by_their_form_and_links() {
        let long = "The harbour was opened, after many years, by the council of the old town. ".repeat(2);
        for (html, form, shape, is_linked) in [
            ("<h2>Head</h2>".to_owned(), UnitForm::Line, 1, false),
            (format!("<p>{long}</p>"), UnitForm::Sentences, 2, false),
            (format!("<p><a href=x>{long}</a></p>"), UnitForm::Line, 3, true),
            ("<p>The office is open on Mondays.</p>".to_owned(), UnitForm::Sentences, 4, false),
            ("<p>Minutes</p>".to_owned(), UnitForm::Line, 5, false),
            ("<p>Read also: more</p>".to_owned(), UnitForm::Line, 5, true),
            ("<ul><li>a</ul>".to_owned(), UnitForm::List, 5, false),
            ("<table><tr><td>a</table>".to_owned(), UnitForm::Whole, 5, false),
            ("<pre>a</pre>".to_owned(), UnitForm::Whole, 5, false),
            ("<select><option>a</select>".to_owned(), UnitForm::Field, 5, false),
        ] {
            assert_eq!(unit(&html), (form, shape, is_linked), "{html}");
        }
    }

    #[test]
    fn a_text_ends_like_a_sentence_or_not() {
        for (text, step) in
            [("a.", 2), ("„a.“", 2), ("a (b.)", 2), ("a:", 3), ("a…", 1), ("a...", 1), ("a,", 4), ("a 7", 5), ("a", 0)]
        {
            assert_eq!(ending(text), step, "{text}");
        }
    }

    #[test]
    fn a_long_unit_has_a_number_of_characters() {
        for (chars, shape) in [(LONG_CHARS - 1, 4), (LONG_CHARS, 2), (LONG_CHARS + 1, 2)] {
            assert_eq!(unit(&format!("<p>{}.</p>", "a".repeat(chars - 1))).1, shape, "{chars}");
        }
    }

    #[test]
    fn a_label_above_links_is_short() {
        let label = |chars: usize| format!("<p>Readalso {} read also</p>", "a".repeat(chars - 16));
        for (chars, is_linked) in [(MAX_LABEL_CHARS - 1, true), (MAX_LABEL_CHARS, true), (MAX_LABEL_CHARS + 1, false)] {
            assert_eq!(unit(&label(chars)).2, is_linked, "{chars}");
        }
    }
}
