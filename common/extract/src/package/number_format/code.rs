//! [`NumberFormat`]: a code as sections, and which one applies.

use super::calendar;
use super::digits::{literal, place_digits, shortest};
use super::fraction::placed_as_fraction;
use super::scientific::placed_with_exponent;
use super::token::{Condition, Token, sections};

/// Longest code that is read, in characters; the format has 255. Numbers of a longer one are shown in their shortest form.
const MAX_CODE_CHARS: usize = 255;

/// How the cells of a style show what they contain.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in super::super) struct NumberFormat {
    /// Empty if numbers are shown in their shortest form.
    sections: Vec<Section>,
    /// The section for text, if there is one.
    text: Option<Vec<Token>>,
}

#[derive(Debug, Clone, PartialEq)]
struct Section {
    tokens: Vec<Token>,
    condition: Option<Condition>,
}

impl NumberFormat {
    /// Reads `code`.
    pub(in super::super) fn read(code: &str) -> Self {
        if code.chars().count() > MAX_CODE_CHARS {
            return Self::default();
        }
        let mut all: Vec<Section> = sections(code)
            .into_iter()
            .map(|scanned| Section { tokens: scanned.tokens, condition: scanned.condition })
            .collect();
        let has_text = |section: &Section| section.tokens.contains(&Token::Text);
        // The fourth section is for text; so is the last one of fewer if it shows text.
        let text = (all.len() > 3 || all.last().is_some_and(has_text)).then(|| all.remove(all.len().min(4) - 1).tokens);
        all.truncate(3);
        Self { sections: all, text }
    }

    /// `number` as shown; `None` if the format shows nothing of it.
    pub(in super::super) fn number(&self, number: f64, is_from_1904: bool) -> Option<String> {
        if self.sections.is_empty() {
            return Some(shortest(number));
        }
        let (section, hides_sign) = self.section(number)?;
        let tokens = &section.tokens;
        if tokens.is_empty() {
            return None;
        }
        if tokens.iter().any(|token| matches!(token, Token::Date(..) | Token::Elapsed(..))) {
            let written = calendar::format_date(number, hides_sign, tokens, is_from_1904);
            return Some(written.unwrap_or_else(|| shortest(number)));
        }
        let text = format_unsigned(number.abs(), tokens);
        let has_digit = text.chars().any(|c| ('1'..='9').contains(&c));
        let sign = if number < 0.0 && !hides_sign && has_digit { "-" } else { "" };
        Some(format!("{sign}{text}"))
    }

    /// What the format puts before and behind the text of a cell; `None` if it shows no text.
    pub(in super::super) fn around_text(&self) -> Option<(String, String)> {
        let Some(tokens) = &self.text else { return Some(Default::default()) };
        let at = tokens.iter().position(|token| *token == Token::Text)?;
        let words = |tokens: &[Token]| tokens.iter().map(literal).collect();
        Some((words(&tokens[..at]), words(&tokens[at + 1..])))
    }

    /// The section for `number`, and whether it implies the minus sign.
    fn section(&self, number: f64) -> Option<(&Section, bool)> {
        let all = &self.sections;
        if all.iter().any(|section| section.condition.is_some()) {
            let found = all.iter().find(|section| section.condition.is_none_or(|condition| condition.holds(number)));
            return found.map(|section| (section, section.condition.is_some_and(Condition::is_of_negatives)));
        }
        match (number, all.len()) {
            (number, 2..) if number < 0.0 => Some((&all[1], true)),
            (0.0, 3..) => Some((&all[2], false)),
            _ => Some((&all[0], false)),
        }
    }
}

