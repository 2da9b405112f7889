//! What is kept between runs.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The cache on disk of runs without services.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CacheSettings {
    /// Directory of answers kept between runs: `precis` in the user's cache directory. Without a home directory nothing is kept.
    #[serde(rename = "cache_dir")]
    pub dir: Option<PathBuf>,
    /// Bytes the cache may take; the oldest answers go first.
    #[serde(rename = "cache_max_bytes")]
    #[schemars(range(min = 1_048_576))]
    pub max_bytes: u64,
}

impl Default for CacheSettings {
    fn default() -> Self {
        Self { dir: None, max_bytes: 1024 * 1024 * 1024 }
    }
}
