//! Which properties of a file its first page says itself, so that they are not repeated above it.

use std::collections::BTreeSet;

use precis_language::calendar::month_beside_number;
use precis_language::words::{lower_words, tokens};
use precis_text::Leaf;

use super::properties::Properties;

/// Years that a document may be of.
const YEARS: std::ops::RangeInclusive<u16> = 1500..=2200;
/// Most words between a month and the year of its date: `May 3, 2024` has one.
const MONTH_REACH: usize = 1;
/// Fewest words of a title that a page may say in parts, and how many times as many words of the page they may be spread over: a title
/// stands in several lines, with a number or a name between them. Chosen.
const MIN_PARTED_WORDS: usize = 4;
const PARTED_TIMES: usize = 3;
/// Most characters between the sign of a copyright and its year: `© Jo Lund 2024`.
const COPYRIGHT_REACH: usize = 24;

impl Properties {
    /// The title, the author and the day of making, each only if `page` does not give one itself.
    pub(crate) fn unsaid_on(self, page: &[Leaf]) -> Self {
        let text: String = page.iter().map(|leaf| format!("{}\n", leaf.text)).collect();
        let words = format!(" {} ", lower_words(&text).join(" "));
        let says = |value: &str| words.contains(&format!(" {} ", lower_words(value).join(" ")));
        // Authors may stand in lines of their own.
        let names_all = |authors: &str| authors.split([',', ';', '&']).filter(|name| !name.trim().is_empty()).all(says);
        Self {
            title: self.title.filter(|title| !says(title) && !says_in_parts(&words, title)),
            author: self.author.filter(|author| !says(author) && !names_all(author)),
            created: self.created.filter(|_| !is_dated(&text)),
            subject: None,
            keywords: None,
        }
    }
}

/// Whether all words of `title` stand close together in the `words` of a page, in another order or with others between them.
fn says_in_parts(words: &str, title: &str) -> bool {
    let wanted: BTreeSet<String> = lower_words(title).into_iter().collect();
    let reach = wanted.len() * PARTED_TIMES;
    let page: Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
    wanted.len() >= MIN_PARTED_WORDS
        && (0..page.len()).filter(|at| wanted.contains(page[*at])).any(|at| {
            let near: BTreeSet<&str> = page[at..page.len().min(at + reach)].iter().copied().collect();
            wanted.iter().all(|word| near.contains(word.as_str()))
        })
}

/// Whether a sign of copyright stands before a year in `text`.
fn has_copyright_year(text: &str) -> bool {
    let behind = text.match_indices('©').map(|(at, sign)| &text[at + sign.len()..]);
    let behind = behind.chain(text.match_indices("(c)").map(|(at, sign)| &text[at + sign.len()..]));
    let mut behind = behind.map(|rest| rest.chars().take(COPYRIGHT_REACH).collect::<String>());
    behind.any(|rest| rest.split(|c: char| !c.is_ascii_digit()).any(is_year))
}

/// Whether `text` has a date: a month beside a year, a day or month in digits, or the year of a copyright.
fn is_dated(text: &str) -> bool {
    let words: Vec<&str> = tokens(text, &[]).map(|word| word.text).collect();
    let is_month = |word: &&str| month_beside_number(word).is_some();
    has_copyright_year(text)
        || words.iter().enumerate().any(|(at, word)| {
            let near = &words[at.saturating_sub(MONTH_REACH + 1)..words.len().min(at + MONTH_REACH + 2)];
            is_in_digits(word) || is_month_of_year(word) || (is_year(word) && near.iter().any(is_month))
        })
}

/// Whether `word` is a month of a year, such as `Apr-2015` or `2004-08`.
fn is_month_of_year(word: &str) -> bool {
    let Some((one, other)) = word.split_once(['-', '/', '.']) else { return false };
    let is_number = |part: &str| part.len() == 2 && part.parse().is_ok_and(|month: u8| (1..=12).contains(&month));
    let is_month = |part: &str| month_beside_number(part).is_some();
    (is_year(one) && (is_number(other) || is_month(other))) || (is_month(one) && is_year(other))
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse().is_ok_and(|year: u16| YEARS.contains(&year))
}

/// Whether `word` is a day such as `2024-05-03`, `3.5.2024` or `03/05/24`, or has the year and month of East Asian dates.
fn is_in_digits(word: &str) -> bool {
    let parts: Vec<&str> = word.split(['-', '.', '/', '年', '月', '日']).filter(|part| !part.is_empty()).collect();
    let is_number = |part: &&str| part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_day = parts.len() == 3 && (is_year(parts[0]) || is_year(parts[2]) || word.contains('/'));
    parts.iter().all(is_number) && (is_day || (parts.len() == 2 && word.contains('年') && is_year(parts[0])))
}

#[cfg(test)]
mod tests {
    use precis_proto::BlockKind;

    use super::*;

    #[test]
    fn what_the_first_page_says_is_not_repeated() {
        let properties = Properties {
            title: Some("Fees of 2025".to_owned()),
            author: Some("Ida Lund; Cem Kaya".to_owned()),
            created: Some("2025-06-30".to_owned()),
            subject: Some("fees".to_owned()),
            keywords: None,
        };
        for (page, kept) in [
            ("Text.", [true, true, true]),
            ("FEES of 2025: Ida Lund, Cem Kaya.", [false, false, true]),
            ("Ida Lund wrote it. A fee.", [true, true, true]),
            ("Cem Kaya\nIda Lund\n30 June 2025", [true, false, false]),
            ("Made on June 3, 2019.", [true, true, false]),
            ("30.6.2025", [true, true, false]),
            ("2025年6月30日", [true, true, false]),
            ("Of 2025, section 1.2.3, page 1/2", [true, true, true]),
            ("As of Apr-2015", [true, true, false]),
            ("Version 2004-08", [true, true, false]),
            ("© Cem Kaya 2024", [true, true, false]),
            ("(c) 2001-2018", [true, true, false]),
            ("Seats 2024-25", [true, true, true]),
        ] {
            let found = properties.clone().unsaid_on(&[Leaf::new(BlockKind::Paragraph, page)]);
            assert_eq!([found.title.is_some(), found.author.is_some(), found.created.is_some()], kept, "{page}");
            assert_eq!(found.subject, None);
        }
    }

    #[test]
    fn a_title_may_be_said_in_parts() {
        let title = "Port of Ost: Fees and Seats";
        for (page, is_said) in [
            ("FEES AND SEATS\nNo. 12\nPort of Ost", true),
            ("Fees and seats of the harbour", false),
            (
                "Fees and Seats. The text goes on and on about what is paid and what is not, and says at its end: Port of Ost",
                false,
            ),
        ] {
            let properties = Properties { title: Some(title.to_owned()), ..Properties::default() };
            let found = properties.unsaid_on(&[Leaf::new(BlockKind::Paragraph, page)]);
            assert_eq!(found.title.is_none(), is_said, "{page}");
        }
        for (words, is_said) in [(MIN_PARTED_WORDS - 1, false), (MIN_PARTED_WORDS, true), (MIN_PARTED_WORDS + 1, true)]
        {
            let title: Vec<&str> = ["fees", "seats", "boats", "keys", "ropes"][..words].to_vec();
            let page = format!(" {} ", title.iter().rev().copied().collect::<Vec<_>>().join(" "));
            assert_eq!(says_in_parts(&page, &title.join(" ")), is_said, "{words}");
        }
    }
}
