//! Spending ceilings of sessions and tenants.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Ceilings of sessions and tenants.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SpendSettings {
    /// US dollars a session may spend on models. Once spent, the built-in model does the rest.
    #[schemars(range(min = 0.0))]
    pub max_spend_usd: Option<f64>,
    /// Tokens, input and output together, a session may spend on models. Once spent, the built-in model does the rest.
    pub max_spend_tokens: Option<u64>,
    /// Ceilings of a tenant over all its sessions. `default` applies to sessions that name no tenant and to tenants without a table;
    /// they all share it.
    pub tenants: BTreeMap<String, TenantSettings>,
}

/// Ceilings of one tenant; a field that is not set means no limit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TenantSettings {
    /// US dollars per UTC day. Once spent, the built-in model does the rest.
    #[schemars(range(min = 0.0))]
    pub max_spend_usd_per_day: Option<f64>,
    /// Tokens per UTC day, input and output together.
    pub max_spend_tokens_per_day: Option<u64>,
    /// Broker users (`user_id` of the message) that may submit requests for this tenant. If set, all other users are refused, and so is every message without a `user_id`.
    pub users: Vec<String>,
    /// Calls per minute; further calls wait.
    #[schemars(range(min = 1))]
    pub requests_per_minute: Option<u64>,
    /// Tokens per minute, input and output together.
    #[schemars(range(min = 1))]
    pub tokens_per_minute: Option<u64>,
}

impl SpendSettings {
    /// Lists the keys whose value is invalid, each with the expected value.
    pub(super) fn faults(&self) -> Vec<(String, String)> {
        let unusable = self.tenants.keys().filter(|name| precis_proto::TenantId::new(name.as_str()).is_err());
        unusable.map(|name| (format!("tenants.{name}"), "a name of 1 to 200 bytes".to_owned())).collect()
    }
}
