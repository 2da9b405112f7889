//! The faults a report can have, each described in one precise line.

mod told;

use precis_context::digest::DigestFault;
use precis_proto::claim::{Done, Verdict};
use precis_proto::fidelity::FidelityLevel;
use precis_proto::{FieldPlace, Locator, Recognition, SourceId};

use crate::ledger::{LedgerFault, PhaseVisit};

/// A statement of the report that does not match the archive or the report's other data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch {
    /// The document is not a Precis response.
    Unreadable {
        /// The parser's message.
        message: String,
    },
    /// The envelope has an unsupported version.
    Version {
        /// The version it states.
        found: String,
    },
    /// The response states a failure, or contains no report.
    NoReport,
    /// A text that the report is based on is not in the archive.
    NotArchived {
        /// Name of the file.
        hex: String,
    },
    /// The bytes of an archived text do not match the hash in its name.
    TextHash {
        /// Name of the file.
        hex: String,
        /// Hash of its bytes.
        actual: String,
    },
    /// A citation's text hash differs from that of its source.
    CitationSource {
        /// The citation.
        n: u32,
        /// The source it names.
        source_id: SourceId,
    },
    /// A locator names no characters of the archived text.
    NoPlace {
        /// The citation.
        n: u32,
        /// The locator of its quote.
        locator: Locator,
    },
    /// The archived text differs from the quote.
    Text {
        /// The citation.
        n: u32,
        /// The locator of its quote.
        locator: Locator,
        /// An excerpt of the archived text around the first difference.
        archived: String,
        /// An excerpt of the quote in the report.
        reported: String,
    },
    /// Words that a citation gives as its answer are not among its words.
    AnswerOutside {
        /// The citation.
        n: u32,
        /// The locator of these words.
        locator: Locator,
    },
    /// A quote stands without words of its text that turn its meaning.
    WithoutLeadIn {
        /// The citation.
        n: u32,
        /// The locator of its quote.
        locator: Locator,
        /// An excerpt of what is missing.
        missing: String,
    },
    /// A head of a column does not stand in front of a cell of the quote.
    NotAtCell {
        /// The citation.
        n: u32,
        /// The locator of the head.
        locator: Locator,
    },
    /// A computed answer does not follow from its cells, or they are not of its source.
    Computed {
        /// Which of the computed answers, from 1.
        n: usize,
    },
    /// The archived text has other characters where a cell of a computed answer should be.
    ComputedCell {
        /// Which of the computed answers, from 1.
        n: usize,
        /// The locator of the cell.
        locator: Locator,
    },
    /// A heading that a citation names is not above its quote.
    HeadingNotAbove {
        /// The citation.
        n: u32,
        /// The locator of its quote.
        locator: Locator,
        /// The heading.
        heading: String,
    },
    /// A citation does not say that its quote is a field outside of the text, says so of text, or names another place.
    FieldPlace {
        /// The citation.
        n: u32,
        /// The locator of its quote.
        locator: Locator,
        /// Where the document has it; `None` for its text.
        archived: Option<FieldPlace>,
    },
    /// A citation does not say that its quote was recognized in a picture, says so of other text, or names another program or picture.
    Recognized {
        /// The citation.
        n: u32,
        /// The locator of its quote.
        locator: Locator,
        /// What recognized it; `None` for text that the document has.
        archived: Option<Box<Recognition>>,
    },
    /// The lines of quoted code are not those of the archived text.
    CodeLines {
        /// The citation.
        n: u32,
        /// The locator of the code.
        locator: Locator,
    },
    /// A number in the report has no citation.
    NoCitation {
        /// The number.
        n: u32,
    },
    /// A citation is not used in the report.
    Unused {
        /// The citation.
        n: u32,
    },
    /// Citations are not numbered 1, 2, 3 and so on.
    Numbering {
        /// The number found.
        n: u32,
        /// The number expected.
        want: u32,
    },
    /// The ledger does not add up.
    Ledger(LedgerFault),
    /// The archived hash of a source differs from the one in its row.
    SourceHash {
        /// The source.
        source_id: SourceId,
        /// The hash in its row.
        said: Option<String>,
        /// The hash in the list of archived texts.
        archived: String,
    },
    /// No record states what a phase did to a source.
    Unaccounted {
        /// The source.
        source_id: SourceId,
        /// The phase.
        phase: PhaseVisit,
    },
    /// A record is impossible.
    Record {
        /// The item of the record.
        source_id: SourceId,
        /// The phase of the record.
        phase: PhaseVisit,
        /// The fault.
        fault: RecordFault,
    },
    /// An id is listed as dropped, but no record drops it.
    ListedDropped {
        /// The id.
        source_id: SourceId,
    },
    /// A source was dropped or could not be read, but is not listed as dropped.
    UnlistedDropped {
        /// The source.
        source_id: SourceId,
    },
    /// The report has no seal, although its version writes one.
    NoSeal,
    /// The seal differs from that of the data.
    Seal {
        /// The seal in the report.
        said: String,
        /// The seal of its data.
        actual: String,
    },
    /// A statement of the built-in model differs from a quote behind it.
    Statement {
        /// The citation of that quote.
        n: u32,
        /// An excerpt of that quote around the first difference.
        quote: String,
        /// An excerpt of the statement in the report.
        reported: String,
    },
    /// A sentence without a citation, which the built-in model cannot have written.
    Uncited {
        /// The start of the sentence.
        sentence: String,
    },
    /// A quote spans more than one block.
    CrossesBlock {
        /// The citation.
        n: u32,
        /// The locator of its quote.
        locator: Locator,
    },
    /// A quote starts in the middle of a sentence of its block.
    StartsInside {
        /// The citation.
        n: u32,
        /// The locator of its quote.
        locator: Locator,
        /// The last characters before it.
        before: String,
    },
    /// A comparison, timeline, disagreement or answer line does not follow from the question and the citations.
    Derived {
        /// Name of the field of `data`.
        field: &'static str,
    },
    /// The counts of the statements differ from the claims.
    Evaluation {
        /// The count, the value stated and the value that follows from the claims.
        what: String,
    },
    /// The digest of a source is malformed, belongs to another text, or quotes words that do not occur in the text.
    Digest {
        /// The source.
        source_id: SourceId,
        /// The fault.
        fault: DigestFault,
    },
    /// A removed or corrected statement is still in the report.
    Standing {
        /// What was done to it.
        done: Done,
        /// The start of the statement.
        text: String,
    },
    /// A statement that its quotes do not support has no mark.
    Unmarked {
        /// The verdict on it.
        verdict: Verdict,
        /// The start of the statement.
        text: String,
    },
    /// The sentence that a verdict rests on differs from the archived text.
    RestsOn {
        /// The locator of the sentence.
        locator: Locator,
        /// The start of the statement.
        text: String,
    },
    /// A statement with several citations whose list of what each supports lacks this one, or says of it what does not hold.
    Unlisted {
        /// The citation.
        n: u32,
        /// The start of the statement.
        text: String,
    },
    /// The numbers of a research do not add up.
    Research {
        /// Name of the number.
        what: String,
        /// The value stated.
        said: u32,
        /// The value that the other numbers add up to.
        sum: u32,
    },
    /// A file next to the report differs from what its data renders to.
    Rendering {
        /// Name of the file.
        name: String,
        /// The first line that differs, from 1.
        line: usize,
    },
}

