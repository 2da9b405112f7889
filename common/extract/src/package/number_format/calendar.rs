//! Dates, times and durations.

use super::token::Token;

/// Days between the first of January 1970 and day 0 of a workbook, and of one that counts from 1904.
const EPOCH_1900: i64 = 25_569;
const EPOCH_1904: i64 = 24_107;
const SECONDS_OF_DAY: f64 = 86_400.0;
/// End of the days that are dates: the end of the year 9999.
const MAX_DAY: f64 = 2_958_466.0;
/// Most days that a code without a month counts, rather than naming a day of one. Chosen: five years; few dates are before 1905.
const MAX_COUNTED_DAYS: f64 = 1_827.0;
/// Most digits shown of a second; workbooks have three.
const MAX_DECIMALS: usize = 3;

/// `number` as the date, time or duration that `tokens` show, of a negative time without its sign if `hides_sign`; `None` if it is none.
pub(super) fn format_date(number: f64, hides_sign: bool, tokens: &[Token], is_from_1904: bool) -> Option<String> {
    let has = |letters: &str| tokens.iter().any(|token| matches!(token, Token::Date(c, _) if letters.contains(*c)));
    let is_duration = tokens.iter().any(|token| matches!(token, Token::Elapsed(..)));
    let minutes = minutes(tokens);
    let has_month = tokens.iter().enumerate().any(|(at, token)| matches!(token, Token::Date('m', _)) && !minutes[at]);
    let has_weekday = tokens.iter().any(|token| matches!(token, Token::Date('d', 3..)));
    let counts_days = has("d") && !has_weekday && number.abs() < MAX_COUNTED_DAYS + 1.0;
    let is_time = !has("y") && !has_month && (counts_days || !has("d"));
    let number = if hides_sign && (is_duration || is_time) { number.abs() } else { number };
    if is_duration {
        return (number.abs() < MAX_DAY).then(|| {
            let sign = if number < 0.0 { "-" } else { "" };
            format!("{sign}{}", clock(number.abs(), tokens, &minutes))
        });
    }
    if !(0.0..MAX_DAY).contains(&number) {
        return None;
    }
    if is_time {
        return Some(clock(number, tokens, &minutes));
    }
    let seconds = (number * SECONDS_OF_DAY).round();
    let (day, of_day) = ((seconds / SECONDS_OF_DAY).floor(), seconds % SECONDS_OF_DAY);
    let has_seconds = has("s");
    let time = time(of_day as i64, has_seconds);
    if number < 1.0 {
        return Some(time);
    }
    let date = date(day as i64, is_from_1904, has("d"), has_month);
    let Words { before, between, behind } = Words::read(tokens, &minutes);
    let between = between.unwrap_or_else(|| " ".to_owned());
    let date = if has("hs") { format!("{date}{between}{time}") } else { date };
    Some(format!("{before}{date}{behind}"))
}

/// The words of a code that stand around its date and between date and time. Those between the parts of a date have no place in it, since
/// it is written year first.
#[derive(Debug, Default)]
struct Words {
    before: String,
    between: Option<String>,
    behind: String,
}

impl Words {
    fn read(tokens: &[Token], minutes: &[bool]) -> Self {
        let is_date = |at: &usize| match tokens[*at] {
            Token::Date('m', _) => !minutes[*at],
            Token::Date(letter, _) => matches!(letter, 'y' | 'd'),
            _ => false,
        };
        let is_time = |at: &usize| matches!(tokens[*at], Token::Date(..) | Token::HalfDay) && !is_date(at);
        let (dates, times): (Vec<usize>, Vec<usize>) =
            (0..tokens.len()).filter(|at| is_date(at) || is_time(at)).partition(is_date);
        let (Some(first), Some(last)) = (dates.iter().chain(&times).min(), dates.iter().chain(&times).max()) else {
            return Self::default();
        };
        // Where each part is followed by letters, these are units: of years, months and days.
        let is_unit = |at: usize| {
            let parts = if is_date(&at) { &dates } else { &times };
            parts.len() > 1 && parts.iter().all(|part| tokens.get(part + 1).is_some_and(begins_with_letter))
        };
        let text = |from: usize, to: usize| tokens[from..to].iter().map(literal_text).collect::<String>();
        let before = text(0, *first);
        let behind = if is_unit(*last) { String::new() } else { text(last + 1, tokens.len()) };
        let between = match (dates.last(), times.first()) {
            (Some(date), Some(time)) if date < time && !is_unit(*date) => {
                Some(text(date + 1, *time)).filter(|text| has_word(text))
            }
            _ => None,
        };
        match has_word(&before) || has_word(&behind) {
            true => Self { before, between, behind },
            false => Self { between, ..Self::default() },
        }
    }
}

