//! Which properties of a file its first page says itself, so that they are not repeated above it.

use precis_language::calendar::month_beside_number;
use precis_language::words::{lower_words, tokens};
use precis_text::Leaf;

use super::properties::Properties;

/// Years that a document may be of.
const YEARS: std::ops::RangeInclusive<u16> = 1500..=2200;
/// Most words between a month and the year of its date: `May 3, 2024` has one.
const MONTH_REACH: usize = 1;

impl Properties {
    /// The title, the author and the day of making, each only if `page` does not give one itself.
    pub(crate) fn unsaid_on(self, page: &[Leaf]) -> Self {
        let text: String = page.iter().map(|leaf| format!("{}\n", leaf.text)).collect();
        let words = format!(" {} ", lower_words(&text).join(" "));
        let says = |value: &str| words.contains(&format!(" {} ", lower_words(value).join(" ")));
        // Authors may stand in lines of their own.
        let names_all = |authors: &str| authors.split([',', ';', '&']).filter(|name| !name.trim().is_empty()).all(says);
        Self {
            title: self.title.filter(|title| !says(title)),
            author: self.author.filter(|author| !says(author) && !names_all(author)),
            created: self.created.filter(|_| !is_dated(&text)),
            subject: None,
            keywords: None,
        }
    }
}

/// Whether `text` has a date: a month beside a year, or a day in digits.
fn is_dated(text: &str) -> bool {
    let words: Vec<&str> = tokens(text, &[]).map(|word| word.text).collect();
    let is_month = |word: &&str| month_beside_number(word).is_some();
    words.iter().enumerate().any(|(at, word)| {
        let near = &words[at.saturating_sub(MONTH_REACH + 1)..words.len().min(at + MONTH_REACH + 2)];
        is_in_digits(word) || (is_year(word) && near.iter().any(is_month))
    })
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
        ] {
            let found = properties.clone().unsaid_on(&[Leaf::new(BlockKind::Paragraph, page)]);
            assert_eq!([found.title.is_some(), found.author.is_some(), found.created.is_some()], kept, "{page}");
            assert_eq!(found.subject, None);
        }
    }
}
