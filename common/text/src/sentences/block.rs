//! The sentences of one block.

use std::ops::Range;

use icu_segmenter::SentenceSegmenter;
use icu_segmenter::options::SentenceBreakInvariantOptions;
use precis_proto::CharRange;

use super::{boundary, reference, unmarked};

/// Separates the blocks of a text that comes without structure; page separators stand between two of them.
const BLANK_LINE: &str = "\n\n";

/// The sentences of one block, in order, without overlap, trimmed, in Unicode scalar values of `text`.
///
/// Only white space is left out between them: markers (`3.`, `(a)`, `§ 4`) stay with the sentence behind them, reference marks (`[12]`)
/// with the sentence before. A line break is white space. A range holds at least one character; blank text has none, and text without
/// an end mark is one range, except in scripts that have no end marks.
///
/// ```
/// use precis_text::sentences::of_block;
/// let ranges = of_block("3. Do Not Exceed the dose. See Dr. Lee.[2]");
/// assert_eq!(ranges.iter().map(|range| (range.start, range.end)).collect::<Vec<_>>(), [(0, 26), (27, 42)]);
/// ```
#[must_use]
pub fn of_block(text: &str) -> Vec<CharRange> {
    in_chars(text, ranges(text))
}

/// The sentences of a text without blocks: each stretch between blank lines is treated as one block, and page separators
/// (`---PAGE 2---`) are left out. Otherwise like [`of_block`].
#[must_use]
pub fn sentences(text: &str) -> Vec<CharRange> {
    let mut found = Vec::new();
    let mut start = 0;
    for block in text.split(BLANK_LINE) {
        if !is_page_separator(block.trim()) {
            found.extend(ranges(block).into_iter().map(|range| start + range.start..start + range.end));
        }
        start += block.len() + BLANK_LINE.len();
    }
    in_chars(text, found)
}

/// The sentences of `text` with their ranges, as found by [`sentences`].
pub fn sentences_with_ranges(text: &str) -> impl Iterator<Item = (CharRange, &str)> {
    let mut rest = text;
    let mut passed = 0;
    sentences(text).into_iter().map(move |range| {
        let (_, from_start) = split(rest, range.start - passed);
        let (sentence, after) = split(from_start, range.len());
        rest = after;
        passed = range.end;
        (range, sentence)
    })
}

fn split(text: &str, chars: usize) -> (&str, &str) {
    text.split_at(text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at))
}

fn is_page_separator(line: &str) -> bool {
    line.strip_prefix("---PAGE ")
        .and_then(|rest| rest.strip_suffix("---"))
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Converts ascending, disjoint byte ranges to ranges in Unicode scalar values, in one pass over the text.
fn in_chars(text: &str, ranges: Vec<Range<usize>>) -> Vec<CharRange> {
    let (mut byte, mut chars) = (0, 0);
    let mut advance = |to: usize| {
        chars += text[byte..to].chars().count();
        byte = to;
        chars
    };
    ranges.into_iter().map(|range| CharRange::new(advance(range.start), advance(range.end))).collect()
}

/// The trimmed byte ranges of a block's sentences.
fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for end in ends(text) {
        let piece = &text[start..end];
        let from = start + (piece.len() - piece.trim_start().len());
        let to = start + piece.trim_end().len();
        if from < to {
            unmarked::push(text, from..to, &mut found);
        }
        start = end;
    }
    found
}

/// Byte positions at which the sentences of one block end, with the white space behind them, ascending; the last is the end of the text.
pub fn ends(text: &str) -> Vec<usize> {
    with_words(text, breaks(text))
}

/// As [`ends`], with marks that stand alone.
fn breaks(text: &str) -> Vec<usize> {
    let segmenter = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
    let mut proposals: Vec<usize> = segmenter.segment_str(text).collect();
    boundary::push_greek_questions(text, &mut proposals);
    let mut found = Vec::new();
    let mut start = 0;
    for proposed in proposals {
        let end = reference::past_marks(text, boundary::before_openers(text, proposed));
        // Each break is judged from the last one kept, so a removed break joins its sentence to the next.
        if end > start && end < text.len() && boundary::holds(&text[start..end], &text[end..]) {
            found.push(end);
            start = end;
        }
    }
    found.push(text.len());
    found
}

