//! The faults a report can have, each described in one precise line.

mod kind;
mod record_fault;

use precis_context::digest::DigestFault;
use precis_proto::claim::{Done, Verdict};
use precis_proto::response::RESPONSE_VERSION;
use precis_proto::{FieldPlace, Locator, Recognition, SourceId};

pub use kind::MismatchKind;
pub use record_fault::RecordFault;

use crate::ledger::{LedgerFault, PhaseVisit};

/// A statement of the report that does not match the archive or the report's other data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// The document is not a Precis response.
    #[error("the file is not a report: {message}")]
    Unreadable {
        /// The parser's message.
        message: String,
    },
    /// The envelope has an unsupported version.
    #[error("meta.version is {found:?}, not \"{RESPONSE_VERSION}\"")]
    Version {
        /// The version it states.
        found: String,
    },
    /// The response states a failure, or contains no report.
    #[error("the response contains no report")]
    NoReport,
    /// A text that the report is based on is not in the archive.
    #[error("archived text {hex} is not in the archive")]
    NotArchived {
        /// Name of the file.
        hex: String,
    },
    /// The bytes of an archived text do not match the hash in its name.
    #[error("archived text {hex}: its bytes hash to {actual}")]
    TextHash {
        /// Name of the file.
        hex: String,
        /// Hash of its bytes.
        actual: String,
    },
    /// A citation's text hash differs from that of its source.
    #[error("citation {n}: its text hash differs from that of source {:?}", source_id.as_str())]
    CitationSource {
        /// The citation.
        n: u32,
        /// The source it names.
        source_id: SourceId,
    },
    /// A locator names no characters of the archived text.
    #[error("citation {n} {locator}: the archived text has no such place")]
    NoPlace {
        /// The citation.
        n: u32,
        /// The locator of its quote.
        locator: Locator,
    },
    /// The archived text differs from the quote.
    #[error("citation {n} {locator}: archived text reads \"{archived}\", but the report says \"{reported}\"")]
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
    #[error("citation {n}: the answer {locator} is not within its quote or the context of it")]
    AnswerOutside {
        /// The citation.
        n: u32,
        /// The locator of these words.
        locator: Locator,
    },
    /// A quote stands without words of its text that turn its meaning.
    #[error("citation {n} {locator}: the quote stands without \"{missing}\", which turns its meaning")]
    WithoutLeadIn {
        /// The citation.
        n: u32,
        /// The locator of its quote.
        locator: Locator,
        /// An excerpt of what is missing.
        missing: String,
    },
    /// A head of a column does not stand in front of a cell of the quote.
    #[error("citation {n}: the head of a column {locator} does not stand in front of a cell of the quote")]
    NotAtCell {
        /// The citation.
        n: u32,
        /// The locator of the head.
        locator: Locator,
    },
    /// A computed answer does not follow from its cells, or they are not of its source.
    #[error("computed answer {n}: it does not follow from the cells it rests on")]
    Computed {
        /// Which of the computed answers, from 1.
        n: usize,
    },
    /// The archived text has other characters where a cell of a computed answer should be.
    #[error("computed answer {n} {locator}: the archived text has no such cell there")]
    ComputedCell {
        /// Which of the computed answers, from 1.
        n: usize,
        /// The locator of the cell.
        locator: Locator,
    },
    /// A heading that a citation names is not above its quote.
    #[error("citation {n} {locator}: the archived text has no heading {heading:?} above it")]
    HeadingNotAbove {
        /// The citation.
        n: u32,
        /// The locator of its quote.
        locator: Locator,
        /// The heading.
        heading: String,
    },
    /// A citation does not say that its quote is a field outside of the text, says so of text, or names another place.
    #[error("citation {n} {locator}: the quote is {}, which the citation does not say", field_place(*archived))]
    FieldPlace {
        /// The citation.
        n: u32,
        /// The locator of its quote.
        locator: Locator,
        /// Where the document has it; `None` for its text.
        archived: Option<FieldPlace>,
    },
    /// A citation does not say that its quote was recognized in a picture, says so of other text, or names another program or picture.
    #[error("citation {n} {locator}: the quote {}, which the citation does not say", recognition(archived.as_deref()))]
    Recognized {
        /// The citation.
        n: u32,
        /// The locator of its quote.
        locator: Locator,
        /// What recognized it; `None` for text that the document has.
        archived: Option<Box<Recognition>>,
    },
    /// The lines of quoted code are not those of the archived text.
    #[error("citation {n} {locator}: the lines of the quoted code are not those of the archived text")]
    CodeLines {
        /// The citation.
        n: u32,
        /// The locator of the code.
        locator: Locator,
    },
    /// A number in the report has no citation.
    #[error("the report cites [{n}], which is not among its citations")]
    NoCitation {
        /// The number.
        n: u32,
    },
    /// A citation is not used in the report.
    #[error("citation {n}: not used in the report")]
    Unused {
        /// The citation.
        n: u32,
    },
    /// Citations are not numbered 1, 2, 3 and so on.
    #[error("found citation {n}, expected {want}")]
    Numbering {
        /// The number found.
        n: u32,
        /// The number expected.
        want: u32,
    },
    /// The ledger does not add up.
    #[error("{0}")]
    Ledger(LedgerFault),
    /// The archived hash of a source differs from the one in its row.
    #[error("source {:?}: its row states {}, the list of archived texts {archived}", source_id.as_str(), said.as_deref().unwrap_or("no hash"))]
    SourceHash {
        /// The source.
        source_id: SourceId,
        /// The hash in its row.
        said: Option<String>,
        /// The hash in the list of archived texts.
        archived: String,
    },
    /// No record states what a phase did to a source.
    #[error("source {:?}: no record of what {phase} did to it", source_id.as_str())]
    Unaccounted {
        /// The source.
        source_id: SourceId,
        /// The phase.
        phase: PhaseVisit,
    },
    /// A record is impossible.
    #[error("record of {phase} for {:?}: it {fault}", source_id.as_str())]
    Record {
        /// The item of the record.
        source_id: SourceId,
        /// The phase of the record.
        phase: PhaseVisit,
        /// The fault.
        fault: RecordFault,
    },
    /// An id is listed as dropped, but no record drops it.
    #[error("dropped_content_ids lists {:?}, but no record drops it", source_id.as_str())]
    ListedDropped {
        /// The id.
        source_id: SourceId,
    },
    /// A source was dropped or could not be read, but is not listed as dropped.
    #[error("dropped_content_ids does not list {:?}, but it was dropped", source_id.as_str())]
    UnlistedDropped {
        /// The source.
        source_id: SourceId,
    },
    /// The report has no seal, although its version writes one.
    #[error("the report has no seal")]
    NoSeal,
    /// The seal differs from that of the data.
    #[error("the seal is {said:?}, but the data seals to {actual:?}")]
    Seal {
        /// The seal in the report.
        said: String,
        /// The seal of its data.
        actual: String,
    },
    /// A statement of the built-in model differs from a quote behind it.
    #[error("statement of [{n}]: its quote reads \"{quote}\", but the report says \"{reported}\"")]
    Statement {
        /// The citation of that quote.
        n: u32,
        /// An excerpt of that quote around the first difference.
        quote: String,
        /// An excerpt of the statement in the report.
        reported: String,
    },
    /// A sentence without a citation, which the built-in model cannot have written.
    #[error("no citation follows \"{sentence}\"")]
    Uncited {
        /// The start of the sentence.
        sentence: String,
    },
    /// A quote spans more than one block.
    #[error("citation {n} {locator}: the quote runs past the end of its paragraph, item or cell")]
    CrossesBlock {
        /// The citation.
        n: u32,
        /// The locator of its quote.
        locator: Locator,
    },
    /// A quote starts in the middle of a sentence of its block.
    #[error("citation {n} {locator}: the quote starts inside a sentence, behind \"{before}\"")]
    StartsInside {
        /// The citation.
        n: u32,
        /// The locator of its quote.
        locator: Locator,
        /// The last characters before it.
        before: String,
    },
    /// A comparison, timeline, disagreement or answer line does not follow from the question and the citations.
    #[error("{field} does not follow from the question and the citations")]
    Derived {
        /// Name of the field of `data`.
        field: &'static str,
    },
    /// The counts of the statements differ from the claims.
    #[error("evaluation: {what}")]
    Evaluation {
        /// The count, the value stated and the value that follows from the claims.
        what: String,
    },
    /// The digest of a source is malformed, belongs to another text, or quotes words that do not occur in the text.
    #[error("digest of {:?}: {fault}", source_id.as_str())]
    Digest {
        /// The source.
        source_id: SourceId,
        /// The fault.
        fault: DigestFault,
    },
    /// A removed or corrected statement is still in the report.
    #[error("a statement that was {done} is still in the report: \"{text}\"")]
    Standing {
        /// What was done to it.
        done: Done,
        /// The start of the statement.
        text: String,
    },
    /// A statement that its quotes do not support has no mark.
    #[error("a statement that is {verdict} has no mark: \"{text}\"")]
    Unmarked {
        /// The verdict on it.
        verdict: Verdict,
        /// The start of the statement.
        text: String,
    },
    /// The sentence that a verdict rests on differs from the archived text.
    #[error("the verdict on \"{text}\" rests on {locator}, but the archived text differs there")]
    RestsOn {
        /// The locator of the sentence.
        locator: Locator,
        /// The start of the statement.
        text: String,
    },
    /// A statement with several citations whose list of what each supports lacks this one, or says of it what does not hold.
    #[error("the statement \"{text}\" cites [{n}], but the list of its quotes does not tell what that supports")]
    Unlisted {
        /// The citation.
        n: u32,
        /// The start of the statement.
        text: String,
    },
    /// The numbers of a research do not add up.
    #[error("research: {what} is {said}, but the other numbers add up to {sum}")]
    Research {
        /// Name of the number.
        what: String,
        /// The value stated.
        said: u32,
        /// The value that the other numbers add up to.
        sum: u32,
    },
    /// A file next to the report differs from what its data renders to.
    #[error("{name}: line {line} differs from what report.json renders to")]
    Rendering {
        /// Name of the file.
        name: String,
        /// The first line that differs, from 1.
        line: usize,
    },
}

/// Where the document has a quote.
fn field_place(place: Option<FieldPlace>) -> &'static str {
    match place {
        Some(FieldPlace::Properties) => "in the properties of its file",
        Some(FieldPlace::Metadata) => "in the metadata of its page",
        Some(FieldPlace::FrontMatter) | None => "in the text of its document",
    }
}

/// What a quote is by the one that recognized it.
fn recognition(by: Option<&Recognition>) -> String {
    match by {
        Some(by) => format!("was recognized in a picture by {:?}", by.engine),
        None => "is text that its document has".to_owned(),
    }
}
