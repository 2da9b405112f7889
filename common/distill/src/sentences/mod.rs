//! Sentences of canonical text: where they begin and end, and how far each can be trusted to be one.
//!
//! Owns the repair of what Unicode segmentation (UAX #29) cannot know: abbreviations, initials, ordinals, reference
//! marks, list bullets, and headings that run into the sentence behind them because canonical text has no lines.
//! Ranges are moved, text is never changed. Refuses to know queries, scores of relevance and languages as such: the
//! word lists are joined over languages.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `boundary` | whether a break of the segmenter holds |
//! | `lead` | the heading, number or bullet in front of a sentence |
//! | `quality` | how much a range looks like a whole sentence |
//! | `debris` | marks of what is no prose |
//! | `lexicon` | the word lists of all |

mod boundary;
mod debris;
mod lead;
mod lexicon;
mod quality;

use icu_segmenter::SentenceSegmenter;
use icu_segmenter::options::SentenceBreakInvariantOptions;
use precis_proto::CharRange;

pub use quality::{is_whole, quality};

/// The sentences of `text`, in order, without overlap, trimmed, in Unicode scalar values.
///
/// What lies between them is white space, list bullets, page separators, headings, section numbers and reference marks
/// (`[12]`) behind the end. A range holds at
/// least one character; blank text has none. Text without sentence ends comes back as one range, which [`quality`] judges.
#[must_use]
pub fn sentences(text: &str) -> Vec<CharRange> {
    let mut cursor = Cursor::default();
    let mut found = Vec::new();
    let mut start = 0;
    for end in breaks(text) {
        for (from, to) in pieces(&text[start..end]) {
            let piece = &text[start + from..start + to];
            let skip = lead::length(piece);
            let body = boundary::without_reference_marks(piece[skip..].trim());
            if body.is_empty() {
                continue;
            }
            let first = start + from + skip + (piece.len() - skip - piece[skip..].trim_start().len());
            let range = CharRange::new(cursor.advance(text, first), cursor.advance(text, first + body.len()));
            found.push(range);
        }
        start = end;
    }
    found
}

