//! What a report can be wrong about, each in one precise line.

use std::fmt;

use precis_proto::{Locator, Phase, SourceId};

use crate::ledger::LedgerFault;

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
        phase: Phase,
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
        }
    }
}