fn format_unsigned(number: f64, tokens: &[Token]) -> String {
    if let Some(at) = tokens.iter().position(|token| *token == Token::General) {
        let words = |tokens: &[Token]| tokens.iter().map(literal).collect::<String>();
        return format!("{}{}{}", words(&tokens[..at]), shortest(number), words(&tokens[at + 1..]));
    }
    let exponent = tokens.iter().enumerate().find_map(|(at, token)| match token {
        Token::Exponent { shows_plus } => Some((at, *shows_plus)),
        _ => None,
    });
    if let Some((at, shows_plus)) = exponent {
        return placed_with_exponent(number, tokens, at, shows_plus);
    }
    let slash = tokens.iter().position(|token| *token == Token::Slash);
    slash.and_then(|at| placed_as_fraction(number, tokens, at)).unwrap_or_else(|| place_digits(number, tokens))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(code: &str, number: f64) -> String {
        let shown = NumberFormat::read(code).number(number, false).unwrap_or_else(|| "(nothing)".to_owned());
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_number_reads_as_on_the_screen() {
        for (code, number, want) in [
            ("General", 0.1 + 0.2, "0.3"),
            ("General\" m\"", -2.5, "-2.5 m"),
            ("0", 12.5, "13"),
            ("00000", 421.0, "00421"),
            ("000-00-0000", 123_456_789.0, "123-45-6789"),
            ("#,##0.00 \"€\"", 1_234_567.5, "1,234,567.50 €"),
            ("#,##0.00\\ [$€-407]", -0.5, "-0.50 €"),
            ("[$CHF-807] #,##0.00", 99.0, "CHF 99.00"),
            ("$#,##0.00;[Red]-$#,##0.00", -99.5, "-$99.50"),
            ("\"$\"#,##0", -5.0, "-$5"),
            ("#,##0;(#,##0)", -4200.0, "(4,200)"),
            ("#,##0,\"k\"", 12_345_678.0, "12,346k"),
            ("0.0,,\"M\"", 12_345_678.0, "12.3M"),
            ("0.0%", 0.256, "25.6%"),
            ("0%", 0.005, "1%"),
            ("#.##", 0.5, ".5"),
            ("0.0#", 0.5, "0.5"),
            ("#", 0.0, ""),
            ("0.00", -0.001, "0.00"),
            ("# ?/?", 0.75, "3/4"),
            ("# ?/?", 2.5, "2 1/2"),
            ("# ??/??", 3.0, "3"),
            ("# ?/8", 1.26, "1 2/8"),
            ("?/?", 1.5, "3/2"),
            ("0.00E+00", 1.23e-6, "1.23E-06"),
            ("0.0E+0", 99_999.0, "1.0E+5"),
            ("##0.0E+0", 12_345.0, "12.3E+3"),
            ("0.00E-00", 1200.0, "1.20E03"),
            ("0 \"pcs\"", 5.0, "5 pcs"),
            ("0.00\" kg\";;\"none\"", 0.0, "none"),
            ("0.00\" kg\";;\"none\"", -1.0, "(nothing)"),
            (";;;", 5.0, "(nothing)"),
            ("[>1000]\"high\";\"low\"", 1500.0, "high"),
            ("[>1000]\"high\";\"low\"", 5.0, "low"),
            ("[<0]\"minus \"0;[=0]\"nil\";0", -7.0, "minus 7"),
            ("[<0]\"minus \"0;[=0]\"nil\";0", 0.0, "nil"),
            ("_-* #,##0.00\\ \"€\"_-;\\-* #,##0.00\\ \"€\"_-;_-* \"-\"??\\ \"€\"_-;_-@_-", 7.0, "7.00 €"),
            ("_-* #,##0.00\\ \"€\"_-;\\-* #,##0.00\\ \"€\"_-;_-* \"-\"??\\ \"€\"_-;_-@_-", -7.0, "-7.00 €"),
            ("_-* #,##0.00\\ \"€\"_-;\\-* #,##0.00\\ \"€\"_-;_-* \"-\"??\\ \"€\"_-;_-@_-", 0.0, "- €"),
            ("@", 4.5, "4.5"),
            ("[Blue][DBNum1]0", 3.0, "3"),
        ] {
            assert_eq!(shown(code, number), want, "{code} {number}");
        }
    }

    #[test]
    fn dates_times_and_durations_read_as_far_as_they_are_shown() {
        for (code, number, want) in [
            ("yyyy-mm-dd", 46_095.0, "2026-03-14"),
            ("m/d/yyyy", 46_095.9, "2026-03-14"),
            ("[$-407]dd. mmmm yyyy;@", 46_095.0, "2026-03-14"),
            ("ggge\"年\"m\"月\"d\"日\"", 46_095.0, "2026-03-14"),
            ("mmm yy", 46_095.0, "2026-03"),
            ("yyyy", 46_095.0, "2026"),
            ("dddd", 46_095.0, "2026-03-14"),
            ("dd\\.mm\\.yyyy hh:mm", 45_306.5, "2024-01-15 12:00"),
            ("yyyy-mm-dd hh:mm:ss", 46_095.631_550_925_93, "2026-03-14 15:09:26"),
            ("yyyy-mm-dd hh:mm", 46_095.999_999_999, "2026-03-15 00:00"),
            ("h:mm AM/PM", 0.631_25, "3:09 PM"),
            ("h:mm AM/PM", 0.0, "12:00 AM"),
            ("hh:mm:ss", 46_095.750_01, "18:00:01"),
            ("h:mm", 0.25, "6:00"),
            ("[h]:mm", 1.5, "36:00"),
            ("[h]:mm", -0.5, "-12:00"),
            ("[mm]:ss", 0.125, "180:00"),
            ("[h]\" h \"mm\" min\"", 1.0 / 16.0, "1 h 30 min"),
            ("mm:ss.0", 0.000_7, "01:00.5"),
            ("yyyy-mm-dd", 1.0, "1900-01-01"),
            ("yyyy-mm-dd", 60.0, "1900-02-29"),
            ("yyyy-mm-dd", 61.0, "1900-03-01"),
            ("yyyy-mm-dd", -1.0, "-1"),
            ("yyyy-mm-dd", 2_958_465.0, "9999-12-31"),
            ("yyyy-mm-dd", 2_958_466.0, "2958466"),
        ] {
            assert_eq!(shown(code, number), want, "{code} {number}");
        }
        let from_1904 = NumberFormat::read("yyyy-mm-dd").number(43_844.0, true);
        assert_eq!(from_1904.as_deref(), Some("2024-01-15"));
    }

    #[test]
    fn a_section_for_negative_durations_writes_its_own_sign() {
        for (code, number, want) in [
            ("[h]:mm;-[h]:mm", -1.5, "-36:00"),
            ("[h]:mm:ss;(-)[h]:mm:ss", -1.5, "(-)36:00:00"),
            ("[h]:mm;([h]:mm)", -1.5, "(36:00)"),
            ("[<0]\"late \"[h]:mm;[h]:mm", -0.25, "late 6:00"),
            ("[<5][h]:mm;0", -0.25, "-6:00"),
            ("h:mm;-h:mm", -0.25, "-6:00"),
            ("yyyy-mm-dd;-yyyy-mm-dd", -5.0, "-5"),
        ] {
            assert_eq!(shown(code, number), want, "{code} {number}");
        }
    }

    #[test]
    fn a_fraction_has_the_denominator_of_its_code() {
        for (code, number, want) in [
            ("# ?/10", 0.25, "3/10"),
            ("# ?/10", 3.6, "3 6/10"),
            ("# ??/100", 0.25, "25/100"),
            ("# ??/100", 1.07, "1 7/100"),
            ("# ??/16", 0.25, "4/16"),
            ("# ??/50\" m\"", 0.5, "25/50 m"),
            ("# ???/105", 0.5, "53/105"),
            ("# ?/10", 4.0, "4"),
        ] {
            assert_eq!(shown(code, number), want, "{code} {number}");
        }
    }

    #[test]
    fn letters_next_to_digit_places_are_words() {
        for (code, number, want) in [
            ("0.0 EUR", 12.5, "12.5 EUR"),
            ("0 USD", 5.0, "5 USD"),
            ("#,##0 kg", 1200.0, "1,200 kg"),
            ("0 Tage", 3.0, "3 Tage"),
            ("0 m", 7.0, "7 m"),
            ("0 m/s", 7.0, "7 m/s"),
            ("EUR 0.00", 7.0, "EUR 7.00"),
            ("0 a/p", 7.0, "7 a/p"),
            ("0.0 \"x\" g;-0.0 g", -2.0, "-2.0 g"),
            ("mm:ss.0", 0.000_7, "01:00.5"),
            ("[s].00", 1.5, "129600.00"),
            ("hh:mm:ss.000", 0.5, "12:00:00.000"),
        ] {
            assert_eq!(shown(code, number), want, "{code} {number}");
        }
    }

    #[test]
    fn words_around_a_date_are_kept() {
        for (code, number, want) in [
            ("\"FY\"yyyy", 45_000.0, "FY2023"),
            ("yyyy\"E\"", 45_000.0, "2023E"),
            ("\"Due \"yyyy-mm-dd", 46_095.0, "Due 2026-03-14"),
            ("dd/mm/yyyy\" (est.)\"", 46_095.0, "2026-03-14 (est.)"),
            ("\"(\"yyyy\" est.)\"", 46_095.0, "(2026 est.)"),
            ("yyyy-mm-dd\"T\"hh:mm:ss\"Z\"", 46_095.5, "2026-03-14T12:00:00Z"),
            ("dd/mm/yyyy\" at \"hh:mm", 46_095.5, "2026-03-14 at 12:00"),
            ("hh:mm dd/mm/yyyy", 46_095.5, "2026-03-14 12:00"),
            ("d\" de \"mmmm\" de \"yyyy", 46_095.0, "2026-03-14"),
            ("yyyy\"年\"m\"月\"d\"日\" h:mm", 46_095.5, "2026-03-14 12:00"),
            ("yyyy\\.mm\\.dd\\.", 46_095.0, "2026-03-14"),
        ] {
            assert_eq!(shown(code, number), want, "{code} {number}");
        }
    }

    #[test]
    fn days_without_a_month_are_counted() {
        for (code, number, want) in [
            ("dd:hh:mm", 2.25, "02:06:00"),
            ("d \"days\" h \"h\"", 2.25, "2 days 6 h"),
            ("d\" d \"hh:mm", 0.25, "0 d 06:00"),
            ("d hh:mm;-d hh:mm", -2.25, "-2 06:00"),
            ("d", 1_826.0, "1826"),
            ("d", 1_827.0, "1827"),
            ("d", 1_828.0, "1905-01-01"),
            ("dddd", 2.0, "1900-01-02"),
            ("d hh:mm", 46_095.5, "2026-03-14 12:00"),
        ] {
            assert_eq!(shown(code, number), want, "{code} {number}");
        }
    }

    #[test]
    fn text_is_shown_by_the_section_for_text() {
        for (code, want) in [
            ("0.00", Some(("", ""))),
            ("\"Dr. \"@\" sen.\"", Some(("Dr. ", " sen."))),
            ("0;-0;0;\"(\"@\")\"", Some(("(", ")"))),
            (";;;", None),
        ] {
            let want = want.map(|(before, behind)| (before.to_owned(), behind.to_owned()));
            assert_eq!(NumberFormat::read(code).around_text(), want, "{code}");
        }
    }

    #[test]
    fn a_code_is_read_up_to_a_length() {
        for (length, want) in [(MAX_CODE_CHARS - 1, "x"), (MAX_CODE_CHARS, "x"), (MAX_CODE_CHARS + 1, "7")] {
            let code = format!("0\"{}\"", "x".repeat(length - 3));
            let shown = shown(&code, 7.0);
            assert!(shown.ends_with(want), "{length}: {shown}");
        }
    }
}
