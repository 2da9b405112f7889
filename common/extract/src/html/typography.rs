//! [`Typography`]: what the inline elements around a text say about it: raised, lowered, struck out, linked, the mark of a note, a reading,
//! or part of a formula.

use dom_query::Element;

use super::roles::attribute;
use crate::runs::formula::{Formula, Part};
use crate::runs::{Marks, Position};

/// The inline elements that are open.
#[derive(Debug, Default)]
pub(super) struct Typography {
    positions: Vec<Position>,
    struck: usize,
    /// Open ruby texts, and readings beside the words of one.
    rubies: usize,
    readings: usize,
    links: Vec<LinkKind>,
    labels: usize,
    formula: Option<Formula>,
}

/// Where a link leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkKind {
    /// It is declared to lead to a note.
    Note,
    /// To a place on the same page.
    Inside,
    Elsewhere,
}

impl Typography {
    /// Takes the start tag of an inline element.
    pub(super) fn open(&mut self, element: &Element) {
        match element.name.local.as_ref() {
            "sup" => self.positions.push(Position::Raised),
            "sub" => self.positions.push(Position::Lowered),
            "s" | "strike" | "del" => self.struck += 1,
            "ruby" => self.rubies += 1,
            // A reading without words beside it is text.
            "rt" | "rtc" if self.rubies > 0 => self.readings += 1,
            "label" | "button" => self.labels += 1,
            "a" => self.links.push(link(element)),
            _ => {}
        }
    }

    /// Takes an end tag.
    pub(super) fn close(&mut self, name: &str) {
        let less = |number: &mut usize| *number = number.saturating_sub(1);
        match name {
            "sup" | "sub" => drop(self.positions.pop()),
            "s" | "strike" | "del" => less(&mut self.struck),
            "ruby" => (self.rubies, self.readings) = (self.rubies.saturating_sub(1), 0),
            "rt" | "rtc" => less(&mut self.readings),
            "label" | "button" => less(&mut self.labels),
            "a" => drop(self.links.pop()),
            _ => {}
        }
    }

    /// Takes the start tag of an element in a formula, or the one that begins a formula; returns whether it is one.
    pub(super) fn open_formula(&mut self, name: &str) -> bool {
        if name == "math" && self.formula.is_none() {
            self.formula = Some(Formula::default());
        }
        let Some(formula) = &mut self.formula else { return false };
        formula.open(part(name));
        true
    }

    /// Takes the end tag of an element in a formula. Returns whether it is one, and the formula that ends with it.
    pub(super) fn close_formula(&mut self) -> (bool, Option<String>) {
        let Some(formula) = &mut self.formula else { return (false, None) };
        let whole = formula.close();
        if whole.is_some() {
            self.formula = None;
        }
        (true, whole)
    }

    /// Takes text in a formula; returns whether it is in one.
    pub(super) fn formula_text(&mut self, text: &str) -> bool {
        self.formula.as_mut().map(|formula| formula.text(text)).is_some()
    }

    /// The marks of a text here; `None` if it only tells how to read the words beside it.
    pub(super) fn marks(&self) -> Option<Marks> {
        let position = self.positions.first().copied().unwrap_or_default();
        let inner = self.positions.get(1..).and_then(<[Position]>::last).copied().unwrap_or_default();
        let is_note = self.links.last().is_some_and(|link| match link {
            LinkKind::Note => true,
            LinkKind::Inside => position == Position::Raised,
            LinkKind::Elsewhere => false,
        });
        let marks = Marks { position, inner, is_struck: self.struck > 0, is_hidden: false, is_note };
        (self.readings == 0).then_some(marks)
    }

    pub(super) fn is_linked(&self) -> bool {
        !self.links.is_empty()
    }

    pub(super) fn is_label(&self) -> bool {
        self.labels > 0
    }
}

fn link(element: &Element) -> LinkKind {
    let leads_inside = attribute(element, "href").is_some_and(|address| address.trim().starts_with('#'));
    let says_note = |name: &str| {
        let words = attribute(element, name).unwrap_or_default();
        words.split_ascii_whitespace().any(|word| matches!(word, "doc-noteref" | "noteref"))
    };
    match (leads_inside, says_note("role") || says_note("epub:type")) {
        (_, true) => LinkKind::Note,
        (true, false) => LinkKind::Inside,
        (false, false) => LinkKind::Elsewhere,
    }
}

