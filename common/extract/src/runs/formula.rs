//! [`Formula`]: fractions, powers, indices and roots as plain linear text: `a/b`, `10⁶`, `√(x)`.
//!
//! MathML and the formulas of Office files both are trees of parts with arguments; their readers open and close parts here, so that the
//! digits of two arguments are never joined to one number.

use super::marks::Position;
use super::position::place_text;

/// Deepest nesting of parts that is followed; deeper ones are read as one row. Chosen: formulas of books are less than 20 deep.
const MAX_DEPTH: usize = 64;

/// A part of a formula, by what it does with its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Arguments one after the other; also a single sign, number or name.
    Row,
    /// Numerator, denominator.
    Fraction,
    /// Base, exponent.
    Power,
    /// Base, index.
    Index,
    /// Base, index, exponent.
    Both,
    /// Radicand.
    Root,
    /// Radicand, degree.
    RootOf,
    /// Degree, radicand.
    DegreeRoot,
    /// Rows of a matrix, or its cells.
    List,
    /// Arguments between brackets.
    Fenced,
    /// Lower limit, upper limit and terms of a sum or integral.
    Sum,
    /// Text about the formula; it is no argument.
    Nothing,
}

/// A part that is open.
#[derive(Debug)]
struct OpenPart {
    part: Part,
    arguments: Vec<String>,
    /// Signs before and behind its arguments: brackets, or the sign of a sum.
    signs: [Option<String>; 2],
}

/// A formula being read.
#[derive(Debug, Default)]
pub(crate) struct Formula {
    open: Vec<OpenPart>,
    /// Parts open beyond [`MAX_DEPTH`].
    deeper: usize,
}

impl Formula {
    /// Begins a part.
    pub(crate) fn open(&mut self, part: Part) {
        match self.open.len() < MAX_DEPTH {
            true => self.open.push(OpenPart { part, arguments: Vec::new(), signs: [None, None] }),
            false => self.deeper += 1,
        }
    }

    /// Adds signs to the part that is open.
    pub(crate) fn text(&mut self, text: &str) {
        let text = text.trim_matches(|c: char| c.is_ascii_whitespace());
        if let Some(open) = self.open.last_mut().filter(|_| !text.is_empty()) {
            open.arguments.push(text.to_owned());
        }
    }

    /// Sets the sign before (0) or behind (1) the arguments of the innermost brackets or sum.
    pub(crate) fn sign(&mut self, at: usize, sign: String) {
        let open = self.open.iter_mut().rev().find(|open| matches!(open.part, Part::Fenced | Part::Sum));
        if let Some(place) = open.and_then(|open| open.signs.get_mut(at)) {
            *place = Some(sign);
        }
    }

    /// Ends the part that is open; returns the formula if it was the outermost.
    pub(crate) fn close(&mut self) -> Option<String> {
        if self.deeper > 0 {
            self.deeper -= 1;
            return None;
        }
        let closed = self.open.pop()?;
        let written = render_part(&closed);
        match self.open.last_mut() {
            Some(_) if closed.part == Part::Nothing => None,
            Some(around) => {
                around.arguments.push(written);
                None
            }
            None => Some(written),
        }
    }
}

/// A part with its arguments, for readers that find the arguments before they know the part.
pub(crate) fn linear(part: Part, arguments: Vec<String>) -> String {
    render_part(&OpenPart { part, arguments, signs: [None, None] })
}

fn render_part(open: &OpenPart) -> String {
    let arguments = open.arguments.as_slice();
    let sign = |at: usize, usual: &'static str| open.signs[at].as_deref().unwrap_or(usual);
    match (open.part, arguments) {
        (Part::Nothing, _) => String::new(),
        (Part::Fraction, [above, below]) => format!("{}/{}", bracket(above), bracket(below)),
        (Part::Power, [base, exponent]) => format!("{}{}", bracket(base), place_text(exponent, Position::Raised)),
        (Part::Index, [base, index]) => format!("{}{}", bracket(base), place_text(index, Position::Lowered)),
        (Part::Both, [base, index, exponent]) => {
            let (index, exponent) = (place_text(index, Position::Lowered), place_text(exponent, Position::Raised));
            format!("{}{index}{exponent}", bracket(base))
        }
        (Part::Root, arguments) => format!("√({})", row(arguments)),
        (Part::Fenced, arguments) => format!("{}{}{}", sign(0, "("), list_arguments(arguments), sign(1, ")")),
        (Part::Sum, [below, above, terms]) => {
            let (below, above) = (place_text(below, Position::Lowered), place_text(above, Position::Raised));
            format!("{}{below}{above} {terms}", sign(0, "∫"))
        }
        (Part::RootOf, [radicand, degree]) | (Part::DegreeRoot, [degree, radicand]) => match degree.is_empty() {
            true => format!("√({radicand})"),
            false => format!("{}√({radicand})", place_text(degree, Position::Raised)),
        },
        (Part::List, arguments) => list_arguments(arguments),
        // Parts with another number of arguments than they should have, too.
        _ => row(arguments),
    }
}

fn list_arguments(arguments: &[String]) -> String {
    let said: Vec<&str> = arguments.iter().map(String::as_str).filter(|argument| !argument.is_empty()).collect();
    said.join(", ")
}

