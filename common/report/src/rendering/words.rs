//! The words a report uses for codes, levels, places and numbers. Used by both the Markdown and the HTML report.

use precis_proto::fidelity::{FidelityLevel, FidelityReason};
use precis_proto::warning::WarningCode;
use precis_text::{is_invisible, is_shown};

/// The meaning of a warning code for the reader, as a whole sentence.
pub(super) fn warning(code: WarningCode) -> &'static str {
    match code {
        WarningCode::ContentTruncated => "Some content was shortened to fit the token budget.",
        WarningCode::ContentDropped => "Some content was left out.",
        WarningCode::PrioritySummarized => "A source of high priority had to be summarized.",
        WarningCode::SummaryProviderFailed => "No provider could summarize a text; a simpler method shortened it.",
        WarningCode::TokenBudgetFloored => "The budget of a phase was raised to its minimum.",
        WarningCode::LimitsDefaulted => "The limits of a model are unknown; cautious defaults were used.",
        WarningCode::ArchiveWriteFailed => {
            "The archive could not be written, so these quotes cannot be checked against it."
        }
        WarningCode::ProtectedOverflow => "Protected content alone is larger than the budget.",
        WarningCode::StateMigrationRecovered => {
            "An older saved state could not be read in full; defaults replaced the unreadable parts."
        }
        WarningCode::TokenCountEstimateUsed => "Some tokens were estimated, not counted.",
        WarningCode::SourceUnreadable => "A source could not be read, so nothing in this report is based on it.",
        WarningCode::SourceDegraded => "A source was read in part or with difficulty.",
        WarningCode::DigestFailed => "A digest could not be made; the original text was kept.",
        WarningCode::ProviderFallback => "A model provider failed and the next one answered.",
        WarningCode::SearchProviderFailed => {
            "A search provider failed; what it would have found is missing, unless another one answered."
        }
        WarningCode::CitationRemoved => "A citation that names no finding was removed from the report.",
        WarningCode::UnsupportedStatement => "A statement shares few words with the quotes it cites. Read the quotes.",
        WarningCode::QuotationAltered => {
            "The model put words in quotation marks that occur in none of the quotes it cited for them."
        }
        WarningCode::StatementsCorrected => "Statements that their passages do not support were replaced or removed.",
        WarningCode::FigureUnsupported => "The model wrote a figure that occurs in none of the quotes it cited for it.",
        WarningCode::NoMatchingEvidence => "In some sources no passage shares a word with the question.",
        WarningCode::MeaningLimited => "Some passages were compared with the question by words alone.",
        WarningCode::ReportDegraded => {
            "No findings could be made from the sources; this report quotes passages of their texts instead."
        }
        WarningCode::StoppedEarly => "The session ended early; the report covers what was done by then.",
        WarningCode::SpendCeilingReached => {
            "The spending limit of this session or its tenant was reached; the built-in model did the rest."
        }
    }
}

/// The meaning of a level; completes "the source was …".
pub(super) fn level(level: FidelityLevel) -> &'static str {
    match level {
        FidelityLevel::Raw => "kept whole",
        FidelityLevel::Condensed => "condensed",
        FidelityLevel::KeyPoints => "reduced to key points",
        FidelityLevel::Headline => "reduced to a headline",
        FidelityLevel::Digest => "digested",
        FidelityLevel::Truncated => "cut short",
        FidelityLevel::Dropped => "left out",
    }
}

/// The reason for a level; follows the words of the level.
pub(super) fn reason(reason: FidelityReason) -> &'static str {
    match reason {
        FidelityReason::BudgetLimit => "to fit the budget",
        FidelityReason::ProviderError => "after an error",
        FidelityReason::ManualOverride => "as requested",
    }
}

/// Average tokens of a sentence; estimates based on it are about ten percent off.
const SENTENCE_TOKENS: u64 = 25;

/// Approximate number of sentences in `tokens`, rounded to the precision of such an estimate; never fewer than `quoted`.
pub(super) fn about_sentences(tokens: u64, quoted: usize) -> u64 {
    let sentences = tokens.div_ceil(SENTENCE_TOKENS).max(1);
    let step = match sentences {
        0..20 => 1,
        20..1_000 => 10,
        _ => 100,
    };
    (sentences.saturating_add(step / 2) / step * step).max(quoted as u64)
}

/// A timestamp to the minute: `2026-01-31 12:00 UTC`.
pub(super) fn moment(at: precis_proto::Timestamp) -> String {
    let text = at.to_string();
    format!("{} UTC", text.get(..16).unwrap_or(&text).replace('T', " "))
}

