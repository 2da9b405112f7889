//! What sessions and tenants may spend and store.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::runner::DEFAULT_STORED_BYTES_PER_DAY;

/// Ceilings of sessions and tenants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// MiB that the requests of a tenant may store in a fleet's content store per UTC day; without a tenant, those of a user; without
    /// either, those of all callers without a user together. A request counts with its uncompressed size and 1 MiB for its session, and is
    /// refused with `storage_quota_reached` before anything of it is stored.
    #[schemars(range(min = 1))]
    pub max_stored_mib_per_day: u64,
}

impl Default for SpendSettings {
    fn default() -> Self {
        Self {
            max_spend_usd: None,
            max_spend_tokens: None,
            tenants: BTreeMap::new(),
            max_stored_mib_per_day: DEFAULT_STORED_BYTES_PER_DAY >> 20,
        }
    }
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
    /// MiB that its requests may store per UTC day, in place of `max_stored_mib_per_day`.
    #[schemars(range(min = 1))]
    pub max_stored_mib_per_day: Option<u64>,
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
