//! Configuration: read once, checked once, immutable after.
//!
//! Four layers, later ones win: the defaults, one `precis.toml`, environment variables `PRECIS_<KEY>`, flags. A setting keeps
//! where it came from, so that `precis config show` and every error can say so. On the wire all keys are flat at the top level;
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
mod digest;
mod elsewhere;
mod error;
mod extraction;
mod fetch;
mod given;
mod keys;
mod layers;
mod load;
mod models;
mod reference;
mod report;
mod secret_url;
mod services;
mod settings;
mod show;
mod spend;
mod summarization;
mod tiers;
mod tokens;
mod worker;

pub use archive::ArchiveSettings;
pub use cache::CacheSettings;
pub use digest::{DigestPolicy, DigestRanker, DigestSettings};
pub use elsewhere::{ElsewhereSettings, TavilyExtract};
pub use error::{ConfigError, Problem};
pub use extraction::{ExtractionSettings, HtmlMode};
pub use fetch::FetchSettings;
pub use given::{Given, Provenance};
pub use load::{Loaded, Sources, load};
pub use models::{
    BudgetingMode, ContextOverride, LOCAL_MODEL, LimitSettings, ModelSettings, PriceSettings, ProviderKind,
    ProviderSettings, RoleSettings, TokenizerName,
};
pub use reference::reference_markdown;
pub use report::ReportSettings;
pub use secret_url::SecretUrl;
pub use services::{LogFormat, ServiceSettings};
pub use settings::Settings;
pub use show::{Shown, show};
pub use spend::{DEFAULT_TENANT, SpendSettings, TenantSettings};
pub use summarization::SummarizationSettings;
pub use tokens::TokenSettings;
pub use worker::WorkerSettings;

/// The sample file of the documentation; every line of it is valid.
pub const SAMPLE: &str = include_str!("sample.toml");
