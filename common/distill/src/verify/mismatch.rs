//! What a report can be wrong about, each in one precise line.

use std::fmt;

use precis_proto::claim::{Done, Verdict};
use precis_proto::fidelity::FidelityLevel;
use precis_proto::{Locator, SourceId};

use crate::digest::DigestFault;
use crate::ledger::{LedgerFault, PhaseVisit};

/// One thing that is not as the report says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch {
    /// The document is no response of ours.
    Unreadable {
        /// What the reader stumbled over.
        message: String,
    },
    /// The envelope has another version.
    Version {
        /// The version it states.
        found: String,
    },
    /// It states a failure, or holds no report.
    NoReport,
    /// A text that the report stands on is not in the archive.
    NotArchived {
        /// Name of the file.
        hex: String,
    },
    /// An archived text is not the one it is filed as.
    TextHash {
        /// Name of the file.
        hex: String,
        /// Hash of its bytes.
        actual: String,
    },
    /// A citation's hash is not that of its source.
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
        /// Where it says that its quote stands.
        locator: Locator,
    },
    /// Other characters stand there.
    Text {
        /// The citation.
        n: u32,
        /// Where it says that its quote stands.
        locator: Locator,
        /// An excerpt of the archived text around the first difference.
        archived: String,
        /// The same of the report.
        reported: String,
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
        /// The number that belongs there.
        want: u32,
    },
    /// The ledger does not add up.
    Ledger(LedgerFault),
    /// The archived hash of a source is not the one its row states.
    SourceHash {
        /// The source.
        source_id: SourceId,
        /// What its row states.
        said: Option<String>,
        /// What the list of archived texts states.
        archived: String,
    },
    /// Nothing says what a phase did to a source.
    Unaccounted {
        /// The source.
        source_id: SourceId,
        /// The phase.
        phase: PhaseVisit,
    },
    /// A record cannot be right.
    Record {
        /// The item it is of.
        source_id: SourceId,
        /// The phase it is of.
        phase: PhaseVisit,
        /// Why not.
        fault: RecordFault,
    },
    /// An id is listed as dropped, and no record drops it.
    ListedDropped {
        /// The id.
        source_id: SourceId,
    },
    /// A source was dropped or could not be read, and is not listed so.
    UnlistedDropped {
        /// The source.
        source_id: SourceId,
    },
    /// The report has no seal, though its version writes one.
    NoSeal,
    /// The seal is not that of the data.
    Seal {
        /// What the report states.
        said: String,
        /// The seal of its data.
        actual: String,
    },
    /// A statement of the built-in model is not one of the quotes behind it.
    Statement {
        /// The first citation behind it.
        n: u32,
        /// An excerpt of that quote around the first difference.
        quote: String,
        /// The same of the report.
        reported: String,
    },
    /// A sentence that the built-in model cannot have written: nothing is cited for it.
    Uncited {
        /// The start of it.
        sentence: String,
    },
    /// A quote holds text of more than one block.
    CrossesBlock {
        /// The citation.
        n: u32,
        /// Where it stands.
        locator: Locator,
    },
    /// A quote starts in the middle of a sentence of its block.
    StartsInside {
        /// The citation.
        n: u32,
        /// Where it stands.
        locator: Locator,
        /// The last characters before it.
        before: String,
    },
    /// A table of quotes, a disagreement or the first line is not what question and citations give.
    Derived {
        /// Name of the field of `data`.
        field: &'static str,
    },
    /// The counts of the statements are not those of the claims.
    Evaluation {
        /// Which, what is stated and what the claims give.
        what: String,
    },
    /// The digest of a source is none, is of another text, or quotes what does not stand there.
    Digest {
        /// The source.
        source_id: SourceId,
        /// What is wrong with it.
        fault: DigestFault,
    },
    /// A statement that was taken out or corrected stands all the same.
    Standing {
        /// What became of it.
        done: Done,
        /// The start of it.
        text: String,
    },
    /// A statement that its quotes do not carry stands without a mark.
    Unmarked {
        /// The verdict on it.
        verdict: Verdict,
        /// The start of it.
        text: String,
    },
    /// The sentence that a verdict rests on is not what the archived text has there.
    RestsOn {
        /// Where it should stand.
        locator: Locator,
        /// The start of the statement.
        text: String,
    },
    /// The numbers of a research do not add up.
    Research {
        /// Which, and the sum they should have.
        what: String,
        /// What is stated.
        said: u32,
        /// What the others add up to.
        sum: u32,
    },
    /// A page beside the report is not what its data renders to.
    Rendering {
        /// Name of the file.
        name: String,
        /// The first line that differs, from 1.
        line: usize,
    },
}

