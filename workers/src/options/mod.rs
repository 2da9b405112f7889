//! The configuration as handlers and models read it: pure functions of the settings.
//!
//! | file | contents |
//! | --- | --- |
//! | `digest` | when and how sources are digested; the hash in the cache key of a digest |
//! | `summaries` | the models and limits of summaries; the cache key of a summary |
//! | `models` | windows, limits and prices of the models |
//! | `budgets` | the tokens of a phase |
//! | `extraction` | which sources are fetched; the limits of one extraction |
//! | `spending` | the account of a session; ceilings and rate limits of tenants |
//! | `size` | numbers as sizes in memory |

mod budgets;
mod digest;
mod extraction;
mod models;
mod size;
mod spending;
mod summaries;

pub use budgets::{
    analysis_budget, compression_calls, judging_budget, research_window, synthesis_budget, writer_budget,
};
pub use digest::DigestOptions;
pub use extraction::{extract_limits, follow_policy};
pub use models::{is_model, limits, prices};
pub use spending::account;
pub(crate) use spending::tenants;
pub use summaries::SummarySettings;