/// The sentences of `text` with their words.
pub(crate) fn located(text: &str) -> impl Iterator<Item = (CharRange, &str)> {
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

/// Counts characters up to byte positions that only grow, so that a whole text costs one pass.
#[derive(Default)]
struct Cursor {
    byte: usize,
    chars: usize,
}

impl Cursor {
    fn advance(&mut self, text: &str, byte: usize) -> usize {
        self.chars += text[self.byte..byte].chars().count();
        self.byte = byte;
        self.chars
    }
}

/// Byte positions at which a sentence ends, ascending; the last is the end of the text.
fn breaks(text: &str) -> Vec<usize> {
    let segmenter = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
    let mut found = Vec::new();
    let mut start = 0;
    for proposed in segmenter.segment_str(text) {
        let end = boundary::past_reference_marks(text, proposed);
        if end > start && end < text.len() && boundary::holds(&text[start..end], &text[end..]) {
            found.push(end);
            start = end;
        }
    }
    if start < text.len() {
        found.push(text.len());
    }
    found
}

/// Cuts a stretch at list bullets, section links and missed ends, and leaves page separators out; byte ranges within it.
fn pieces(stretch: &str) -> Vec<(usize, usize)> {
    if is_page_separator(stretch.trim()) {
        return Vec::new();
    }
    let bullets = stretch.match_indices(lexicon::is_bullet).map(|(at, bullet)| (at, at + bullet.len()));
    let links = lexicon::SECTION_LINKS
        .iter()
        .flat_map(|link| stretch.match_indices(link).map(|(at, link)| (at, at + link.len())));
    let mut cuts: Vec<(usize, usize)> = bullets.chain(links).chain(boundary::missed(stretch)).collect();
    cuts.sort_unstable();
    let starts = [0].into_iter().chain(cuts.iter().map(|(_, end)| *end));
    let ends = cuts.iter().map(|(start, _)| *start).chain([stretch.len()]);
    starts.zip(ends).filter(|(start, end)| start < end).collect()
}

fn is_page_separator(line: &str) -> bool {
    line.strip_prefix("---PAGE ")
        .and_then(|rest| rest.strip_suffix("---"))
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        located(text).map(|(_, sentence)| sentence).collect()
    }

    #[test]
    fn sentences_end_at_their_ends_and_not_after_abbreviations() {
        for (text, expected) in [
            ("One is here. Two is there! Is three?", vec!["One is here.", "Two is there!", "Is three?"]),
            (
                "Dr. Smith of Foo Inc. met e.g. Mrs. Lee. It went well.",
                vec!["Dr. Smith of Foo Inc. met e.g. Mrs. Lee.", "It went well."],
            ),
            (
                "As Fig. 3 and No. 5 show, pp. 7 matters. No. It does not.",
                vec!["As Fig. 3 and No. 5 show, pp. 7 matters.", "No.", "It does not."],
            ),
            ("The paper of Müller et al. Smith liked it.", vec!["The paper of Müller et al. Smith liked it."]),
            (
                "It works for the U.S. Army and J. R. Smith. We agree.",
                vec!["It works for the U.S. Army and J. R. Smith.", "We agree."],
            ),
            ("He moved to the U.S. The rest stayed.", vec!["He moved to the U.S.", "The rest stayed."]),
            (
                "Das gilt z. B. für Abs. 3 und d. h. immer. Am 3. Mai 2020 endete es.",
                vec!["Das gilt z. B. für Abs. 3 und d. h. immer.", "Am 3. Mai 2020 endete es."],
            ),
            ("M. Dupont est venu. Il est parti.", vec!["M. Dupont est venu.", "Il est parti."]),
            (
                "The rate is 3.14 at http://a.b/c?D=1. Next one.",
                vec!["The rate is 3.14 at http://a.b/c?D=1.", "Next one."],
            ),
            ("It fell.[12][3] The next [5] rose.[4]", vec!["It fell.", "The next [5] rose."]),
            (
                "It was so.The next was not. See example.org.",
                vec!["It was so.", "The next was not.", "See example.org."],
            ),
            (
                "It ends the review process. jbell on page two. So it goes.",
                vec!["It ends the review process.", "jbell on page two.", "So it goes."],
            ),
            (
                "The answer of the kidney This figure is clear.",
                vec!["The answer of the kidney", "This figure is clear."],
            ),
            (
                "It is discussed in Appendix C. Additional work is planned.",
                vec!["It is discussed in Appendix C.", "Additional work is planned."],
            ),
            ("Under Docket No. FAA-2020 it stands.", vec!["Under Docket No. FAA-2020 it stands."]),
            ("これは最初の文です。次の文です。", vec!["これは最初の文です。", "次の文です。"]),
            (
                "They are the top employers.6 According to the census it grew.",
                vec!["They are the top employers.", "According to the census it grew."],
            ),
            ("Les acidoses Ê Savoir définir un pH est utile.", vec!["Les acidoses", "Savoir définir un pH est utile."]),
            ("\u{2022} First point \u{2022} Second point", vec!["First point", "Second point"]),
        ] {
            assert_eq!(texts(text), expected, "{text}");
        }
    }

    #[test]
    fn a_heading_in_front_of_a_sentence_is_left_out_of_its_range() {
        for (text, expected) in [
            ("1 Introduction Foo bar is a method.", "Foo bar is a method."),
            ("1. Introduction Commerce on the Internet has come far.", "Commerce on the Internet has come far."),
            ("B. SLEEP RITUALS Did you eat?", "Did you eat?"),
            ("Power Sleep Study A. SLEEP ENVIRONMENT Go through the room.", "Go through the room."),
            (
                "Long Beach, California People and Place Long Beach, covering it, is old.",
                "Long Beach, covering it, is old.",
            ),
            ("Long Beach and Long Beach Harbor are old.", "Long Beach and Long Beach Harbor are old."),
            ("(2) installing updated software is due.", "installing updated software is due."),
            ("Speedtests SpeedTests is a framework.", "SpeedTests is a framework."),
            ("FAA Determination The FAA is proposing this.", "The FAA is proposing this."),
            ("Order of Prohibition On March 13, it was issued.", "On March 13, it was issued."),
            ("Back To The Future is a film.", "Back To The Future is a film."),
            ("Ê Connaître les causes est utile.", "Connaître les causes est utile."),
            ("Das ist ein Weg γ. Definition 18 Ein Raum heißt offen.", "Ein Raum heißt offen."),
            ("Remark 7 (Properties of parts) Every part is whole.", "Every part is whole."),
            ("(Also, each part is whole.)", "(Also, each part is whole.)"),
            ("Figure 3 shows the rate.", "Figure 3 shows the rate."),
            ("Properties[edit] Every matrix is nice.", "Every matrix is nice."),
            ("Optimizing the Score So far we used one deviation.", "So far we used one deviation."),
            ("2.3 Related Work Several approaches have been tried.", "Several approaches have been tried."),
            ("RESULTS AND DISCUSSION The yield was high.", "The yield was high."),
            ("Economic Overview The economy of the island grew.", "The economy of the island grew."),
            ("Zusammenfassung Die Arbeit zeigt den Weg.", "Die Arbeit zeigt den Weg."),
            ("3. We show that it holds.", "We show that it holds."),
            ("Vitamin A is essential.", "Vitamin A is essential."),
            ("NASA Goddard is a centre.", "NASA Goddard is a centre."),
            ("Können Sie das sehen?", "Können Sie das sehen?"),
            ("New Zealand is an island country.", "New Zealand is an island country."),
            ("12 people were hurt.", "12 people were hurt."),
        ] {
            assert_eq!(texts(text).last(), Some(&expected), "{text}");
        }
    }

    #[test]
    fn page_separators_are_no_sentences() {
        assert_eq!(
            texts("One page ends here.\n\n---PAGE 2---\n\nAnother begins."),
            vec!["One page ends here.", "Another begins."]
        );
    }

    #[test]
    fn ranges_are_trimmed_ordered_and_inside_the_text() {
        for text in
            ["", "   ", "a", "。", "A. B. C. 1. 2. 3.", "é\u{301}. Ü! 𝒳 is. مرحبا. كيف؟ नमस्ते। फिर।", "[1] [2] . ) •"]
        {
            let mut last = 0;
            for (range, part) in located(text) {
                assert!(last <= range.start && !range.is_empty() && range.end <= text.chars().count(), "{text}");
                assert_eq!(part, part.trim(), "{text}");
                assert_eq!(part.chars().count(), range.len(), "{text}");
                last = range.end;
            }
        }
    }
}
