//! What a session may cost, before it begins, as `?dry_run` and `precis run --dry-run` say it. The numbers come from whoever knows models.

use precis_proto::Phase;
use precis_proto::task::Role;
use schemars::JsonSchema;
use serde::Serialize;

/// Numbers of calls, with their tokens and dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct Figures {
    /// Questions put to the models of a role.
    pub calls: u64,
    /// Requests sent for them: a call may be repeated, shrunk, and put to the next provider.
    pub requests: u64,
    /// Tokens of all prompts.
    pub input_tokens: u64,
    /// Tokens of all answers.
    pub output_tokens: u64,
    /// Requests sent to search providers.
    pub searches: u64,
    /// US dollars; `null` if the price of a model is not known.
    pub usd: Option<f64>,
}

/// One role in one phase; what is searched there is in the row of the researchers.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EstimateRow {
    /// The phase.
    pub phase: Phase,
    /// The role whose models are called.
    pub role: Role,
    /// These models, `NAME:MODEL`, in the order in which they are called.
    pub models: Vec<String>,
    /// The most it may cost.
    pub most: Figures,
    /// What it usually costs; `null` if that is not known.
    pub likely: Option<Figures>,
}

/// What a session may cost, before it begins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Estimate {
    /// One row for each role of each phase that calls models.
    pub phases: Vec<EstimateRow>,
    /// The most tokens that the session may spend: the sum of the rows, or the ceiling if that is lower.
    pub most_tokens: u64,
    /// The same in US dollars; `null` if the price of a model or of a search is not known and no ceiling holds.
    pub most_usd: Option<f64>,
    /// The tokens that it usually spends.
    pub likely_tokens: Option<u64>,
    /// The US dollars that it usually spends.
    pub likely_usd: Option<f64>,
    /// The ceilings of the session that hold here.
    pub max_spend_usd: Option<f64>,
    /// See `max_spend_usd`; in tokens.
    pub max_spend_tokens: Option<u64>,
    /// Models and search providers whose price is not known.
    pub without_price: Vec<String>,
    /// Models whose vectors are in no number here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_counted: Vec<String>,
    /// Sources whose length is not known.
    pub unread_sources: u64,
    /// Sources that cannot be read, or are gone: no model reads them.
    pub unreadable_sources: u64,
}

impl Figures {
    /// Tokens of prompts and answers together.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Both together; dollars only if both are known.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            requests: self.requests.saturating_add(other.requests),
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            searches: self.searches.saturating_add(other.searches),
            usd: self.usd.zip(other.usd).map(|(a, b)| a + b),
        }
    }
}