/// `breaks` without those that would make a sentence of marks alone (`…`, `•`, `)`): such marks join the sentence before, or, at the start
/// of the block, the sentence behind them.
fn with_words(text: &str, breaks: Vec<usize>) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    let mut start = 0;
    let mut is_worded = false;
    for end in breaks {
        let has_word = text[start..end].contains(char::is_alphanumeric);
        if !kept.is_empty() && (!has_word || !is_worded) {
            kept.pop();
        }
        is_worded |= has_word;
        kept.push(end);
        start = end;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        of_block(text).iter().map(|range| text.chars().skip(range.start).take(range.len()).collect()).collect()
    }

    /// Each case is one block, its sentences separated by `|`.
    fn check(cases: &[&str]) {
        for case in cases {
            let expected: Vec<&str> = case.split('|').map(str::trim).collect();
            let spaced = case.replace('|', "");
            assert_eq!(texts(&spaced), expected, "{case}");
        }
    }

    #[test]
    fn sentences_end_at_their_ends() {
        check(&[
            "One is here.| Two is there!| Is three?",
            "He said \"No.\"| Then he left.",
            "»Sie werden gewählt.«| 2. Die Wahl ist geheim.",
            "“They are elected.”| 2. No Member may vote twice.",
            "Is it so?| Not at all.",
            "It is discussed in Appendix C.| Additional work is planned.",
            "He moved to the U.S.| The rest stayed.",
            "Take vitamin C.| Never take more.",
            "The year was 2019.| Nobody came.",
            "これは最初の文です。|次の文です。",
            "请勿服用。|Never mix it！|不要混合。|iPhone 很好。",
            "你好!|我们不去.|他们去?|好",
            "यह पहला है।| यह दूसरा नहीं है।",
            "هل هذا صحيح؟| لا.| هذا خطأ",
            "یہ پہلا ہے۔| یہ دوسرا نہیں۔",
            "Τι είναι αυτό;| Δεν είναι τίποτα.",
        ]);
    }

    #[test]
    fn abbreviations_initials_ordinals_and_numbers_end_no_sentence() {
        check(&[
            "Dr. Smith of Foo Inc. met e.g. Mrs. Lee.| It went well.",
            "As Fig. 3 and No. 5 show, pp. 7 matters.| No.| It does not.",
            "The paper of Müller et al. Smith liked it.",
            "It works for the U.S. Army and J. R. Smith.| We agree.",
            "It was written by J. O. Smith.| Nobody agrees.",
            "Das gilt z. B. für Abs. 3 und d. h. immer.| Am 3. Mai 2020 endete es.",
            "Es begann am 30. Mai, an dem er ging.| Im 2. Weltkrieg endete es.",
            "M. Dupont est venu.| Il est parti.",
            "The rate is 3.14 at http://a.b/c?D=1.| Next one.",
            "Under Docket No. FAA-2020 it stands.",
            "Zgodnie z art. 5 ust. 2 nie wolno.| Nikt nie może.",
            "Статья принята в 2020 г. в Москве, т. е. давно.| Никто не спорит.",
            "TS. Nguyễn không đến.| Không ai đến.",
            "डॉ. राम नहीं आए।| कोई नहीं आया।",
            "She works at Yahoo! and \"Why not?\" is her motto.",
            "他说：“不要去。”|“为什么？”|（他不知道。）",
            "「行かないでください。」と彼は言った。|「はい。」",
            "See example.org.The rest is lost.",
        ]);
    }

    #[test]
    fn a_marker_stays_with_the_sentence_behind_it() {
        check(&[
            "3. Do Not Exceed the dose of four tablets per day.| 4. Never Mix them.",
            "2.2 Never Give Dexol to children.",
            "(a) No Party shall disclose it.",
            "§ 4. Niemand zahlt.| § 5 Keiner zahlt.",
            "Article 1. No Member State may leave.",
            "Art. 1. Nul ne peut.",
            "Section 12. The rule holds.",
            "A. The committee shall not vote.| B. The rest is void.",
            "iv. The fourth is not.",
            "• Never do so.| • Always do so.",
            "- 3. (a) The dose is never changed.",
            "Глава 2. Никто не может.",
            "第1条 国民は投票しない。",
            "The number is 2.",
            "2.",
        ]);
    }

    #[test]
    fn reference_marks_stay_with_the_sentence_before_them() {
        check(&[
            "It fell.[12][3]| The next [5] rose.[4]",
            "It fell. [12]| The next rose. [note 3]",
            "It fell.¹²| The next rose.* [a]",
            "It fell.| [Not] all of it rose.",
            "It fell.| [A]ll of it rose.",
            "[12] A. Smith wrote it.",
        ]);
    }

    #[test]
    fn a_line_break_is_white_space() {
        check(&["No\nFederal\r\nJudge may be removed.|\nNever.", "No end here\u{2029}nor here"]);
    }

    #[test]
    fn marks_without_a_word_go_to_their_neighbour() {
        check(&["It ends. . . .| Or not. •", "… It starts.", "! ! ?", "Really? ! ?| Yes."]);
    }

    #[test]
    fn page_separators_are_no_sentences_and_blank_lines_part_blocks() {
        let text = "One page ends\n\n---PAGE 2---\n\nAnother begins. It goes\n\n on";
        let found: Vec<&str> = sentences_with_ranges(text).map(|(_, sentence)| sentence).collect();
        assert_eq!(found, ["One page ends", "Another begins.", "It goes", "on"]);
    }

    #[test]
    fn ranges_are_trimmed_ordered_and_leave_nothing_out() {
        for text in
            ["", "   ", "a", "。", "A. B. C. 1. 2. 3.", "é\u{301}. Ü! 𝒳 is. مرحبا. كيف؟ नमस्ते। फिर।", "[1] [2] . ) •"]
        {
            let mut joined = String::new();
            for sentence in texts(text) {
                assert!(!sentence.is_empty() && sentence == sentence.trim(), "{text}");
                joined.push_str(&sentence);
            }
            let solid = |t: &str| t.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            assert_eq!(solid(&joined), solid(text));
        }
    }
}
