//! Documents inside a document: what a reader gets of them, and how many of them, how deep and how long.

use precis_proto::{Block, BlockKind, CodeLine, DocumentFormat, FieldPlace};
use precis_text::{CanonicalText, Leaf};

use super::limits::ExtractLimits;

/// Most documents inside documents that may lie within each other: the attachment of a message that is attached to a message.
pub(crate) const MAX_DEPTH: usize = 3;
/// Most documents read inside one document, on all levels together. Chosen: each may unpack to 64 MiB, and the time of a child process
/// ends.
pub(crate) const MAX_DOCUMENTS: usize = 50;

/// The text of a document inside another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AttachedText {
    pub(crate) format: DocumentFormat,
    /// Its text, each leaf normalized.
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) remarks: Vec<String>,
    /// Characters that the limits left out.
    pub(crate) chars_cut: u64,
}

/// Why a document inside another one gives no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It is not of a format that is read, or has no text: that it is listed says enough.
    OtherFormat,
    /// It is of such a format and yet not read, for this reason.
    Unread(String),
}

/// What documents inside a document may still take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AttachmentBudget {
    depth: usize,
    documents: usize,
    chars: usize,
    pages: usize,
}

impl AttachmentBudget {
    /// The budget of a document that is in no other one. All documents inside it share its limits.
    pub(crate) fn new(limits: &ExtractLimits) -> Self {
        Self { depth: 0, documents: MAX_DOCUMENTS, chars: limits.max_chars, pages: limits.max_pages }
    }

    /// Goes one level deeper, for one document more. To be ended by [`AttachmentBudget::close`].
    ///
    /// # Errors
    /// [`Refusal::Unread`], if a limit is reached.
    pub(crate) fn open(&mut self, limits: &ExtractLimits) -> Result<ExtractLimits, Refusal> {
        let refuse = |reason: String| Err(Refusal::Unread(reason));
        if self.depth == MAX_DEPTH {
            return refuse(format!("not read, since it lies more than {MAX_DEPTH} levels deep"));
        }
        if self.documents == 0 {
            return refuse(format!("not read, since {MAX_DOCUMENTS} attachments are"));
        }
        if self.chars == 0 || self.pages == 0 {
            return refuse("not read, since the text is as long as the limits allow".to_owned());
        }
        (self.depth, self.documents) = (self.depth + 1, self.documents - 1);
        Ok(ExtractLimits { max_chars: self.chars, max_pages: self.pages, ..*limits })
    }

    /// Ends what [`AttachmentBudget::open`] began; `text` is what was read.
    pub(crate) fn close(&mut self, text: Option<&CanonicalText>) {
        self.depth -= 1;
        // What lies deeper has been taken off already, so that the text of both is counted twice: a bound, not a measure.
        let (chars, pages) = text.map_or((0, 0), |text| (text.chars(), text.pages().len()));
        (self.chars, self.pages) = (self.chars.saturating_sub(chars), self.pages.saturating_sub(pages));
    }
}

/// `leaf`, but what an inner document says at the top of its text is a field of a form in the outer one.
pub(crate) fn inner_field(leaf: Leaf) -> Leaf {
    match leaf.kind {
        BlockKind::Field if leaf.place == Some(FieldPlace::FrontMatter) => {
            Leaf { kind: BlockKind::FormField, place: None, ..leaf }
        }
        _ => leaf,
    }
}

/// The leaves of which `text` is made. Pages are not told apart.
pub(crate) fn leaves_of(text: &CanonicalText) -> Vec<Leaf> {
    text.blocks().iter().map(|block| leaf(text, block)).collect()
}

fn leaf(text: &CanonicalText, block: &Block) -> Leaf {
    let whole = || Leaf::new(block.kind, text.slice(block.range()));
    let cells: Vec<&str> = block.cells.iter().map(|cell| text.slice(*cell)).collect();
    let leaf = match block.table {
        Some(table) if !cells.is_empty() => Leaf::row(table, block.is_header, &cells),
        Some(_) | None => whole(),
    };
    Leaf {
        kind: block.kind,
        level: block.level,
        marker: block.marker.clone(),
        table: block.table,
        is_header: block.is_header,
        begun_before: block.begun_before,
        goes_on: block.goes_on,
        is_struck: block.is_struck,
        notes: block.notes.clone(),
        links: block.links.clone(),
        place: block.place,
        lines: block.lines.iter().map(|line| CodeLine { start: line.start - block.start, ..*line }).collect(),
        ..leaf
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_made_of_its_leaves_again() {
        let leaves = [
            Leaf { level: Some(2), ..Leaf::new(BlockKind::Heading, "On  it") },
            Leaf { marker: Some("1.".into()), level: Some(1), ..Leaf::new(BlockKind::ListItem, "é one") },
            Leaf::row(1, true, &["a", "", "b c"]),
            Leaf::row(1, false, &["", "ü", ""]),
            Leaf { goes_on: true, ..Leaf::new(BlockKind::Paragraph, "and") },
        ];
        let text = CanonicalText::from_leaves(&leaves);
        assert_eq!(CanonicalText::from_leaves(&leaves_of(&text)), text);
        assert_eq!(leaves_of(&CanonicalText::from_leaf_pages(&[leaves.to_vec(), leaves.to_vec()])).len(), 10);
    }

    #[test]
    fn documents_inside_a_document_are_bounded_in_depth_number_and_length() {
        let limits = ExtractLimits { max_bytes: 10, max_chars: 3, max_pages: 2 };
        for (deep, is_read) in [(MAX_DEPTH - 1, true), (MAX_DEPTH, true), (MAX_DEPTH + 1, false)] {
            let mut budget = AttachmentBudget::new(&limits);
            assert_eq!((0..deep).all(|_| budget.open(&limits).is_ok()), is_read, "{deep}");
        }
        for (many, is_read) in [(MAX_DOCUMENTS - 1, true), (MAX_DOCUMENTS, true), (MAX_DOCUMENTS + 1, false)] {
            let mut budget = AttachmentBudget::new(&limits);
            let mut opens = || budget.open(&limits).map(|_| budget.close(None)).is_ok();
            assert_eq!((0..many).all(|_| opens()), is_read, "{many}");
        }
        for (chars, left) in [(2, Some(1)), (3, None), (4, None)] {
            let mut budget = AttachmentBudget::new(&limits);
            budget.open(&limits).expect("the first");
            budget.close(Some(&CanonicalText::from_plain(&"x".repeat(chars))));
            assert_eq!(budget.open(&limits).ok().map(|limits| limits.max_chars), left, "{chars}");
        }
    }
}
