//! Who may see private texts: the user's documents, and all that is made of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Privacy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PrivacySettings {
    /// Whether private texts go to no model whose provider is `foreign`. Without it the models that are named for a role get them. A
    /// search provider never does.
    #[serde(rename = "strict_privacy")]
    pub is_strict: bool,
}
