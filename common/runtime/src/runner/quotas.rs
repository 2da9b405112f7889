//! How much may be stored for whom on a day. Pure: what was stored is counted by [`crate::content::Tallies`].

use std::collections::BTreeMap;

use precis_proto::failure_code::FailureCode;
use precis_proto::response::{ErrorInfo, Status};
use precis_proto::{SessionId, TenantId};

use super::request_fault::RequestFault;
use super::stated_failure::failure_info;
use crate::content::CeilingReached;

/// What a session counts besides the size of its request: its record, states, digests and result (chosen; 1.4 MB were measured for a
/// session of eight texts of 10 kB, whose request has 80 kB).
pub const SESSION_BYTES: u64 = 1024 * 1024;
/// Bytes that requests of one tenant may store on a day, unless configured otherwise: 100,000 small sessions (chosen, not measured).
pub const DEFAULT_STORED_BYTES_PER_DAY: u64 = 100 * 1024 * 1024 * 1024;

/// The ceilings of what requests store on a day by UTC, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorageQuotas {
    /// Of everybody without a ceiling of their own.
    pub of_others: u64,
    /// By tenant.
    pub by_tenant: BTreeMap<String, u64>,
}

impl Default for StorageQuotas {
    fn default() -> Self {
        Self { of_others: DEFAULT_STORED_BYTES_PER_DAY, by_tenant: BTreeMap::new() }
    }
}

impl StorageQuotas {
    /// Returns whom a request counts for, and the ceiling in bytes: its tenant; without one its user, so that nobody uses up what others
    /// may store; without either all who are unknown.
    #[must_use]
    pub fn of(&self, tenant: Option<&TenantId>, user: Option<&str>) -> (String, u64) {
        let own = tenant.and_then(|tenant| self.by_tenant.get(tenant.as_str()));
        let payer = match (tenant, user) {
            (Some(tenant), _) => format!("tenant {tenant}"),
            (None, Some(user)) => format!("user {user}"),
            (None, None) => "callers without a user".to_owned(),
        };
        (payer, own.copied().unwrap_or(self.of_others))
    }
}

/// Returns the failure that a worker would send for a request of `session` that `payer` has no room for. For callers that look before they
/// store anything.
#[must_use]
pub fn storage_refusal(session: &SessionId, payer: &str, reached: CeilingReached) -> ErrorInfo {
    let fault = refusal(payer, reached);
    failure_info(session, Status::Failed, fault.code, fault.message)
}

/// Returns the refusal of a request that `payer` has no room for.
pub(super) fn refusal(payer: &str, reached: CeilingReached) -> RequestFault {
    let message = format!(
        "the {payer} may store {} a day, has stored {} today (UTC), and this request counts {}: submit it tomorrow or with smaller \
         documents, or ask the operator to raise `max_stored_mib_per_day`",
        mib(reached.limit),
        mib(reached.stored),
        mib(reached.bytes)
    );
    RequestFault { code: FailureCode::StorageQuotaReached, message, pointer: String::new() }
}

/// Bytes in MiB, rounded up.
fn mib(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1024 * 1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_counts_for_its_tenant_or_else_for_its_user() {
        let quotas = StorageQuotas { of_others: 5, by_tenant: [("legal".to_owned(), 9)].into() };
        let table = [
            (Some("legal"), Some("alice"), "tenant legal", 9),
            (Some("open"), Some("alice"), "tenant open", 5),
            (None, Some("alice"), "user alice", 5),
            (None, None, "callers without a user", 5),
        ];
        for (tenant, user, payer, limit) in table {
            let tenant = tenant.map(|name| TenantId::new(name).expect("an id"));
            assert_eq!(quotas.of(tenant.as_ref(), user), (payer.to_owned(), limit));
        }
    }

    #[test]
    fn a_refusal_says_how_much_there_is_and_what_to_do() {
        let reached = CeilingReached { stored: 3 << 20, bytes: 1, limit: 3 << 20 };
        let message = refusal("user alice", reached).message;
        for part in ["user alice", "3 MiB a day", "counts 1 MiB", "tomorrow", "`max_stored_mib_per_day`"] {
            assert!(message.contains(part), "{message}");
        }
    }
}