/// Why a record is impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RecordFault {
    /// Its tokens before the phase differ from those left by the phase before.
    #[error("starts with {before} tokens, but the phase before left {left}")]
    Gap {
        /// Tokens before the phase, as recorded.
        before: u64,
        /// Tokens left by the phase before.
        left: u64,
    },
    /// More tokens left the phase than entered it.
    #[error("kept {after} of {before} tokens")]
    Grown {
        /// Tokens before the phase.
        before: u64,
        /// Tokens after the phase.
        after: u64,
    },
    /// It was dropped, but tokens of it were kept.
    #[error("was dropped, but tokens were kept: {after}")]
    KeptDropped {
        /// Tokens after the phase.
        after: u64,
    },
    /// It is filed with records of another pass, or its pass occurs twice.
    #[error("is filed with the records of another pass")]
    OtherPass,
    /// It has a record after the one that dropped it.
    #[error("has a record after it was dropped")]
    AfterDropped,
    /// Its level is higher than after the phase before.
    #[error("is {} again after it was {}", now.as_str(), earlier.as_str())]
    Risen {
        /// Its level.
        now: FidelityLevel,
        /// The level before.
        earlier: FidelityLevel,
    },
    /// Extraction can only keep, truncate or drop.
    #[error("has level {}, which extraction never assigns", level.as_str())]
    NotOfExtraction {
        /// Its level.
        level: FidelityLevel,
    },
    /// Its token count differs from that of the text.
    #[error("left {after} tokens, but its text has {tokens}")]
    OtherText {
        /// Tokens after the phase, as recorded.
        after: u64,
        /// Tokens of the text, as stated in the source's row.
        tokens: u64,
    },
}

