//! How the runner behaves.

use std::time::Duration;

use precis_proto::account::Account;
use precis_proto::state::STATE_SCHEMA_VERSION;

use super::pages::Paging;
use super::settle::Policy;
use super::tenants::TenantRules;
use crate::broker::ReplyAddresses;

/// How the runner behaves.
#[derive(Debug, Clone)]
pub struct RunnerSettings {
    /// How long a phase holds a delivery before it hands over: a third of the broker's consumer timeout.
    pub lease: Duration,
    /// How long a job is waited for before it is scattered again.
    pub job_timeout: Duration,
    /// Jobs a session has under way at once.
    pub window: usize,
    /// Failed tries.
    pub policy: Policy,
    /// Version of the states this worker writes.
    pub emit_version: u32,
    /// From which size on a state travels as pages.
    pub paging: Paging,
    /// Sessions held at once, per phase.
    pub session_prefetch: u16,
    /// Jobs held at once, per kind.
    pub job_prefetch: u16,
    /// The account of a session whose request asks for nothing less; its tenant is not looked at.
    pub account: Account,
    /// Where callers may want their answers.
    pub reply_addresses: ReplyAddresses,
    /// Whose tenants are whose.
    pub tenants: TenantRules,
    /// Users of the broker that may end any session, and publish requests of others again.
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
            operator_users: Vec::new(),
        }
    }
}
