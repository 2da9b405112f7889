//! A question that stands: asked again at an interval, until it is removed. The record lies in a content store, beside its last report.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::privacy::Privacy;
use crate::source::ContentRef;
use crate::{CollectionId, Timestamp};

/// Latest version of the record; raised when an older reader would misread it. Version 2 added `collections` and `tenant`; a record without
/// collections is written as version 1.
pub const STANDING_VERSION: u32 = 2;
/// Version of a record without collections.
const FOLDERS_VERSION: u32 = 1;
/// Kind of the named content that holds the records.
pub const STANDING: &str = "standing";
/// Largest record, in bytes: a question and some paths.
pub const MAX_STANDING_BYTES: usize = 256 * 1024;

/// A question that stands, as asked, and what its last run found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StandingQuestion {
    /// 1, or since version 2 [`STANDING_VERSION`] where it names collections.
    pub schema_version: u32,
    /// Its id: the same question about the same places has the same one.
    pub id: String,
    /// The question.
    pub query: String,
    /// The folders to search, as absolute paths.
    pub corpora: Vec<String>,
    /// Since version 2: the collections to search, each in its newest version. With any, a fleet is asked, and `corpora` is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collections: Vec<CollectionId>,
    /// Since version 2: the tenant of the fleet that is charged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The search providers for pages.
    #[serde(default)]
    pub web: Vec<String>,
    /// The search providers for papers.
    #[serde(default)]
    pub academic: Vec<String>,
    /// Only pages of these domains are read; all if empty.
    #[serde(default)]
    pub allow_domains: Vec<String>,
    /// Pages of these domains are never read.
    #[serde(default)]
    pub deny_domains: Vec<String>,
    /// Only pages published on or after this day are read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// What was said about disclosure when it was asked; each run keeps to it.
    pub privacy: Privacy,
    /// Seconds between two runs.
    pub every_seconds: u64,
    /// The directory of its report, as an absolute path.
    pub out: String,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When a run last looked at everything, whether or not it had to make a report; absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked_at: Option<Timestamp>,
    /// The last report; absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<StandingReport>,
    /// A notice that has not been given to everyone yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<ContentRef>,
    /// The contents that retention keeps as long as the record stands. In every version, so that an older worker keeps them too.
    #[serde(default)]
    pub keeps: Vec<ContentRef>,
}

/// The last report on a question that stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StandingReport {
    /// The bytes of its `report.json`.
    pub report: ContentRef,
    /// The manifests of what it was made from, in the order of `corpora`, or of `collections`.
    pub manifests: Vec<ContentRef>,
    /// The program that made it: another version may read and answer differently.
    pub made_by: String,
}

/// Why a record cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StandingError {
    /// A later version of the program wrote it.
    #[error(
        "the record has version {0}, and this program reads up to {STANDING_VERSION}; use the program that wrote it"
    )]
    Later(u32),
    /// It is no such record.
    #[error("not the record of a standing question: {0}")]
    Malformed(String),
}

#[derive(Deserialize)]
struct AnyVersion {
    schema_version: u32,
}

#[derive(Deserialize)]
struct Keeping {
    #[serde(default)]
    keeps: Vec<ContentRef>,
}

impl StandingQuestion {
    /// Reads a record.
    ///
    /// # Errors
    /// [`StandingError::Later`] for a later version, whatever else it says; [`StandingError::Malformed`] for anything else.
    pub fn read(bytes: &[u8]) -> Result<Self, StandingError> {
        let malformed = |e: serde_json::Error| StandingError::Malformed(crate::envelope::json_fault(&e));
        let AnyVersion { schema_version } = serde_json::from_slice(bytes).map_err(malformed)?;
        if schema_version > STANDING_VERSION {
            return Err(StandingError::Later(schema_version));
        }
        serde_json::from_slice(bytes).map_err(malformed)
    }

    /// Returns the bytes of the record, with everything that it refers to listed as kept.
    ///
    /// # Errors
    /// [`StandingError::Malformed`] if it is longer than [`MAX_STANDING_BYTES`].
    pub fn encode(mut self) -> Result<Vec<u8>, StandingError> {
        // An older program reads what it can ask.
        self.schema_version = if self.collections.is_empty() { FOLDERS_VERSION } else { STANDING_VERSION };
        self.keeps = self.last.iter().map(|last| last.report.clone()).chain(self.notice.clone()).collect();
        let bytes = serde_json::to_vec(&self).map_err(|e| StandingError::Malformed(e.to_string()))?;
        if bytes.len() > MAX_STANDING_BYTES {
            let found = bytes.len();
            return Err(StandingError::Malformed(format!("expected at most {MAX_STANDING_BYTES} bytes, got {found}")));
        }
        Ok(bytes)
    }