/// The kinds of [`Mismatch`], without their details.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the variants of [`Mismatch`]")]
pub enum MismatchKind {
    Unreadable,
    Version,
    NoReport,
    NotArchived,
    TextHash,
    CitationSource,
    NoPlace,
    Text,
    AnswerOutside,
    WithoutLeadIn,
    NotAtCell,
    Computed,
    ComputedCell,
    HeadingNotAbove,
    FieldPlace,
    Recognized,
    CodeLines,
    NoCitation,
    Unused,
    Numbering,
    Ledger,
    SourceHash,
    Unaccounted,
    Record,
    ListedDropped,
    UnlistedDropped,
    NoSeal,
    Seal,
    Statement,
    Uncited,
    CrossesBlock,
    StartsInside,
    Derived,
    Evaluation,
    Digest,
    Standing,
    Unmarked,
    RestsOn,
    Unlisted,
    Research,
    Rendering,
}

impl Mismatch {
    /// The kind of this mismatch.
    #[must_use]
    pub fn kind(&self) -> MismatchKind {
        match self {
            Self::Unreadable { .. } => MismatchKind::Unreadable,
            Self::Version { .. } => MismatchKind::Version,
            Self::NoReport => MismatchKind::NoReport,
            Self::NotArchived { .. } => MismatchKind::NotArchived,
            Self::TextHash { .. } => MismatchKind::TextHash,
            Self::CitationSource { .. } => MismatchKind::CitationSource,
            Self::NoPlace { .. } => MismatchKind::NoPlace,
            Self::Text { .. } => MismatchKind::Text,
            Self::AnswerOutside { .. } => MismatchKind::AnswerOutside,
            Self::WithoutLeadIn { .. } => MismatchKind::WithoutLeadIn,
            Self::NotAtCell { .. } => MismatchKind::NotAtCell,
            Self::Computed { .. } => MismatchKind::Computed,
            Self::ComputedCell { .. } => MismatchKind::ComputedCell,
            Self::HeadingNotAbove { .. } => MismatchKind::HeadingNotAbove,
            Self::FieldPlace { .. } => MismatchKind::FieldPlace,
            Self::Recognized { .. } => MismatchKind::Recognized,
            Self::CodeLines { .. } => MismatchKind::CodeLines,
            Self::NoCitation { .. } => MismatchKind::NoCitation,
            Self::Unused { .. } => MismatchKind::Unused,
            Self::Numbering { .. } => MismatchKind::Numbering,
            Self::Ledger(_) => MismatchKind::Ledger,
            Self::SourceHash { .. } => MismatchKind::SourceHash,
            Self::Unaccounted { .. } => MismatchKind::Unaccounted,
            Self::Record { .. } => MismatchKind::Record,
            Self::ListedDropped { .. } => MismatchKind::ListedDropped,
            Self::UnlistedDropped { .. } => MismatchKind::UnlistedDropped,
            Self::NoSeal => MismatchKind::NoSeal,
            Self::Seal { .. } => MismatchKind::Seal,
            Self::Statement { .. } => MismatchKind::Statement,
            Self::Uncited { .. } => MismatchKind::Uncited,
            Self::CrossesBlock { .. } => MismatchKind::CrossesBlock,
            Self::StartsInside { .. } => MismatchKind::StartsInside,
            Self::Derived { .. } => MismatchKind::Derived,
            Self::Evaluation { .. } => MismatchKind::Evaluation,
            Self::Digest { .. } => MismatchKind::Digest,
            Self::Standing { .. } => MismatchKind::Standing,
            Self::Unmarked { .. } => MismatchKind::Unmarked,
            Self::RestsOn { .. } => MismatchKind::RestsOn,
            Self::Unlisted { .. } => MismatchKind::Unlisted,
            Self::Research { .. } => MismatchKind::Research,
            Self::Rendering { .. } => MismatchKind::Rendering,
        }
    }
}
