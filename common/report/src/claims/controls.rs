//! Sentences whose verdict is known, planted among those that a model judges.
//!
//! One stands word for word in the passages, the other differs from one of them in a figure. Both are chosen by their hash, so neither a
//! document nor a habit of the model decides which they are. A model that fails on them judges nothing.

use precis_proto::BlockKind;
use precis_proto::claim::Verdict;
use precis_proto::ids::sha256_hex;
use precis_text::sentences::{is_whole, of_block};

use super::open_statements::ShownPlace;
use super::settled::SourceTexts;

/// Characters of a control: long enough to say something, and short enough to be one sentence.
const CHARS: std::ops::RangeInclusive<usize> = 40..=300;
/// Most sentences that are looked at. Bounds time. Chosen, not measured.
const MOST_SENTENCES: usize = 400;

/// A sentence whose verdict is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Control {
    pub(super) text: String,
    /// Number of the piece that it is from, or was made from.
    pub(super) id: u32,
    /// Whether it stands in the passages.
    pub(super) stands: bool,
}

impl Control {
    /// Whether it is right.
    pub(super) fn stands(&self) -> bool {
        self.stands
    }

    /// Whether a model that judges gives this verdict on it.
    pub(super) fn is_passed_by(&self, verdict: Verdict) -> bool {
        match verdict {
            Verdict::Supported => self.stands,
            Verdict::Partly | Verdict::NotSupported | Verdict::Disputed => !self.stands,
            Verdict::Verbatim | Verdict::NoClaim | Verdict::NotJudged => false,
        }
    }
}

/// The controls for passages at `places`: one that stands and, if a sentence has a figure, one that differs. None if no sentence is whole.
pub(super) fn controls(places: &[ShownPlace], texts: &SourceTexts, seed: &str) -> Vec<Control> {
    let mut sentences = sentences(places, texts);
    sentences.sort_by_cached_key(|(_, sentence)| sha256_hex(format!("{seed} {sentence}").as_bytes()));
    let Some((id, text)) = sentences.first().cloned() else { return Vec::new() };
    let shown: Vec<String> =
        places.iter().filter_map(|place| Some(texts.get(&place.source_id)?.slice(place.range).to_owned())).collect();
    let is_new = |one: &Control| !shown.iter().any(|passage| passage.contains(one.text.trim_end_matches('.')));
    let others = sentences.iter().skip(1).chain(sentences.first());
    let changed = |(id, sentence): &(u32, String)| {
        with_other_figure(sentence).map(|text| Control { text, id: *id, stands: false })
    };
    let changed = others.filter_map(changed).find(is_new);
    std::iter::once(Control { text, id, stands: true }).chain(changed).collect()
}

/// The whole sentences of running text at `places`, each once, with the number of its piece.
fn sentences(places: &[ShownPlace], texts: &SourceTexts) -> Vec<(u32, String)> {
    let mut found: Vec<(u32, String)> = Vec::new();
    for place in places {
        let Some(text) = texts.get(&place.source_id) else { continue };
        let blocks = text.leaf_blocks();
        let first = blocks.partition_point(|block| block.start < place.range.start);
        for block in blocks[first..].iter().take_while(|block| block.end <= place.range.end) {
            if !matches!(block.kind, BlockKind::Paragraph | BlockKind::ListItem) {
                continue;
            }
            let words = text.slice(block.range());
            for range in of_block(words) {
                let sentence: String = words.chars().skip(range.start).take(range.len()).collect();
                let sentence = sentence.trim();
                if is_plain(sentence) && !found.iter().any(|(_, known)| known == sentence) {
                    found.push((place.id, sentence.to_owned()));
                }
                if found.len() == MOST_SENTENCES {
                    return found;
                }
            }
        }
    }
    found
}

/// Whether a sentence can be read without the document around it and without its notation.
fn is_plain(sentence: &str) -> bool {
    CHARS.contains(&sentence.chars().count())
        && is_whole(sentence)
        && !sentence.contains(['[', ']', '|', '`', '*', '_', '\\', '<', '>', '#', '{', '}'])
}

