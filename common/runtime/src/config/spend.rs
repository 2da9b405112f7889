//! What sessions and tenants may spend on models.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tenant of a session that names none, and the table of a tenant without one.
pub const DEFAULT_TENANT: &str = "default";

/// Ceilings of sessions and tenants.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SpendSettings {
    /// US dollars a session may spend on models. What is left to do then goes to the built-in model.
    #[schemars(range(min = 0.0))]
    pub max_spend_usd: Option<f64>,
    /// Tokens, in and out together, a session may spend on models. What is left to do then goes to the built-in model.
    pub max_spend_tokens: Option<u64>,
    /// What a tenant may spend, all its sessions together. `default` is the tenant of sessions that name none, or one without a
    /// table of its own: all unknown names share it.
    pub tenants: BTreeMap<String, TenantSettings>,
}

/// What one tenant may spend; absent where there is no limit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TenantSettings {
    /// US dollars a day, by UTC. What is left to do then goes to the built-in model.
    #[schemars(range(min = 0.0))]
    pub max_spend_usd_per_day: Option<f64>,
    /// Tokens a day, in and out together.
    pub max_spend_tokens_per_day: Option<u64>,
    /// Users of the broker whose requests this tenant pays for, as `user_id` says; nobody else may name it then.
    pub users: Vec<String>,
    /// Calls a minute; further ones wait.
    #[schemars(range(min = 1))]
    pub requests_per_minute: Option<u64>,
    /// Tokens a minute, in and out together.
    #[schemars(range(min = 1))]
    pub tokens_per_minute: Option<u64>,
}

impl SpendSettings {
    /// Keys whose value is wrong, each with what it should be.
    pub(super) fn faults(&self) -> Vec<(String, String)> {
        let unusable = self.tenants.keys().filter(|name| precis_proto::TenantId::new(name.as_str()).is_err());
        unusable.map(|name| (format!("tenants.{name}"), "a name of 1 to 200 bytes".to_owned())).collect()
    }
}
