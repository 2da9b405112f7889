//! Numbers and bullets at the start of a line.

use precis_language::heading::is_item_label;

/// The family of a marker; items of one list have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// `-`, `*`, `•`.
    Bullet,
    /// `1.`, `2)`, `(3)`, `2.3`.
    Number,
    /// `a)`, `(b)`, and the small Roman numbers `i.`, `(iv)`.
    Letter,
    /// `§ 4`, `Article 1.`: a word or sign followed by a number.
    Label,
}

/// A marker and its place in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker<'a> {
    /// As written in the line.
    pub(super) text: &'a str,
    pub(super) family: Family,
    /// Number of levels in its number, from 1: `2.3.1` has 3.
    pub(super) depth: u8,
    /// Its last number, or the number of its letter; 0 for a bullet.
    value: u32,
    /// The number that its letters are in small Roman numerals; 0 if they are none.
    roman: u32,
}

impl Marker<'_> {
    /// Whether the marker continues the list of the item `before`.
    pub(super) fn follows(&self, before: &Self) -> bool {
        match self.family {
            Family::Bullet => before.family == Family::Bullet && self.text == before.text,
            Family::Number | Family::Label => {
                before.family == self.family
                    && (self.value == before.value + 1 || (self.value == 1 && self.depth > before.depth))
            }
            // "(i)" comes behind "(h)", and begins Roman numbers. Writers of Markdown often number every item "i.".
            Family::Letter => {
                let is_next = |own: u32, other: u32| own > 0 && other > 0 && own == other + 1;
                let is_repeated = self.roman == 1 && self.text == before.text;
                before.family == self.family
                    && (is_next(self.value, before.value) || is_next(self.roman, before.roman) || is_repeated)
            }
        }
    }
}

/// Bullets, which open an item if white space follows.
const BULLETS: &str = "-*+•‣◦▪▫■□●○⁃➢➤✓✔–—·\u{f0b7}\u{f0a7}";
/// Most digits of one number of a marker, so that a year does not count.
const MAX_DIGITS: usize = 3;
/// The marker at the start of `line`, ignoring leading white space; `None` if nothing follows it.
pub(super) fn marker(line: &str) -> Option<Marker<'_>> {
    let line = line.trim_start();
    let found = bullet(line).or_else(|| number_marker(line)).or_else(|| label_marker(line))?;
    let rest = &line[found.text.len()..];
    (rest.starts_with(char::is_whitespace) && !rest.trim().is_empty()).then_some(found)
}

fn bullet(line: &str) -> Option<Marker<'_>> {
    let mark = line.chars().next().filter(|c| BULLETS.contains(*c))?;
    Some(Marker { text: &line[..mark.len_utf8()], family: Family::Bullet, depth: 1, value: 0, roman: 0 })
}

fn number_marker(line: &str) -> Option<Marker<'_>> {
    let is_open = line.starts_with('(');
    let body = &line[usize::from(is_open)..];
    let core_len = body.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(body.len());
    let core = &body[..core_len];
    let is_closed = body[core_len..].starts_with(')');
    let text = &line[..usize::from(is_open) + core_len + usize::from(is_closed)];
    let parts: Vec<&str> = core.trim_end_matches('.').split('.').collect();
    let depth = u8::try_from(parts.len()).ok()?;
    let last = *parts.last()?;
    let is_marked = is_closed || core.ends_with('.') || parts.len() > 1;
    if parts.iter().any(|part| part.is_empty()) || !is_marked || (is_open && !is_closed) {
        return None;
    }
    if parts.iter().all(|part| part.len() <= MAX_DIGITS && part.bytes().all(|b| b.is_ascii_digit())) {
        return Some(Marker { text, family: Family::Number, depth, value: last.parse().ok()?, roman: 0 });
    }
    let roman = if parts.len() == 1 { small_roman(last) } else { 0 };
    // "A." opens names as often as items, so a letter needs a bracket; so does "i." before a small letter: "i. e."
    let begins = line[text.len()..].trim_start().starts_with(|c: char| c.is_uppercase() || c.is_numeric());
    let letter = last.bytes().next().filter(|b| last.len() == 1 && parts.len() == 1 && b.is_ascii_alphabetic());
    let value = letter.map_or(0, |letter| u32::from(letter.to_ascii_lowercase() - b'a') + 1);
    let is_item = if is_closed { value > 0 || roman > 0 } else { roman > 0 && begins };
    is_item.then_some(Marker { text, family: Family::Letter, depth: 1, value, roman })
}

