//! Parses days, months and years in a sentence, as numbers or with the month in words.
//!
//! Conservative: ambiguous text is not a date (`05/07/2001`, a bare number that no word marks as a year, a year BC).

use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;

use precis_language::calendar::{DatePart, date_part, month_beside_number};
use precis_language::script::{is_east_asian, is_in_word};
use precis_language::unit::is_counted;
use precis_language::version;
use precis_language::version::{
    ends_ordinal, goes_before_year, is_era, joins_date, may_precede_year, numbers_part, opens_before_era,
};

/// Range of four-digit numbers that are taken for years.
const YEARS: std::ops::RangeInclusive<u32> = 1_000..=2_199;

/// A date of which year, month or day may be unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PartialDate {
    pub(crate) year: Option<u32>,
    pub(crate) month: Option<u32>,
    pub(crate) day: Option<u32>,
}

impl PartialDate {
    /// Whether no day can be both.
    pub(crate) fn conflicts(self, other: Self) -> bool {
        let apart = |a: Option<u32>, b: Option<u32>| a.zip(b).is_some_and(|(a, b)| a != b);
        apart(self.year, other.year) || apart(self.month, other.month) || apart(self.day, other.day)
    }

    /// Compares by year, month and day; a less precise date sorts first. `None` if a year is missing.
    pub(crate) fn compare(self, other: Self) -> Option<Ordering> {
        let key = |date: Self| date.year.map(|year| (year, date.month, date.day));
        Some(key(self)?.cmp(&key(other)?))
    }
}

/// ISO 8601, without unknown parts.
impl fmt::Display for PartialDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.year {
            Some(year) => write!(f, "{year:04}")?,
            None => f.write_str("-")?,
        }
        self.month.map_or(Ok(()), |month| write!(f, "-{month:02}"))?;
        self.day.map_or(Ok(()), |day| write!(f, "-{day:02}"))
    }
}

/// A date and its place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WrittenDate {
    /// Byte range.
    pub(crate) range: Range<usize>,
    pub(crate) date: PartialDate,
}

/// A run of digits or of letters.
struct DateToken<'t> {
    range: Range<usize>,
    text: &'t str,
    lower: String,
    /// The text between the previous token and this one.
    gap: &'t str,
}

impl DateToken<'_> {
    fn number(&self, digits: std::ops::RangeInclusive<usize>) -> Option<u32> {
        let is_number = digits.contains(&self.text.len()) && self.text.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| self.text.parse().ok()).flatten()
    }

    fn year(&self) -> Option<u32> {
        self.number(4..=4).filter(|year| YEARS.contains(year))
    }

    fn month(&self) -> Option<u32> {
        month_beside_number(self.text).map(u32::from)
    }
}

/// The dates in `text`, in order, without overlap.
pub(crate) fn dates(text: &str) -> Vec<WrittenDate> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match date(text, &tokens, at) {
            Some((date, past)) => {
                // An impossible date is skipped as a whole: `31 June 2001` is not read as June 2001.
                let range = tokens[at].range.start..tokens[past - 1].range.end;
                found.extend(is_real(date).then_some(WrittenDate { range, date }));
                at = past;
            }
            None => at += 1,
        }
    }
    found
}