/// The part of a formula that the element `name` forms (MathML 3, chapter 3).
fn part(name: &str) -> Part {
    match name {
        "mfrac" => Part::Fraction,
        "msup" | "mover" => Part::Power,
        "msub" | "munder" => Part::Index,
        "msubsup" | "munderover" => Part::Both,
        "msqrt" => Part::Root,
        "mroot" => Part::RootOf,
        "mtable" | "mtr" => Part::List,
        "annotation" | "annotation-xml" | "mphantom" => Part::Nothing,
        _ => Part::Row,
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::extraction::HtmlMode;
    use precis_text::CanonicalText;

    use super::super::page_text;

    fn read(source: &str) -> (String, Vec<String>) {
        let page = page_text(&format!("<body>{source}"), HtmlMode::Full);
        let notes = page.leaves.iter().flat_map(|leaf| leaf.notes.clone()).collect();
        (CanonicalText::from_leaves(&page.leaves).as_str().to_owned(), notes)
    }

    #[test]
    fn marks_of_notes_are_those_that_lead_to_a_note() {
        for (source, text, notes) in [
            ("40<sup>1</sup> million", "40¹ million", &[][..]),
            ("40<sup><a href='#n1'>1</a></sup> million", "40 million", &["1"]),
            ("40<a href='#n1'><sup>[1]</sup></a> million", "40 million", &["1"]),
            ("40<a role='doc-noteref' href='x#n'>1</a> million", "40 million", &["1"]),
            ("40<sup><a href='/x'>1</a></sup> million", "40¹ million", &[]),
            ("See <a href='#two'>part 2</a>.", "See part 2.", &[]),
        ] {
            let notes: Vec<String> = notes.iter().map(|note| (*note).to_owned()).collect();
            assert_eq!(read(source), (text.to_owned(), notes), "{source}");
        }
    }

    #[test]
    fn a_style_says_the_same_as_an_element() {
        for (source, text, struck) in [
            ("40<span style='vertical-align:super'>1</span> million", "40¹ million", 0),
            ("are <b style='vertical-align:1px;font-size:1.2em'>not</b> allowed", "are not allowed", 0),
            ("on <i style='vertical-align:-1px;font-size:16px'>deck</i>", "on deck", 0),
            ("<style>.n{vertical-align:.4em;font-size:60%}</style>40<i class=n>1</i> million", "40¹ million", 0),
            ("H<span style='vertical-align:sub'>2</span>O", "H₂O", 0),
            ("<img style='vertical-align:super'>40<span style='vertical-align:4px'>1</span>", "401", 0),
            ("40<a href='#n' style='vertical-align:super'>1</a> million", "40 million", 0),
            ("Dogs are <span style='text-decoration:line-through'>not</span> allowed", "Dogs are allowed", 3),
            ("<style>.done{text-decoration-line:line-through}</style><ul><li class=done>a <b>b</b><li>c</ul>", "c", 2),
            ("<p style='text-decoration:underline'>a</p>", "a", 0),
        ] {
            let page = page_text(&format!("<body>{source}"), HtmlMode::Full);
            let found = CanonicalText::from_leaves(&page.leaves);
            assert_eq!((found.as_str(), page.left_out.struck), (text, struck), "{source}");
        }
    }

    #[test]
    fn formulas_are_read_on_one_line_and_once() {
        for (source, text) in [
            ("Take <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math> litre.", "Take 1/2 litre."),
            (
                "<math><semantics><mrow><msup><mn>10</mn><mn>6</mn></msup></mrow><annotation>10^6</annotation></semantics></math> cells",
                "10⁶ cells",
            ),
            ("<math><msqrt><mi>x</mi></msqrt><mo>=</mo><msub><mi>y</mi><mi>i</mi></msub></math>", "√(x)=yᵢ"),
            ("<math><mrow><mn>1</mn></math><p>after", "1 after"),
        ] {
            assert_eq!(read(source).0, text, "{source}");
        }
    }

    #[test]
    fn readings_next_to_words_are_left_out() {
        assert_eq!(read("<p>Dogs are <rt>not</rt> allowed.").0, "Dogs are not allowed.");
        assert_eq!(
            read("<ruby>港<rp>(</rp><rt>みなと</rt><rp>)</rp></ruby>の<ruby>料金<rt>りょうきん</ruby>").0,
            "港の料金"
        );
    }
}
