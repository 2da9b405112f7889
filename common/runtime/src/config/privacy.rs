//! Which providers may receive private texts: the user's documents and everything derived from them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Privacy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PrivacySettings {
    /// Never sends private texts to a model whose provider is `foreign`. If off, the models configured for a role receive them. Search
    /// providers never receive private texts.
    #[serde(rename = "strict_privacy")]
    pub is_strict: bool,
}