/// `sentence` with the last digit of its first plain number changed; `None` if it has none.
fn with_other_figure(sentence: &str) -> Option<String> {
    let bytes = sentence.as_bytes();
    let is_glued =
        |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b >= 0x80 || b"-.,/:'".contains(b));
    let mut at = 0;
    while at < bytes.len() {
        let end = at + bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        if end == at {
            at += 1;
            continue;
        }
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        let stop = bytes
            .get(end)
            .filter(|b| !(b".,".contains(b) && bytes.get(end + 1).is_none_or(|next| !next.is_ascii_digit())));
        if !is_glued(before) && !is_glued(stop) {
            let digit = bytes[end - 1] - b'0';
            // Three further, and never 0, so that a single digit stays a number of things.
            let other = (digit + 2) % 9 + 1;
            return Some(format!("{}{other}{}", &sentence[..end - 1], &sentence[end..]));
        }
        at = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use precis_proto::{CharRange, SourceId};
    use precis_text::CanonicalText;

    use super::*;

    fn planted(text: &str, seed: &str) -> Vec<Control> {
        let text = CanonicalText::from_plain(text);
        let source_id = SourceId::new("a").expect("an id");
        let place = ShownPlace { id: 1, source_id: source_id.clone(), range: CharRange::new(0, text.chars()) };
        controls(&[place], &SourceTexts::from([(source_id, text)]), seed)
    }

    const TEXT: &str = "The glacier of Brem lost a third of its ice in ten years. The survey was made by 14 people on foot. \
                        The winter after it was mild and had little snow.";

    #[test]
    fn one_control_is_verbatim_and_one_differs_in_a_figure() {
        for seed in 0..20 {
            let found = planted(TEXT, &seed.to_string());
            assert_eq!(found.iter().map(|one| one.stands).collect::<Vec<_>>(), [true, false]);
            assert!(TEXT.contains(&found[0].text), "{}", found[0].text);
            assert_eq!(found[1].text, "The survey was made by 17 people on foot.");
        }
        let firsts: std::collections::BTreeSet<String> =
            (0..20).map(|seed| planted(TEXT, &seed.to_string())[0].text.clone()).collect();
        assert_eq!(firsts.len(), 3, "which one it is depends on the call");
    }

    #[test]
    fn without_a_figure_there_is_one_control_and_without_a_sentence_none() {
        let plain = planted("The glacier of Brem lost a third of its ice in ten years.", "x");
        assert_eq!(plain.iter().map(|one| one.stands).collect::<Vec<_>>(), [true]);
        assert!(planted("| a | b |", "x").is_empty());
    }

    #[test]
    fn a_figure_is_changed_only_where_it_is_alone() {
        for (sentence, want) in [
            ("It is 14.", Some("It is 17.")),
            ("It has 8 rooms.", Some("It has 2 rooms.")),
            ("It is 7, or less.", Some("It is 1, or less.")),
            ("See EIP-1559 and 2.5 and 3,000.", None),
            ("None.", None),
        ] {
            assert_eq!(with_other_figure(sentence).as_deref(), want, "{sentence}");
        }
    }

    #[test]
    fn only_the_known_verdict_passes_a_control() {
        use Verdict::{Disputed, NoClaim, NotSupported, Partly, Supported};
        for (stands, verdict, passes) in [
            (true, Supported, true),
            (true, Partly, false),
            (true, NoClaim, false),
            (true, NotSupported, false),
            (false, Supported, false),
            (false, NoClaim, false),
            (false, Partly, true),
            (false, NotSupported, true),
            (false, Disputed, true),
        ] {
            let control = Control { text: String::new(), id: 1, stands };
            assert_eq!(control.is_passed_by(verdict), passes, "{stands} {verdict:?}");
        }
    }
}