/// The date that begins at token `at`, and the index of the token after it.
fn date(text: &str, tokens: &[DateToken<'_>], at: usize) -> Option<(PartialDate, usize)> {
    // Digits that continue a number, version or word do not begin a date.
    let is_glued = at > 0 && (tokens[at].gap.is_empty() || matches!(tokens[at].gap, "-" | "." | "/" | "," | ":" | "–"));
    let is_unspaced = at > 0 && tokens[at - 1].text.chars().all(|c| !c.is_ascii_alphanumeric());
    if is_glued && !is_unspaced {
        return None;
    }
    // `year_alone` comes last: it would take only the year of a longer date.
    let read = [iso, written_with_marks, day_first, month_first, year_alone];
    let (date, past) = read.iter().find_map(|read| read(text, tokens, at))?;
    let is_open = tokens.get(past).is_some_and(|next| {
        matches!(next.gap, "-" | "." | "/" | ":") && next.text.starts_with(|c: char| c.is_ascii_digit())
    });
    (!is_open).then_some((date, past))
}

fn is_real(date: PartialDate) -> bool {
    let days = |month: u32| match month {
        2 => 29,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    date.month.is_none_or(|month| (1..=12).contains(&month))
        && date.day.is_none_or(|day| (1..=date.month.map_or(31, days)).contains(&day))
}

fn whole(year: u32, month: u32, day: u32) -> PartialDate {
    PartialDate { year: Some(year), month: Some(month), day: Some(day) }
}

/// `2001-07-05`, and in Chinese, Japanese and Korean `2001年7月5日`, `2001年7月` and `2001年`.
fn iso(_: &str, tokens: &[DateToken<'_>], at: usize) -> Option<(PartialDate, usize)> {
    let year = tokens[at].year()?;
    let two = |place: usize| tokens.get(place).and_then(|token| token.number(1..=2));
    let is = |place: usize, part: DatePart| {
        tokens.get(place).is_some_and(|t| t.gap.trim().is_empty() && date_part(t.text) == Some(part))
    };
    if is(at + 1, DatePart::Year) {
        let year_only = PartialDate { year: Some(year), month: None, day: None };
        let Some(month) = two(at + 2).filter(|_| is(at + 3, DatePart::Month)) else { return Some((year_only, at + 2)) };
        return Some(match two(at + 4).filter(|_| is(at + 5, DatePart::Day)) {
            Some(day) => (whole(year, month, day), at + 6),
            None => (PartialDate { month: Some(month), ..year_only }, at + 4),
        });
    }
    let (month, day) = (two(at + 1)?, two(at + 2)?);
    let marks = (tokens[at + 1].gap, tokens[at + 2].gap);
    matches!(marks, ("-", "-") | ("/", "/") | (".", ".")).then(|| (whole(year, month, day), at + 3))
}

/// `5.7.2001`, and `25/7/2001` where only one order is possible.
fn written_with_marks(_: &str, tokens: &[DateToken<'_>], at: usize) -> Option<(PartialDate, usize)> {
    let (first, second) = (tokens[at].number(1..=2)?, tokens.get(at + 1)?.number(1..=2)?);
    let year = tokens.get(at + 2)?.year()?;
    let is_numbered = at > 0 && numbers_part(&tokens[at - 1].lower);
    if is_numbered {
        return None;
    }
    let (day, month) = match (tokens[at + 1].gap, tokens[at + 2].gap) {
        (".", ".") | (". ", ".") | (". ", ". ") => (first, second),
        ("/", "/") if first > 12 || first == second => (first, second),
        ("/", "/") if second > 12 => (second, first),
        _ => return None,
    };
    Some((whole(year, month, day), at + 3))
}

/// `5 July 2001`, `5. Juli 2001`, `05-Jul-2001`, `1er juillet 2001`, `5 de julio de 2001`, `the 5th of July`.
fn day_first(_: &str, tokens: &[DateToken<'_>], at: usize) -> Option<(PartialDate, usize)> {
    let day = tokens[at].number(1..=2)?;
    let mut next = skip(tokens, at + 1, ends_ordinal, &[""]);
    next = skip(tokens, next, joins_date, &[" "]);
    let month = tokens.get(next).filter(|token| matches!(token.gap, " " | ". " | "-" | "." | "\u{a0}"))?;
    let month = month.month()?;
    next += 1;
    let past = skip(tokens, next, joins_date, &[" "]);
    let year = tokens.get(past).filter(|token| matches!(token.gap, " " | ", " | "-" | ". ")).and_then(DateToken::year);
    let year = year.filter(|_| !is_before_era(tokens, past + 1));
    let behind = if year.is_some() { past + 1 } else { next };
    Some((PartialDate { year, month: Some(month), day: Some(day) }, behind))
}

/// `July 5, 2001`, `July 2001`, `julio de 2001`.
fn month_first(_: &str, tokens: &[DateToken<'_>], at: usize) -> Option<(PartialDate, usize)> {
    let month = tokens[at].month()?;
    if let Some(day) = tokens.get(at + 1).filter(|token| token.gap == " ").and_then(|token| token.number(1..=2)) {
        let next = skip(tokens, at + 2, ends_ordinal, &[""]);
        let year = tokens.get(next).filter(|token| matches!(token.gap, ", " | " ")).and_then(DateToken::year)?;
        return (!is_before_era(tokens, next + 1)).then(|| (whole(year, month, day), next + 1));
    }
    let next = skip(tokens, at + 1, joins_date, &[" "]);
    let year = tokens.get(next).filter(|token| matches!(token.gap, " " | ", ")).and_then(DateToken::year)?;
    let date = PartialDate { year: Some(year), month: Some(month), day: None };
    (!is_before_era(tokens, next + 1)).then_some((date, next + 1))
}

/// Four digits that are a year by the word before them, by parentheses, or by opening the text before a colon, comma or dash.
fn year_alone(text: &str, tokens: &[DateToken<'_>], at: usize) -> Option<(PartialDate, usize)> {
    let token = &tokens[at];
    let year = token.year()?;
    let behind = text[token.range.end..].trim_start();
    let is_told = at > 0 && token.gap.trim().is_empty() && goes_before_year(&tokens[at - 1].lower);
    let is_told =
        is_told || (at > 0 && may_precede_year(&tokens[at - 1].lower) && !behind.starts_with(char::is_uppercase));
    let is_enclosed = token.gap.ends_with('(') && behind.starts_with([')', ',', ';']);
    let is_entry = at == 0 && (behind.starts_with([':', ',']) || behind.starts_with("– "));
    // `in 1500 metres` counts metres and is not a year.
    let is_counting = behind.starts_with(['%', '€', '$', '°'])
        || tokens.get(at + 1).is_some_and(|next| next.gap.is_empty() || is_counted(next.text, None));
    let is_year = (is_told || is_enclosed || is_entry) && !is_counting && !is_before_era(tokens, at + 1);
    is_year.then_some((PartialDate { year: Some(year), month: None, day: None }, at + 1))
}

fn is_before_era(tokens: &[DateToken<'_>], at: usize) -> bool {
    let is = |place: usize, kind: fn(&str) -> bool| tokens.get(place).is_some_and(|token| kind(&token.lower));
    is(at, version::is_before_era) || (is(at, opens_before_era) && is(at + 1, is_era))
}

/// `at + 1` if token `at` is of a `kind` after one of `gaps`, else `at`.
fn skip(tokens: &[DateToken<'_>], at: usize, kind: fn(&str) -> bool, gaps: &[&str]) -> usize {
    let is_one = tokens.get(at).is_some_and(|t| kind(&t.lower) && gaps.contains(&t.gap));
    at + usize::from(is_one)
}

/// Tokens of `text`: runs of ASCII digits, runs of letters, and single characters of scripts without spaces.
fn tokens(text: &str) -> Vec<DateToken<'_>> {
    let class = |c: char| match c {
        c if c.is_ascii_digit() => Some(0_u8),
        c if is_east_asian(c) => Some(2),
        c if is_in_word(c) => Some(1),
        _ => None,
    };
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut last = None;
    for (at, c) in text.char_indices() {
        let own = class(c);
        match (own, last, runs.last_mut()) {
            (Some(0 | 1), Some(before), Some(open)) if own == Some(before) => open.end = at + c.len_utf8(),
            (Some(_), ..) => runs.push(at..at + c.len_utf8()),
            (None, ..) => {}
        }
        last = own;
    }
    let mut from = 0;
    let token = |range: Range<usize>| {
        let gap = &text[from..range.start];
        from = range.end;
        DateToken { text: &text[range.clone()], lower: text[range.clone()].to_lowercase(), range, gap }
    };
    runs.into_iter().map(token).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(&str, String)> {
        dates(text).into_iter().map(|one| (&text[one.range], one.date.to_string())).collect()
    }

    #[test]
    fn a_date_is_read_however_it_is_written() {
        for (text, part, iso) in [
            ("Created: 05-Jul-2001", "05-Jul-2001", "2001-07-05"),
            ("It came on 5 July 2001.", "5 July 2001", "2001-07-05"),
            ("It came on the 5th of July, 2001.", "5th of July, 2001", "2001-07-05"),
            ("It came on July 5, 2001, at noon.", "July 5, 2001", "2001-07-05"),
            ("It came on 2001-07-05T10:30.", "2001-07-05", "2001-07-05"),
            ("Es kam am 5. Juli 2001.", "5. Juli 2001", "2001-07-05"),
            ("Es kam am 5.7.2001.", "5.7.2001", "2001-07-05"),
            ("Il vint le 1er juillet 2001.", "1er juillet 2001", "2001-07-01"),
            ("Il vint le 3 mars 2001.", "3 mars 2001", "2001-03-03"),
            ("Vino el 5 de julio de 2001.", "5 de julio de 2001", "2001-07-05"),
            ("它于2001年7月5日发布。", "2001年7月5日", "2001-07-05"),
            ("它于2001年7月发布。", "2001年7月", "2001-07"),
            ("它成立于2001年。", "2001年", "2001"),
            ("Det kom den 5 juli 2001.", "5 juli 2001", "2001-07-05"),
            ("Wydano je 5 lipca 2001.", "5 lipca 2001", "2001-07-05"),
            ("Это было 5 июля 2001.", "5 июля 2001", "2001-07-05"),
            ("Kitap 5 Ocak 2001 tarihlidir.", "5 Ocak 2001", "2001-01-05"),
            ("यह 5 जुलाई 2001 को आया।", "5 जुलाई 2001", "2001-07-05"),
            ("그것은 2001년 7월 5일 나왔다.", "2001년 7월 5일", "2001-07-05"),
            ("It came in July 2001.", "July 2001", "2001-07"),
            ("It came in 2001.", "2001", "2001"),
            ("Es wurde 2001 gebaut.", "2001", "2001"),
            ("The bridge (1932) stands.", "1932", "1932"),
            ("1969: a man on the moon.", "1969", "1969"),
            ("It ends on 25/7/2001.", "25/7/2001", "2001-07-25"),
            ("It opens on 3 May.", "3 May", "--05-03"),
        ] {
            assert_eq!(read(text), [(part, iso.to_owned())], "{text}");
        }
        assert_eq!(read("From 1 May 1990 to 2 June 1991.").len(), 2);
        assert_eq!(read("From 1990 to 1995 it rained.").len(), 2);
    }

    #[test]
    fn a_doubtful_date_is_not_read() {
        for text in [
            "It came on 05/07/2001.",
            "It measures 1500 metres.",
            "It grows in 1500 m of depth.",
            "Rome fell in 1200 BC.",
            "Es war im Jahr 1200 v. Chr.",
            "Version 1.2.2001 came.",
            "The 3 may differ.",
            "It came on 31 June 2001.",
            "It came on 2001-13-05.",
            "In room 2019 it is cold.",
            "Es wurde 1500 Mal versucht.",
            "It is RFC-2616 and ISO 9001.",
            "The code is 2001-07-05-33.",
            "It costs 2000 euros.",
            "",
        ] {
            assert_eq!(read(text), [], "{text}");
        }
    }

    #[test]
    fn dates_conflict_only_where_both_tell() {
        let one = |text: &str| dates(text).remove(0).date;
        for (a, b, conflicts) in [
            ("5 July 2001", "2001-07-05", false),
            ("5 July 2001", "6 July 2001", true),
            ("in 2001", "5 July 2001", false),
            ("in 2002", "5 July 2001", true),
            ("July 2001", "August 2001", true),
            ("5 July", "in 2001", false),
        ] {
            assert_eq!(one(a).conflicts(one(b)), conflicts, "{a} {b}");
        }
        assert_eq!(one("in 2001").compare(one("July 2001")), Some(Ordering::Less));
        assert_eq!(one("5 July").compare(one("July 2001")), None);
    }
}
