//! The runner's settings.

use std::sync::Arc;
use std::time::Duration;

use precis_proto::account::Account;
use precis_proto::state::STATE_SCHEMA_VERSION;

use super::pages::Paging;
use super::quotas::StorageQuotas;
use super::settle::Policy;
use super::tenants::TenantRules;
use crate::broker::ReplyAddresses;
use crate::webhooks::Webhooks;

/// The runner's settings.
#[derive(Debug, Clone)]
pub struct RunnerSettings {
    /// How long a phase holds a delivery before it hands over: a third of the broker's consumer timeout.
    pub lease: Duration,
    /// How long to wait for a job before it counts as unanswered.
    pub job_timeout: Duration,
    /// Jobs a session has in flight at once.
    pub window: usize,
    /// How often a phase is tried.
    pub policy: Policy,
    /// Version of the states this worker writes.
    pub emit_version: u32,
    /// The state size from which larger fields move to pages.
    pub paging: Paging,
    /// Sessions held at once, per phase.
    pub session_prefetch: u16,
    /// Jobs held at once, per kind.
    pub job_prefetch: u16,
    /// The default account, with the ceilings of a session whose request sets no lower ones. Its tenant is ignored.
    pub account: Account,
    /// The reply addresses callers may name.
    pub reply_addresses: ReplyAddresses,
    /// Which tenants belong to which users.
    pub tenants: TenantRules,
    /// Whether only requests of verified users are taken.
    pub requires_user: bool,
    /// What requests may store on a day; `None` in a process that only its user asks.
    pub quotas: Option<StorageQuotas>,
    /// Who may be told that a session has ended, and by which client; `None` if nobody, and then this worker sends no webhooks.
    pub webhooks: Option<Arc<Webhooks>>,
    /// Broker users that may end any session and republish other users' requests.
    pub operator_users: Vec<String>,
}

impl Default for RunnerSettings {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(600),
            job_timeout: Duration::from_secs(300),
            window: 8,
            policy: Policy::default(),
            emit_version: STATE_SCHEMA_VERSION,
            paging: Paging::default(),
            session_prefetch: 64,
            job_prefetch: 16,
            account: Account::default(),
            reply_addresses: ReplyAddresses::default(),
            tenants: TenantRules::default(),
            requires_user: false,
            quotas: None,
            webhooks: None,
            operator_users: Vec::new(),
        }
    }
}
