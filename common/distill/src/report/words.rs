//! The words a report uses for codes, levels, places and numbers; the same in Markdown and in HTML.

use precis_proto::fidelity::{FidelityLevel, FidelityReason};
use precis_proto::warning::WarningCode;

/// What a warning code means to a reader of the report: a whole sentence.
pub(super) fn warning(code: WarningCode) -> &'static str {
    match code {
        WarningCode::ContentTruncated => "Some content was shortened to fit the token budget.",
        WarningCode::ContentDropped => "Some content was left out.",
        WarningCode::PrioritySummarized => "A source of high priority had to be summarized.",
        WarningCode::SummaryProviderFailed => "No provider could summarize; the text was reduced in a plainer way.",
        WarningCode::TokenBudgetFloored => "The budget of a phase was raised to its minimum.",
        WarningCode::LimitsDefaulted => "The limits of a model are unknown; cautious defaults were used.",
        WarningCode::ArchiveWriteFailed => {
            "The archive could not be written, so these quotes cannot be checked against it."
        }
        WarningCode::ProtectedOverflow => "Protected content alone is larger than the budget.",
        WarningCode::StateMigrationRecovered => {
            "An older state could not be read in full; defaults took the place of the rest."
        }
        WarningCode::TokenCountEstimateUsed => "Some tokens were estimated, not counted.",
        WarningCode::SourceUnreadable => "A source could not be read, so nothing in this report stands on it.",
        WarningCode::SourceDegraded => "A source was read in part or with difficulty.",
        WarningCode::DigestFailed => "A digest could not be made; the original text was kept.",
        WarningCode::ProviderFallback => "A model provider failed and the next one answered.",
        WarningCode::SearchProviderFailed => {
            "A search provider failed; what it would have found is missing, unless another one answered."
        }
        WarningCode::CitationRemoved => "A citation that names no finding was removed from the report.",
        WarningCode::UnsupportedStatement => "A statement shares few words with the quotes it cites. Read the quotes.",
        WarningCode::QuotationAltered => {
            "The model put words in quotation marks that stand in none of the quotes it cited for them."
        }
        WarningCode::StatementsCorrected => {
            "Statements that their quotes do not carry were corrected from the quotes, removed or marked."
        }
        WarningCode::FigureUnsupported => "The model wrote a figure that stands in none of the quotes it cited for it.",
        WarningCode::NoMatchingEvidence => "In some sources no passage shares a word with the question.",
        WarningCode::ReportDegraded => {
            "No finding could be made of the sources; this report stands on passages of their texts as they are."
        }
        WarningCode::StoppedEarly => "The session ended early; the report covers what was done by then.",
        WarningCode::SpendCeilingReached => {
            "What this session or its tenant may spend was spent; the built-in model did the rest."
        }
    }
}

/// What a level means for a source: completes “the source was …”.
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

/// Why: follows the level.
pub(super) fn reason(reason: FidelityReason) -> &'static str {
    match reason {
        FidelityReason::BudgetLimit => "to fit the budget",
        FidelityReason::ProviderError => "after an error",
        FidelityReason::ManualOverride => "as asked",
    }
}

/// Tokens of a sentence, about: what a report says of sentences that were not counted is a tenth more or less of this.
const SENTENCE_TOKENS: u64 = 25;

/// About how many sentences so many tokens are, rounded to what such an estimate is worth; never fewer than `quoted`.
pub(super) fn about_sentences(tokens: u64, quoted: usize) -> u64 {
    let sentences = tokens.div_ceil(SENTENCE_TOKENS).max(1);
    let step = match sentences {
        0..20 => 1,
        20..1_000 => 10,
        _ => 100,
    };
    (sentences.saturating_add(step / 2) / step * step).max(quoted as u64)
}

/// A moment to the minute: `2026-01-31 12:00 UTC`.
pub(super) fn moment(at: precis_proto::Timestamp) -> String {
    let text = at.to_string();
    format!("{} UTC", text.get(..16).unwrap_or(&text).replace('T', " "))
}

/// Whether a warning changes how far a reader should trust the report: something was not read, not asked, or not proved.
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
        // Of one source among many these are what its line says.
        WarningCode::NoMatchingEvidence
        | WarningCode::ContentTruncated
        | WarningCode::ContentDropped
        | WarningCode::PrioritySummarized
        | WarningCode::TokenBudgetFloored
        | WarningCode::LimitsDefaulted
        | WarningCode::TokenCountEstimateUsed
        | WarningCode::SourceDegraded
        | WarningCode::DigestFailed
        // The line that counts statements says it.
        | WarningCode::StatementsCorrected => false,
    }
}

/// `1234567` as `1,234,567`.
pub(super) fn grouped(n: u64) -> String {
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
pub(super) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n as u64), if n == 1 { one } else { many })
}

/// Tokens through something: `12,000 → 800`, or one number where nothing was lost.
pub(super) fn tokens(before: u64, after: u64) -> String {
    if before == after { grouped(before) } else { format!("{} → {}", grouped(before), grouped(after)) }
}

/// Text from outside with the characters that reorder or hide text made visible: `‹U+202E›`.
pub(super) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if super::inline_writer::is_invisible(c) {
            out.push_str(&format!("‹U+{:04X}›", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// An address that may become a link: http or https, and nothing in it that ends or hides an address.
pub(super) fn web_address(url: Option<&str>) -> Option<&str> {
    let url = url?;
    let scheme = ["http://", "https://"].iter().any(|s| url.get(..s.len()).is_some_and(|u| u.eq_ignore_ascii_case(s)));
    let plain =
        url.chars().all(|c| !c.is_whitespace() && !super::inline_writer::is_invisible(c) && !"<>\"\\`{}|^".contains(c));
    (scheme && plain).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_threes() {
        for (n, want) in [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")] {
            assert_eq!(grouped(n), want);
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
    }
}
