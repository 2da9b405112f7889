//! The words in quotation marks of a text, and whether they occur in another.

use precis_language::script::is_unspaced;

/// Least words of a quotation; shorter ones are names and figures of speech.
const LEAST_WORDS: usize = 4;
/// Characters of a script without spaces that count as a word. Chosen.
const CHARS_A_WORD: usize = 2;
/// Opening marks with the marks that may close them. A straight mark closes itself.
const PAIRS: [(char, &[char]); 9] = [
    ('“', &['”', '“']),
    ('„', &['“', '”']),
    ('«', &['»']),
    ('»', &['«']),
    ('‹', &['›']),
    ('「', &['」']),
    ('『', &['』']),
    ('"', &['"']),
    ('‘', &['’']),
];
/// Marks of an omission in a quotation.
const GAPS: [&str; 6] = ["[…]", "[...]", "(…)", "(...)", "…", "..."];

/// A quotation of four words or more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Quotation {
    /// Its words.
    pub(crate) text: String,
}

/// The quotations of `text`, in order and not nested. A quotation that is never closed reaches to the end of the text, unless its mark
/// is straight, which may stand for inches, or single, which may be an apostrophe.
pub(crate) fn quotations(text: &str) -> Vec<Quotation> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((start, open)) =
        text[at..].char_indices().find(|(_, c)| closers(*c).is_some()).map(|(n, c)| (at + n, c))
    {
        let inside = start + open.len_utf8();
        let closes = closers(open).unwrap_or_default();
        let end = match text[inside..].find(closes) {
            Some(end) => inside + end,
            None if matches!(open, '"' | '‘') => {
                at = inside;
                continue;
            }
            None => text.len(),
        };
        let words = &text[inside..end];
        at = end + text[end..].chars().next().map_or(0, char::len_utf8);
        if count_words(words) >= LEAST_WORDS {
            found.push(Quotation { text: words.split_whitespace().collect::<Vec<_>>().join(" ") });
        }
    }
    found
}

fn closers(open: char) -> Option<&'static [char]> {
    PAIRS.iter().find(|(c, _)| *c == open).map(|(_, closes)| *closes)
}

fn count_words(text: &str) -> usize {
    let spaced = text.split_whitespace().filter(|word| word.chars().any(|c| c.is_alphanumeric() && !is_unspaced(c)));
    spaced.count() + text.chars().filter(|c| is_unspaced(*c)).count() / CHARS_A_WORD
}

/// Whether the pieces of `quotation`, split at its omission marks, occur in one of `texts` in the same order. Case, white space, the shape
/// of quotation marks and dashes, and punctuation at the ends are ignored.
pub(crate) fn stands_in(quotation: &str, texts: &[&str]) -> bool {
    let mut pieces = vec![quotation.to_owned()];
    for gap in GAPS {
        pieces = pieces.iter().flat_map(|piece| piece.split(gap)).map(str::to_owned).collect();
    }
    let pieces: Vec<String> = pieces.iter().map(|piece| plain(piece)).filter(|piece| !piece.is_empty()).collect();
    texts.iter().any(|text| {
        let (text, mut from) = (plain(text), 0);
        pieces.iter().all(|piece| match text[from..].find(piece.as_str()) {
            Some(at) => {
                from += at + piece.len();
                true
            }
            None => false,
        })
    })
}

fn plain(text: &str) -> String {
    let alike = |c: char| match c {
        '“' | '”' | '„' | '«' | '»' | '「' | '」' => '"',
        '‘' | '’' | '‚' | '‹' | '›' => '\'',
        '‐'..='―' | '−' => '-',
        c => c,
    };
    let text: String = text.chars().filter(|c| !precis_text::is_invisible(*c)).map(alike).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    text.trim_matches(|c: char| c.is_whitespace() || ".,;:!?。，；：！？\"'".contains(c)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        quotations(text).into_iter().map(|q| q.text).collect()
    }

    #[test]
    fn quotations_are_found_in_all_usual_marks_from_four_words_on() {
        let none: &[&str] = &[];
        let table: &[(&str, &[&str])] = &[
            ("“one two three”", none),
            ("“one two three four”", &["one two three four"]),
            ("„eins zwei drei vier“ und „fünf“", &["eins zwei drei vier"]),
            ("»eins zwei drei vier«", &["eins zwei drei vier"]),
            ("« un deux trois quatre »", &["un deux trois quatre"]),
            ("\"a b c d\" and \"e f g h\"", &["a b c d", "e f g h"]),
            ("‘a b c d’", &["a b c d"]),
            ("it’s the buyer’s and the seller’s part", none),
            ("a 5\" pipe of the usual kind", none),
            ("“it goes on and on", &["it goes on and on"]),
            ("「供应商不支付任何费用」", &["供应商不支付任何费用"]),
            ("「供应商付」", none),
            ("“ - - - - ”", none),
            ("", none),
        ];
        for (text, want) in table {
            assert_eq!(found(text), *want, "{text}");
        }
    }

    #[test]
    fn a_quotation_is_found_word_for_word_in_any_layout() {
        let text = "The “buyer” pays – for each delay – 1 percent of the price.";
        for (quotation, stands) in [
            ("the buyer pays", false),
            ("the 'buyer' pays", false),
            ("The \"buyer\" pays", true),
            ("pays - for each delay -", true),
            ("1 percent  of the price!", true),
            ("pays … 1 percent of the price", true),
            ("pays [...] of the price", true),
            ("1 percent of the price … pays", false),
            ("pays for each delay", false),
            ("2 percent of the price", false),
        ] {
            assert_eq!(stands_in(quotation, &["unrelated", text]), stands, "{quotation}");
        }
        assert!(!stands_in("one two", &["one", "two"]), "not from two quotes together");
        assert!(!stands_in("one two", &[]));
    }
}