/// The number that `text` is in small Roman numerals, up to 39 (`xxxix`); 0 if it is none.
fn small_roman(text: &str) -> u32 {
    const ONES: [&str; 10] = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"];
    let tens = text.bytes().take_while(|b| *b == b'x').count();
    let ones = ONES.iter().position(|ones| *ones == &text[tens..]);
    match (tens, ones) {
        (0..=3, Some(ones)) => u32::try_from(10 * tens + ones).unwrap_or_default(),
        _ => 0,
    }
}

fn label_marker(line: &str) -> Option<Marker<'_>> {
    let (word, rest) = match line.strip_prefix('§') {
        Some(rest) => ("§", rest),
        None => line.split_once(' ').map(|(word, _)| (word, &line[word.len()..]))?,
    };
    if word != "§" && !is_item_label(&word.to_lowercase()) {
        return None;
    }
    let number = rest.trim_start();
    let gap = rest.len() - number.len();
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > MAX_DIGITS || gap > 1 {
        return None;
    }
    let tail = &number[digits..];
    let closing = usize::from(tail.starts_with(['.', ':', ')']));
    let text = &line[..word.len() + gap + digits + closing];
    Some(Marker { text, family: Family::Label, depth: 1, value: number[..digits].parse().ok()?, roman: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_distinguished_from_words() {
        for (line, want) in [
            ("1. No", Some("1.")),
            ("  2.2 Never", Some("2.2")),
            ("12) Do", Some("12)")),
            ("(3) Only", Some("(3)")),
            ("(b) salt", Some("(b)")),
            ("a) salt", Some("a)")),
            ("- milk", Some("-")),
            ("• milk", Some("•")),
            ("§ 4 Kein", Some("§ 4")),
            ("Article 1. No", Some("Article 1.")),
            ("Artikel 12 Nicht", Some("Artikel 12")),
            ("1.", None),
            ("-5 degrees", None),
            ("2020. It", None),
            ("A. Smith", None),
            ("i. The seat", Some("i.")),
            ("iv) the seat", Some("iv)")),
            ("(xii) the seat", Some("(xii)")),
            ("i. e. the seat", None),
            ("ivi) the seat", None),
            ("mix. The seat", None),
            ("3.14 is", Some("3.14")),
            ("12 people", None),
            ("Article 5000 is", None),
            ("(see) it", None),
            ("", None),
        ] {
            assert_eq!(marker(line).map(|m| m.text), want, "{line}");
        }
    }

    #[test]
    fn a_list_goes_on_by_one() {
        let of = |line| marker(line).expect("a marker");
        for (before, next, follows) in [
            ("1. a", "2. b", true),
            ("1. a", "3. b", false),
            ("2. a", "2.1 b", true),
            ("- a", "- b", true),
            ("- a", "* b", false),
            ("(a) a", "(b) b", true),
            ("(h) a", "(i) b", true),
            ("(i) a", "(ii) b", true),
            ("ix) a", "x) b", true),
            ("i. A", "i. B", true),
            ("(a) a", "(a) b", false),
            ("(ii) a", "(iv) b", false),
            ("§ 1 a", "§ 2 b", true),
        ] {
            assert_eq!(of(next).follows(&of(before)), follows, "{before} {next}");
        }
    }
}
