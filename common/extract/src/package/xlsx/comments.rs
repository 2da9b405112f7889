//! Comments on cells, of the older kind and in threads.

use std::collections::BTreeSet;

use precis_text::Leaf;

use super::super::markup::{Markup, walk};
use super::place::{CellPlace, place};
use super::rich_text::RichText;
use precis_proto::BlockKind;

/// A comment, and the cell it is about.
#[derive(Debug)]
pub(super) struct CellComment {
    pub(super) place: CellPlace,
    /// The cell as the sheet names it.
    reference: String,
    text: RichText,
}

impl CellComment {
    /// The comment as a note with the cell as its mark; `None` if it has no words.
    pub(super) fn note(&self) -> Option<Leaf> {
        let words = self.text.words();
        let marker = Some(self.reference.clone());
        (!words.text.is_empty()).then(|| Leaf { marker, ..Leaf::new(BlockKind::Footnote, words.text) })
    }
}

/// The comments in the parts of a sheet, threads first: a comment of the older kind on the same cell only repeats its thread.
pub(super) fn read(threads: &[Vec<u8>], older: &[Vec<u8>]) -> Vec<CellComment> {
    let mut all: Vec<CellComment> = threads.iter().flat_map(|part| of_part(part, "threadedComment")).collect();
    let threaded: BTreeSet<CellPlace> = all.iter().map(|comment| comment.place).collect();
    let older = older.iter().flat_map(|part| of_part(part, "comment"));
    all.extend(older.filter(|comment| !threaded.contains(&comment.place)));
    all.sort_by_key(|comment| comment.place);
    all
}

fn of_part(part: &[u8], name: &str) -> Vec<CellComment> {
    let (mut all, mut open) = (Vec::new(), None::<CellComment>);
    walk(part, |event| match &event {
        Markup::Open(element) if element.name == name => {
            let reference = element.attribute("ref").unwrap_or_default();
            open = place(&reference).map(|place| CellComment { place, reference, text: RichText::default() });
        }
        Markup::Close(closed) if closed == name => all.extend(open.take()),
        event => {
            let Some(comment) = &mut open else { return };
            match event {
                // Threads have plain text.
                Markup::Open(element) if element.name == "text" && name == "threadedComment" => comment.text.open(),
                Markup::Close(closed) if closed == "text" => comment.text.close(),
                event => comment.text.take(event),
            }
        }
    });
    all
}