    /// Returns when it is due: at once before its first report.
    #[must_use]
    pub fn due_at(&self) -> Timestamp {
        let every_ms = i64::try_from(self.every_seconds.saturating_mul(1_000)).unwrap_or(i64::MAX);
        self.checked_at.filter(|_| self.last.is_some()).map_or(self.asked_at, |at| at.plus_ms(every_ms))
    }
}

/// Returns the contents that a record of any version keeps; none if it is no record.
#[must_use]
pub fn kept_by(bytes: &[u8]) -> Vec<ContentRef> {
    serde_json::from_slice(bytes).map(|Keeping { keeps }| keeps).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question() -> StandingQuestion {
        StandingQuestion {
            schema_version: FOLDERS_VERSION,
            id: "q-1".to_owned(),
            query: "Who pays?".to_owned(),
            corpora: vec!["/contracts".to_owned()],
            collections: Vec::new(),
            tenant: None,
            web: Vec::new(),
            academic: Vec::new(),
            allow_domains: Vec::new(),
            deny_domains: Vec::new(),
            since: None,
            privacy: Privacy::default(),
            every_seconds: 60,
            out: "/out".to_owned(),
            asked_at: Timestamp(1_000),
            checked_at: None,
            last: None,
            notice: None,
            keeps: Vec::new(),
        }
    }

    fn report() -> StandingReport {
        StandingReport { report: ContentRef::from_bytes(b"r"), manifests: Vec::new(), made_by: "x".to_owned() }
    }

    #[test]
    fn a_record_is_read_as_written_and_keeps_what_it_refers_to() {
        let notice = ContentRef::from_bytes(b"n");
        let asked = StandingQuestion { last: Some(report()), notice: Some(notice.clone()), ..question() };
        let bytes = asked.clone().encode().expect("short");
        let keeps = vec![report().report, notice];
        assert_eq!(kept_by(&bytes), keeps);
        assert_eq!(StandingQuestion::read(&bytes), Ok(StandingQuestion { keeps, ..asked }));
    }

    #[test]
    fn a_later_version_is_refused_but_its_report_is_kept() {
        let content = ContentRef::from_bytes(b"r");
        let later = format!("{{\"schema_version\": 3, \"question\": [], \"keeps\": [\"{content}\"]}}");
        assert_eq!(StandingQuestion::read(later.as_bytes()), Err(StandingError::Later(3)));
        assert_eq!(kept_by(later.as_bytes()), [content]);
        for wrong in ["", "[]", "{\"schema_version\": 1}", "{}"] {
            assert!(matches!(StandingQuestion::read(wrong.as_bytes()), Err(StandingError::Malformed(_))), "{wrong}");
        }
    }

    #[test]
    fn a_record_has_the_version_of_what_it_names() {
        let of = |collections: Vec<CollectionId>| {
            let bytes = StandingQuestion { collections, ..question() }.encode().expect("short");
            StandingQuestion::read(&bytes).expect("a record").schema_version
        };
        assert_eq!((of(Vec::new()), of(vec![CollectionId::new("c-1").expect("an id")])), (1, 2));
    }

    #[test]
    fn a_record_has_a_largest_size() {
        let of = |chars: usize| StandingQuestion { query: "x".repeat(chars), ..question() }.encode();
        let around = MAX_STANDING_BYTES - of(0).expect("short").len();
        assert!(of(around - 1).is_ok() && of(around).is_ok() && of(around + 1).is_err());
    }

    #[test]
    fn a_question_is_due_at_once_and_then_after_its_interval() {
        let checked = Some(Timestamp(5_000));
        assert_eq!(question().due_at(), Timestamp(1_000));
        assert_eq!(StandingQuestion { checked_at: checked, ..question() }.due_at(), Timestamp(1_000));
        let reported = StandingQuestion { checked_at: checked, last: Some(report()), ..question() };
        assert_eq!(reported.due_at(), Timestamp(65_000));
    }
}
