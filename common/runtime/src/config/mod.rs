//! Configuration: read once, checked once, immutable after.
//!
//! Five layers, later ones win: the defaults, the user's own `precis.toml` (or the one that is named), that of a folder the user
//! trusts, environment variables `PRECIS_<KEY>`, flags. A setting keeps
//! where it came from, so that `precis config show` and every error can say so. On the wire all keys but the tables below `search`
//! are flat at the top level;
//! here they lie in one struct per concern, which holds a key's description, default and range in one place. The table for
//! readers is generated from those structs.
//!
//! This module knows keys, values and their origins; what a value is good for is known by whoever asks for it.
//!
//! ```toml
#![doc = include_str!("sample.toml")]
//! ```

mod archive;
mod cache;
mod config_value;
mod digest;
mod error;
mod extract_service;
mod extraction;
mod fetch;
mod files_in_force;
mod folder;
mod keys;
mod layers;
mod load;
mod models;
mod privacy;
mod provider;
mod reference;
mod report;
mod search;
mod secret_url;
mod services;
mod settings;
mod show;
mod sources;
mod spend;
mod summarization;
mod tiers;
mod tokens;
mod trust;
mod worker;

pub use archive::ArchiveSettings;
pub use cache::CacheSettings;
pub use config_value::{ConfigValue, Provenance};
pub use digest::{DigestRanker, DigestSettings};
pub use error::{ConfigError, Problem};
pub use extract_service::{ExtractServiceSettings, TavilyExtract};
pub use extraction::{ExtractionSettings, SandboxMode};
pub use fetch::FetchSettings;
pub use files_in_force::{ConfigFile, FileRole, IgnoreReason, IgnoredFile};
pub use load::{LoadedSettings, load};
pub use models::{
    BudgetingModeSetting, ContextOverride, LOCAL_MODEL, LimitSettings, ModelSettings, PriceSettings, RoleSettings,
    TokenizerName,
};
pub use privacy::PrivacySettings;
pub use provider::{ProviderKind, ProviderSettings, ProviderTrust};
pub use reference::reference_markdown;
pub use report::ReportSettings;
pub(crate) use search::DEFAULT_TIMEOUT_SECONDS;
pub use search::{SearchProviderSettings, SearchSettings, SearchTables};
pub use secret_url::SecretUrl;
pub use services::{LogFormat, ServiceSettings};
pub use settings::Settings;
pub use show::{EffectiveSetting, show};
pub use sources::Sources;
pub use spend::{DEFAULT_TENANT, SpendSettings, TenantSettings};
pub use summarization::SummarizationSettings;
pub use tiers::tier_models;
pub use tokens::TokenSettings;
pub use trust::Trust;
pub use worker::WorkerSettings;

/// The sample file of the documentation; every line of it is valid.
pub const SAMPLE: &str = include_str!("sample.toml");

/// [`SAMPLE`] with every value commented out: a file that changes nothing until a `#` is taken off.
#[must_use]
pub fn harmless_sample() -> String {
    let mut text = String::from(
        "# Every value below is commented out: as it stands, this file changes nothing. Take the `#` off what you want to set,\n\
         # and off the [table] that it stands in.\n\n",
    );
    for line in SAMPLE.lines() {
        // A comment has a space behind its `#`, a value has none: what to take off is seen at a glance.
        let mark = if line.is_empty() || line.starts_with('#') { "" } else { "#" };
        text.push_str(&format!("{mark}{line}\n"));
    }
    text
}
