//! The cache kept between runs.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The cache on disk of runs without services.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CacheSettings {
    /// Directory of the answers kept between runs. Default: `precis` in the user's cache directory; without a home directory nothing
    /// is kept.
    #[serde(rename = "cache_dir")]
    pub dir: Option<PathBuf>,
    /// Largest size of the cache, in bytes; the oldest answers are removed first.
    #[serde(rename = "cache_max_bytes")]
    #[schemars(range(min = 1_048_576))]
    pub max_bytes: u64,
}

impl Default for CacheSettings {
    fn default() -> Self {
        Self { dir: None, max_bytes: 1024 * 1024 * 1024 }
    }
}