fn literal_text(token: &Token) -> &str {
    match token {
        Token::Literal(text) => text,
        _ => "",
    }
}

fn begins_with_letter(token: &Token) -> bool {
    literal_text(token).starts_with(char::is_alphabetic)
}

fn has_word(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// For each token, whether it stands for minutes: next to hours or seconds.
fn minutes(tokens: &[Token]) -> Vec<bool> {
    let parts: Vec<(usize, char)> = tokens
        .iter()
        .enumerate()
        .filter_map(|(at, token)| match token {
            Token::Date(c, _) | Token::Elapsed(c, _) => Some((at, *c)),
            _ => None,
        })
        .collect();
    let mut minutes = vec![false; tokens.len()];
    for (n, (at, letter)) in parts.iter().enumerate() {
        let before = n.checked_sub(1).and_then(|n| parts.get(n)).map(|(_, c)| *c);
        let behind = parts.get(n + 1).map(|(_, c)| *c);
        minutes[*at] = *letter == 'm' && (before == Some('h') || behind == Some('s'));
    }
    minutes
}

/// Days, hours, minutes and seconds as `tokens` show them.
fn clock(number: f64, tokens: &[Token], minutes: &[bool]) -> String {
    let decimals = decimals(tokens);
    let unit = 10f64.powi(i32::try_from(decimals).unwrap_or(0));
    let units = (number * SECONDS_OF_DAY * unit).round() as i64;
    let (seconds, part) = (units / unit as i64, units % unit as i64);
    let (has_half, mut in_part) = (tokens.contains(&Token::HalfDay), false);
    let of_day = seconds / 3600 % 24;
    let mut out = String::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Elapsed('h', width) => out += &format!("{:0width$}", seconds / 3600),
            Token::Elapsed('m', width) => out += &format!("{:0width$}", seconds / 60),
            Token::Elapsed(_, width) => out += &format!("{seconds:0width$}"),
            Token::Date('h', width) => {
                let hour = if has_half { (of_day + 11) % 12 + 1 } else { of_day };
                out += &format!("{hour:0width$}", width = (*width).min(2));
            }
            Token::Date('m', width) if minutes[at] => {
                out += &format!("{:0width$}", seconds / 60 % 60, width = (*width).min(2));
            }
            Token::Date('s', width) => out += &format!("{:0width$}", seconds % 60, width = (*width).min(2)),
            Token::Date('d', width) => out += &format!("{:0width$}", seconds / 86_400),
            Token::Date(..) => {}
            Token::HalfDay => out += if of_day < 12 { "AM" } else { "PM" },
            Token::Point if decimals > 0 => {
                in_part = true;
                out += &format!(".{part:0decimals$}");
            }
            Token::Point => out.push('.'),
            Token::Digit(_) if in_part => {}
            Token::Literal(text) | Token::Letter(text) => out += text,
            Token::Slash => out.push('/'),
            Token::Comma => out.push(','),
            Token::Digit(_) | Token::Percent | Token::Exponent { .. } | Token::General | Token::Text => {}
        }
    }
    out
}

/// Digits shown of a second.
fn decimals(tokens: &[Token]) -> usize {
    let point = tokens.iter().position(|token| *token == Token::Point);
    let digits = point.map_or(0, |at| tokens[at + 1..].iter().take_while(|t| matches!(t, Token::Digit(_))).count());
    digits.min(MAX_DECIMALS)
}

fn time(seconds: i64, has_seconds: bool) -> String {
    let time = format!("{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
    if has_seconds { format!("{time}:{:02}", seconds % 60) } else { time }
}

/// The date of a day of the workbook, as far as its format shows it.
fn date(day: i64, is_from_1904: bool, has_day: bool, has_month: bool) -> String {
    let (year, month, day) = match (is_from_1904, day) {
        // Workbooks count a day 60 of 1900 that never existed, so before it the count is one less.
        (false, 60) => (1900, 2, 29),
        (false, day) => civil(day - EPOCH_1900 + i64::from(day < 60)),
        (true, day) => civil(day - EPOCH_1904),
    };
    match (has_day, has_month) {
        (true, _) => format!("{year:04}-{month:02}-{day:02}"),
        (false, true) => format!("{year:04}-{month:02}"),
        (false, false) => format!("{year:04}"),
    }
}

/// Year, month and day of a day number counted from the first of January 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    // Hinnant's algorithm: eras of 400 years that begin in March.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_of_year = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_of_year + 2) / 5 + 1;
    let month = if month_of_year < 10 { month_of_year + 3 } else { month_of_year - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}
