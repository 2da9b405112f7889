//! Marks leaves whose sentence is cut by the end of a column or page: those that end inside a sentence, and those that begin inside one.
//!
//! Columns of one page are joined if the page shows that they continue (`flow`). The remaining cuts cannot be joined, because a leaf lies
//! on one page, or must not be, because the page is ambiguous. In both cases half a sentence must not be quoted.

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::paragraphs::{Paragraph, ends_sentence};

/// Tracks whether a sentence is unfinished, from leaf to leaf of a document in reading order.
#[derive(Debug, Default)]
pub(super) struct SentenceState {
    is_open: bool,
}

impl SentenceState {
    /// Sets on `leaf`, which was made of `paragraph`, whether it begins or ends inside a sentence.
    pub(super) fn mark(&mut self, leaf: &mut Leaf, paragraph: &Paragraph) {
        match leaf.kind {
            BlockKind::Paragraph | BlockKind::ListItem | BlockKind::Quotation => {}
            // These often stand between the parts of a sentence.
            BlockKind::Footnote | BlockKind::Caption | BlockKind::Furniture | BlockKind::TableRow => return,
            BlockKind::Heading | BlockKind::Code | BlockKind::FormField | BlockKind::Field | BlockKind::Reference => {
                self.is_open = false;
                return;
            }
        }
        let text = leaf.text.trim();
        let ended = ends_sentence(text) || text.ends_with([':', ';']);
        let goes_on_from_before = paragraph.begins_column && text.starts_with(char::is_lowercase);
        // An isolated line that ends nothing, such as a title at the top of a page, does not affect the unfinished sentence.
        let is_label = paragraph.lines.len() == 1 && !ended && !goes_on_from_before;
        if is_label && self.is_open {
            return;
        }
        leaf.begun_before = leaf.marker.is_none() && (self.is_open || goes_on_from_before);
        let runs = paragraph.lines.len() > 1 || leaf.begun_before || paragraph.ends_column;
        let breaks_off = (paragraph.is_full || text.ends_with(['-', ','])) && text.contains(' ');
        leaf.goes_on = !ended && runs && breaks_off;
        self.is_open = leaf.goes_on;
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::Line;
    use super::*;

    /// Kind, lines, whether the last one is full; then whether it begins and ends inside a sentence.
    type CutCase = (BlockKind, &'static [&'static str], bool, (bool, bool));

    fn marked(cases: &[CutCase]) -> Vec<(bool, bool)> {
        let mut cut = SentenceState::default();
        let line = |text: &&str| Line {
            text: (*text).into(),
            u0: 0.0,
            u1: 100.0,
            v: 0.0,
            em: 10.0,
            head: 10.0,
            ends: [10.0; 2],
            ..Line::default()
        };
        let mark = |(kind, lines, is_full, _): &CutCase| {
            let paragraph = Paragraph {
                lines: lines.iter().map(line).collect(),
                is_full: *is_full,
                begins_column: true,
                ends_column: true,
            };
            let mut leaf = Leaf::new(*kind, lines.join(" "));
            cut.mark(&mut leaf, &paragraph);
            (leaf.begun_before, leaf.goes_on)
        };
        cases.iter().map(mark).collect()
    }

    #[test]
    fn half_a_sentence_is_known_on_both_sides_of_a_border() {
        use BlockKind::{Footnote, Heading, Paragraph};
        let table: [&[CutCase]; 5] = [
            &[
                (Paragraph, &["The first page ends", "with: the agency may"], true, (false, true)),
                (Footnote, &["1 A note."], false, (false, false)),
                (Paragraph, &["Not exclude a proposal.", "More."], false, (true, false)),
            ],
            &[
                (Paragraph, &["It crashed after takeoff", "from the town of Soekarno-"], false, (false, true)),
                (Paragraph, &["Annual report"], false, (false, false)),
                (Paragraph, &["Hatta Airport in", "Jakarta."], false, (true, false)),
            ],
            &[
                (Paragraph, &["A title of two lines that", "ends early"], false, (false, false)),
                (Paragraph, &["Its text begins.", "And goes on."], false, (false, false)),
            ],
            &[
                (Paragraph, &["It breaks off where the", "line is full and then"], true, (false, true)),
                (Heading, &["2 Another section"], false, (false, false)),
                (Paragraph, &["A new text begins", "here."], false, (false, false)),
            ],
            &[(Paragraph, &["not a beginning, at the", "head of a page."], false, (true, false))],
        ];
        for cases in table {
            assert_eq!(marked(cases), cases.iter().map(|case| case.3).collect::<Vec<_>>(), "{cases:?}");
        }
    }
}