/// Whether a warning lowers the reader's trust in the report: something was not read, not asked for, or not proved.
pub(super) fn changes_trust(code: WarningCode) -> bool {
    match code {
        WarningCode::SourceUnreadable
        | WarningCode::SummaryProviderFailed
        | WarningCode::ProviderFallback
        | WarningCode::ReportDegraded
        | WarningCode::StoppedEarly
        | WarningCode::SpendCeilingReached
        | WarningCode::ArchiveWriteFailed
        | WarningCode::ProtectedOverflow
        | WarningCode::StateMigrationRecovered
        | WarningCode::UnsupportedStatement
        | WarningCode::QuotationAltered
        | WarningCode::FigureUnsupported
        | WarningCode::SearchProviderFailed
        | WarningCode::CitationRemoved => true,
        // These concern single sources; the lines of those sources show them.
        WarningCode::NoMatchingEvidence
        | WarningCode::ContentTruncated
        | WarningCode::ContentDropped
        | WarningCode::PrioritySummarized
        | WarningCode::TokenBudgetFloored
        | WarningCode::LimitsDefaulted
        | WarningCode::TokenCountEstimateUsed
        | WarningCode::SourceDegraded
        | WarningCode::DigestFailed
        | WarningCode::MeaningLimited
        // The line that counts the statements reports this.
        | WarningCode::StatementsCorrected => false,
    }
}

/// `1234567` as `1,234,567`.
pub(super) fn group_digits(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 source`, `2 sources`.
pub(super) fn count_with_noun(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", group_digits(n as u64), if n == 1 { one } else { many })
}

/// Tokens before and after a step: `12,000 → 800`, or one number if nothing was lost.
pub(super) fn tokens(before: u64, after: u64) -> String {
    if before == after { group_digits(before) } else { format!("{} → {}", group_digits(before), group_digits(after)) }
}

/// Text from outside: characters that reorder it, and controls, are visible as `‹U+202E›`; others that nobody sees are left out.
pub(super) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_invisible(c) {
            out.push_str(&format!("‹U+{:04X}›", u32::from(c)));
        } else if is_shown(before, c, chars.peek().copied()) {
            out.push(c);
            before = Some(c);
        }
    }
    out
}

/// Markdown of a report with the characters that are not shown as `‹U+200B›`. The writer of a report leaves them out; a report of an
/// earlier version or of a stranger may have some, and without them its neighbours could act as a citation or an address.
pub(super) fn show_code_points(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut before = None;
    let mut chars = markdown.chars().peekable();
    while let Some(c) = chars.next() {
        if is_shown(before, c, chars.peek().copied()) {
            out.push(c);
            before = Some(c);
        } else {
            out.push_str(&format!("‹U+{:04X}›", u32::from(c)));
        }
    }
    out
}

/// The address if it may become a link: http or https, and no character that could end or disguise it.
pub(super) fn web_address(url: Option<&str>) -> Option<&str> {
    let url = url?;
    let scheme = ["http://", "https://"].iter().any(|s| url.get(..s.len()).is_some_and(|u| u.eq_ignore_ascii_case(s)));
    let plain = url.chars().all(|c| !c.is_whitespace() && !is_invisible(c) && !"<>\"\\`{}|^".contains(c));
    (scheme && plain).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_threes() {
        for (n, want) in [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")] {
            assert_eq!(group_digits(n), want);
        }
        assert_eq!((tokens(1_200, 80), tokens(7, 7)), ("1,200 → 80".to_owned(), "7".to_owned()));
    }

    #[test]
    fn an_estimate_is_round_and_never_below_what_was_quoted() {
        for (tokens, quoted, want) in
            [(0, 0, 1), (1, 0, 1), (475, 0, 19), (500, 0, 20), (2_300, 2, 90), (24_900, 1, 1_000), (0, 7, 7)]
        {
            assert_eq!(about_sentences(tokens, quoted), want, "{tokens}");
        }
    }

    #[test]
    fn only_an_address_of_the_web_may_become_a_link() {
        let cases = [
            ("https://a.example/x?a=1&b=2#c", true),
            ("HTTP://a.example", true),
            ("javascript:alert(1)", false),
            (" https://a.example", false),
            ("https://a.example/ x", false),
            ("https://a.example/\u{202e}x", false),
            ("https://a.example/\"onclick=", false),
            ("file:///etc/passwd", false),
            ("http:/", false),
            ("", false),
        ];
        for (url, want) in cases {
            assert_eq!(web_address(Some(url)).is_some(), want, "{url}");
        }
    }

    #[test]
    fn what_reorders_text_is_shown_by_its_number() {
        assert_eq!(visible("a\u{202e}b\u{7}"), "a‹U+202E›b‹U+0007›");
        assert_eq!(show_code_points("[\u{200b}1\u{e0041}] 👩\u{200d}🚀"), "[‹U+200B›1‹U+E0041›] 👩\u{200d}🚀");
    }

    #[test]
    fn invisible_text_is_left_out() {
        assert_eq!(visible("pay\u{200b} nothing\u{e0041} 👩\u{200d}🚀"), "pay nothing 👩\u{200d}🚀");
    }
}
