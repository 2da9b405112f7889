//! Configuration: read once, checked once, immutable afterwards.
//!
//! Five layers, later ones win: the defaults, the user's own `precis.toml` (or the file named instead of it), the `precis.toml` of a
//! folder the user trusts, environment variables `PRECIS_<KEY>`, flags. Each setting keeps its origin, which `precis config show`
//! and every error report. In the file all keys are flat at the top level, except what is below `search` and `meaning`; here each concern has
//! a struct that holds the description, default and range of its keys in one place. The reference table in the documentation is
//! generated from those structs.
//!
//! This module handles keys, values and their origins; what a value means is decided by the code that uses it.
//! It knows the modules whose settings it holds; none of them knows it.
//!
//! ```toml
#![doc = include_str!("sample.toml")]
//! ```

mod archive;
mod cache;
mod config_value;
mod digest;
mod door;
mod error;
mod extract_service;
mod extraction;
mod fetch;
mod files_in_force;
mod folder;
mod keys;
mod layers;
mod load;
mod meaning;
mod models;
mod privacy;
mod provider;
mod reference;
mod report;
mod search;
mod search_provider;
mod services;
mod settings;
mod show;
mod sources;
mod spend;
mod standing;
mod summarization;
mod tiers;
mod tokens;
mod trust;
mod user_key;
mod vectors;
mod webhooks;
mod worker;

pub use archive::ArchiveSettings;
pub use cache::CacheSettings;
pub use config_value::{ConfigValue, Provenance};
pub use digest::{DigestRanker, DigestSettings};
pub use door::{ApiTokenSettings, DoorSettings, TokenScope};
pub use error::{ConfigError, Problem};
pub use extract_service::{ExtractServiceSettings, TavilyExtract};
pub use extraction::{ExtractionSettings, SandboxMode};
pub use fetch::FetchSettings;
pub use files_in_force::{ConfigFile, FileRole, IgnoreReason, IgnoredFile};
pub use load::{LoadedSettings, load};
pub use meaning::{MeaningKeys, MeaningSettings};
pub use models::{
    BudgetingModeSetting, ContextOverride, LOCAL_MODEL, LimitSettings, ModelSettings, PriceSettings, RoleSettings,
    TokenizerName,
};
pub use privacy::PrivacySettings;
pub use provider::{ProviderKind, ProviderSettings, ProviderTrust};
pub use reference::reference_markdown;
pub use report::{JudgePolicy, ReportSettings};
pub use search::{SearchProviderSettings, SearchSettings, SearchTables};
pub use services::ServiceSettings;
pub use settings::Settings;
pub use show::{EffectiveSetting, show};
pub use sources::Sources;
pub use spend::{SpendSettings, TenantSettings};
pub use standing::StandingSettings;
pub use summarization::SummarizationSettings;
pub use tiers::tier_models;
pub use tokens::TokenSettings;
pub use trust::Trust;
pub use user_key::{UserKey, user_data_dir};
pub use vectors::VectorSettings;
pub use webhooks::{WebhookEndpointSettings, WebhookSettings};
pub use worker::WorkerSettings;

/// The sample `precis.toml` of the documentation; every line of it is valid.
pub const SAMPLE: &str = include_str!("sample.toml");

/// Returns [`SAMPLE`] with every value commented out: a file that changes nothing until a `#` is removed.
#[must_use]
pub fn harmless_sample() -> String {
    let mut text = String::from(
        "# Every value below is commented out, so this file changes nothing yet. To set a value, remove the `#` before it\n\
         # and before the [table] it is in.\n\n",
    );
    for line in SAMPLE.lines() {
        // A comment has a space after its `#`, a value has none, so a reader can tell them apart.
        let mark = if line.is_empty() || line.starts_with('#') { "" } else { "#" };
        text.push_str(&format!("{mark}{line}\n"));
    }
    text
}
