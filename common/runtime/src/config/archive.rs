//! Whether and where the texts that quotes come from are kept.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The archive of canonical texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ArchiveSettings {
    /// Keeps the text of every source so that quotes can be verified. `precis run` keeps it unless this is set to `false`.
    #[serde(rename = "content_archive_enabled")]
    pub enabled: bool,
    /// Hours until an archived text is removed: by a worker every hour, by `precis run` if `research_archive_dir` is set, and by
    /// `precis archive clean`. Texts and results in the content store are removed after the same time.
    #[serde(rename = "content_archive_ttl_hours")]
    #[schemars(range(min = 1, max = 876_000))]
    pub ttl_hours: u64,
    /// Hours after its end until a session of a fleet is given up: its result is removed, and its id may be used by another request. Not
    /// longer than `content_archive_ttl_hours`, which is the default.
    #[serde(rename = "session_ttl_hours")]
    #[schemars(range(min = 1, max = 876_000))]
    pub session_ttl_hours: Option<u64>,
    /// Directory of the archive, or `s3://bucket/prefix`. If not set, `precis run` puts the archive next to the report, and a fleet
    /// puts it under `archive` in its content store.
    #[serde(rename = "research_archive_dir")]
    pub dir: Option<PathBuf>,
}

impl Default for ArchiveSettings {
    fn default() -> Self {
        Self { enabled: false, ttl_hours: 720, session_ttl_hours: None, dir: None }
    }
}