/// Arguments one after the other; numbers and words are set apart, so that they do not become one.
fn row(arguments: &[String]) -> String {
    let mut out = String::new();
    let mut previous = "";
    for argument in arguments.iter().filter(|argument| !argument.is_empty()) {
        if joins(previous, argument) {
            out.push(' ');
        }
        out.push_str(argument);
        previous = argument;
    }
    out
}

/// Whether two neighbours would be read as one number or one word.
fn joins(left: &str, right: &str) -> bool {
    let (Some(before), Some(next)) = (left.chars().next_back(), right.chars().next()) else { return false };
    let is_word = |word: Option<&str>| word.is_some_and(|word| word.chars().nth(1).is_some());
    let last = left.rsplit(|c: char| !c.is_alphabetic()).next();
    let first = right.split(|c: char| !c.is_alphabetic()).next();
    match (before.is_numeric(), next.is_numeric()) {
        (true, true) => true,
        (false, false) => before.is_alphabetic() && next.is_alphabetic() && (is_word(last) || is_word(first)),
        // `2x` is a product, `5 not` are two words; `x2` would be a name.
        (true, false) => is_word(first),
        (false, true) => before.is_alphabetic(),
    }
}

/// `text` in brackets, unless it is a single number or name.
fn bracket(text: &str) -> String {
    let is_sign = text.chars().nth(1).is_none();
    let is_single = is_sign || text.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | ','));
    let has_brackets = text.starts_with('(') && text.find(')') == Some(text.len() - 1);
    if is_single || has_brackets { text.to_owned() } else { format!("({text})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formula(parts: impl FnOnce(&mut Formula)) -> String {
        let mut formula = Formula::default();
        formula.open(Part::Row);
        parts(&mut formula);
        formula.close().expect("the outermost part")
    }

    fn part(formula: &mut Formula, part: Part, arguments: &[&str]) {
        formula.open(part);
        arguments.iter().for_each(|argument| formula.text(argument));
        formula.close();
    }

    #[test]
    fn parts_are_written_on_one_line() {
        for (kind, arguments, want) in [
            (Part::Fraction, &["1", "2"][..], "1/2"),
            (Part::Fraction, &["a+b", "2c"], "(a+b)/2c"),
            (Part::Power, &["10", "6"], "10⁶"),
            (Part::Power, &["(a+b)", "2"], "(a+b)²"),
            (Part::Power, &["e", "x+y,z"], "e^(x+y,z)"),
            (Part::Index, &["H", "2"], "H₂"),
            (Part::Both, &["x", "i", "2"], "xᵢ²"),
            (Part::Root, &["x", "+", "1"], "√(x+1)"),
            (Part::RootOf, &["x", "3"], "³√(x)"),
            (Part::DegreeRoot, &["3", "x"], "³√(x)"),
            (Part::List, &["1", "2"], "1, 2"),
            (Part::Fenced, &["a+b"], "(a+b)"),
            (Part::Sum, &["i", "n", "xᵢ"], "∫ᵢⁿ xᵢ"),
            (Part::Nothing, &["said twice"], ""),
            (Part::Fraction, &["1", "2", "3"], "1 2 3"),
        ] {
            assert_eq!(formula(|f| part(f, kind, arguments)), want, "{kind:?} {arguments:?}");
        }
    }

    #[test]
    fn neighbours_do_not_become_one_number_or_word() {
        let mixed = formula(|f| {
            f.text("2");
            part(f, Part::Fraction, &["1", "2"]);
        });
        assert_eq!(mixed, "2 1/2");
        assert_eq!(row(&["a", "b", "c", "5", "not"].map(str::to_owned)), "abc 5 not");
        assert_eq!(row(&["sin", "x", "2", "3", "y", "=", "a", "b"].map(str::to_owned)), "sin x 2 3y=ab");
    }

    #[test]
    fn signs_are_those_that_the_formula_shows() {
        let found = formula(|f| {
            for (kind, signs) in [(Part::Fenced, ["|", "|"]), (Part::Sum, ["∑", ""])] {
                f.open(kind);
                f.open(Part::Nothing);
                signs.into_iter().enumerate().for_each(|(at, sign)| f.sign(at, sign.to_owned()));
                f.close();
                ["a", "b", "c"].into_iter().for_each(|argument| f.text(argument));
                f.close();
            }
        });
        assert_eq!(found, "|a, b, c|∑ₐᵇ c");
    }

    #[test]
    fn parts_are_followed_to_a_depth() {
        for (depth, want) in [(MAX_DEPTH - 1, "1/2"), (MAX_DEPTH, "1/2"), (MAX_DEPTH + 1, "1 2")] {
            let found = formula(|f| {
                (2..depth).for_each(|_| f.open(Part::Row));
                part(f, Part::Fraction, &["1", "2"]);
                (2..depth).for_each(|_| drop(f.close()));
            });
            assert_eq!(found, want, "{depth}");
        }
    }

    #[test]
    fn closing_more_than_was_opened_does_nothing() {
        assert_eq!(Formula::default().close(), None);
    }
}