/// Why a record cannot be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RecordFault {
    /// It starts with other tokens than the phase before left.
    #[error("starts with {before} tokens where {left} were left")]
    Gap {
        /// What it says it started with.
        before: u64,
        /// What the phase before left.
        left: u64,
    },
    /// More left than entered.
    #[error("kept {after} of {before} tokens")]
    Grown {
        /// What entered.
        before: u64,
        /// What left.
        after: u64,
    },
    /// It was dropped, and tokens of it were kept.
    #[error("was dropped, but {after} tokens were kept")]
    KeptDropped {
        /// What left.
        after: u64,
    },
    /// It is filed with records of another pass, or a pass stands twice.
    #[error("stands among the records of another pass")]
    OtherPass,
    /// It goes on after it was dropped.
    #[error("has a record after it was dropped")]
    AfterDropped,
    /// Its level is higher than the level the phase before left.
    #[error("is {} again after it was {}", now.as_str(), earlier.as_str())]
    Risen {
        /// Its level.
        now: FidelityLevel,
        /// The level before.
        earlier: FidelityLevel,
    },
    /// Extraction only keeps, cuts or drops.
    #[error("has level {}, which extraction does not give", level.as_str())]
    NotOfExtraction {
        /// Its level.
        level: FidelityLevel,
    },
    /// Its text has other tokens than the record.
    #[error("left {after} tokens, but its text has {tokens}")]
    OtherText {
        /// What the record says was left.
        after: u64,
        /// What its row says.
        tokens: u64,
    },
}

/// Mismatches that differ in their details only.
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
    Research,
    Rendering,
}

impl Mismatch {
    /// Which kind it is.
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
            Self::Research { .. } => MismatchKind::Research,
            Self::Rendering { .. } => MismatchKind::Rendering,
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { message } => write!(f, "the file is not a report: {message}"),
            Self::Version { found } => {
                write!(f, "meta.version is {found:?}, not \"{}\"", precis_proto::response::RESPONSE_VERSION)
            }
            Self::NoReport => write!(f, "it holds no report"),
            Self::NotArchived { hex } => write!(f, "archived text {hex}: not in the archive"),
            Self::TextHash { hex, actual } => write!(f, "archived text {hex}: its bytes hash to {actual}"),
            Self::CitationSource { n, source_id } => {
                write!(f, "citation {n}: its text hash is not that of source {:?}", source_id.as_str())
            }
            Self::NoPlace { n, locator } => write!(f, "citation {n} {locator}: the archived text has no such place"),
            Self::Text { n, locator, archived, reported } => {
                write!(
                    f,
                    "citation {n} {locator}: archived text reads \"{archived}\" where the report says \"{reported}\""
                )
            }
            Self::NoCitation { n } => write!(f, "the report cites [{n}], which is not among its citations"),
            Self::Unused { n } => write!(f, "citation {n}: the report does not use it"),
            Self::Numbering { n, want } => write!(f, "citation {n} stands where {want} belongs"),
            Self::Ledger(fault) => fault.fmt(f),
            Self::SourceHash { source_id, said, archived } => {
                let said = said.as_deref().unwrap_or("no hash");
                write!(f, "source {:?}: its row states {said}, its archived text {archived}", source_id.as_str())
            }
            Self::Unaccounted { source_id, phase } => {
                write!(f, "source {:?}: no record of what {phase} did to it", source_id.as_str())
            }
            Self::Record { source_id, phase, fault } => {
                write!(f, "record of {phase} for {:?}: it {fault}", source_id.as_str())
            }
            Self::ListedDropped { source_id } => {
                write!(f, "dropped_content_ids lists {:?}, which no record drops", source_id.as_str())
            }
            Self::UnlistedDropped { source_id } => {
                write!(f, "dropped_content_ids does not list {:?}, which was dropped", source_id.as_str())
            }
            Self::NoSeal => write!(f, "the report has no seal"),
            Self::Seal { said, actual } => write!(f, "the seal is {said:?}, that of the data is {actual:?}"),
            Self::Statement { n, quote, reported } => {
                write!(f, "statement of [{n}]: its quote reads \"{quote}\" where the report says \"{reported}\"")
            }
            Self::Uncited { sentence } => write!(f, "no citation stands behind \"{sentence}\""),
            Self::CrossesBlock { n, locator } => {
                write!(f, "citation {n} {locator}: the quote runs over the end of its paragraph, item or cell")
            }
            Self::StartsInside { n, locator, before } => {
                write!(f, "citation {n} {locator}: the quote starts inside a sentence, behind \"{before}\"")
            }
            Self::Derived { field } => {
                write!(f, "{field} is not what the question and the citations give")
            }
            Self::Evaluation { what } => write!(f, "evaluation: {what}"),
            Self::Digest { source_id, fault } => write!(f, "digest of {:?}: {fault}", source_id.as_str()),
            Self::Standing { done, text } => {
                write!(f, "a statement that was {} stands in the report: \"{text}\"", done.as_str())
            }
            Self::Unmarked { verdict, text } => {
                write!(f, "a statement that is {} stands unmarked: \"{text}\"", verdict.as_str())
            }
            Self::RestsOn { locator, text } => {
                write!(f, "the verdict on \"{text}\" rests on {locator}, where the archived text reads otherwise")
            }
            Self::Research { what, said, sum } => write!(f, "research: {what} says {said}, the others add up to {sum}"),
            Self::Rendering { name, line } => {
                write!(f, "{name}: line {line} is not what report.json renders to")
            }
        }
    }
}
