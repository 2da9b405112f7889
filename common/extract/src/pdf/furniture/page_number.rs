//! Lines that are only a page number: `12`, `- 12 -`, `xiv`, `Page 3 of 7`, `3/7`.

use precis_language::heading::numbers_page;

/// Most characters of a page number in Roman and in Arabic digits.
const MAX_ROMAN: usize = 6;
const MAX_DIGITS: usize = 4;

/// The number of a page as printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageNumber {
    pub(super) value: u64,
    /// Whether a word or sign shows that it is a page number.
    pub(super) is_labelled: bool,
}

/// Whether a line is only a page number.
pub(super) fn is_page_number(text: &str) -> bool {
    page_number(text).is_some()
}

/// The page number that a line consists of.
pub(super) fn page_number(text: &str) -> Option<PageNumber> {
    let (mut numbers, mut is_labelled) = (Vec::new(), false);
    for word in text.split(|c: char| c.is_whitespace() || c == '/').filter(|w| !w.is_empty()) {
        let bare = word.trim_matches(is_sign);
        is_labelled |= bare.len() < word.len();
        if bare.is_empty() {
            continue;
        }
        if numbers_page(&word.to_lowercase()) {
            is_labelled = true;
            continue;
        }
        numbers.push(value(bare)?);
    }
    let is_one = (1..=2).contains(&numbers.len());
    let value = numbers.first().copied().filter(|_| is_one)?;
    Some(PageNumber { value, is_labelled: is_labelled || numbers.len() == 2 })
}

fn is_sign(c: char) -> bool {
    matches!(c, '-' | '–' | '—' | '|' | '/' | '•' | '.' | '[' | ']' | '(' | ')')
}

fn value(word: &str) -> Option<u64> {
    if word.len() <= MAX_ROMAN && word.chars().all(|c| "ivxl".contains(c)) {
        return Some(roman(word));
    }
    (word.len() <= MAX_DIGITS && word.bytes().all(|b| b.is_ascii_digit())).then(|| word.parse().ok()).flatten()
}

/// The value of a Roman numeral of small letters; a digit before a larger one is subtracted.
fn roman(word: &str) -> u64 {
    let digit = |c: char| match c {
        'i' => 1_i64,
        'v' => 5,
        'x' => 10,
        _ => 50,
    };
    let digits: Vec<i64> = word.chars().map(digit).collect();
    let signed =
        digits.iter().enumerate().map(|(k, d)| if digits.get(k + 1).is_some_and(|next| next > d) { -d } else { *d });
    signed.sum::<i64>().unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_numbers_are_distinguished_from_text() {
        let table = [
            ("3", Some((3, false))),
            ("- 12 -", Some((12, true))),
            ("xiv", Some((14, false))),
            ("Page 3 of 7", Some((3, true))),
            ("3/7", Some((3, true))),
            ("[4]", Some((4, true))),
            ("Seite 2 von 3", Some((2, true))),
        ];
        for (text, want) in table {
            assert_eq!(page_number(text).map(|n| (n.value, n.is_labelled)), want, "{text}");
        }
        for text in ["", "page", "Chapter 3", "12,345", "1 2 3", "20201231", "of the"] {
            assert!(!is_page_number(text), "{text}");
        }
    }
}
