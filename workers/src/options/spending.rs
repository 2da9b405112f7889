//! The ceilings and rate limits of sessions and tenants, resolved from the configuration.

use precis_proto::account::Account;
use precis_runtime::config::{Settings, SpendSettings};
use precis_runtime::model::{TenantPolicies, TenantPolicy};
use precis_runtime::store::LimitPolicy;

/// Returns the account of a session whose request sets no lower ceilings.
#[must_use]
pub fn account(settings: &Settings) -> Account {
    let SpendSettings { max_spend_usd, max_spend_tokens, .. } = settings.spend;
    Account { max_spend_usd, max_spend_tokens, ..Account::default() }
}

/// Returns the ceilings and rate limits of `[tenants.NAME]`.
pub(crate) fn tenants(settings: &Settings) -> TenantPolicies {
    let tenants = settings.spend.tenants.iter().map(|(name, tenant)| {
        let limits = LimitPolicy {
            requests: tenant.requests_per_minute,
            tokens: tenant.tokens_per_minute,
            ..LimitPolicy::default()
        };
        let (usd_per_day, tokens_per_day) = (tenant.max_spend_usd_per_day, tenant.max_spend_tokens_per_day);
        (name.clone(), TenantPolicy { usd_per_day, tokens_per_day, limits })
    });
    TenantPolicies(tenants.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_spent_is_what_the_configuration_says() {
        let tenant = serde_json::json!({
            "max_spend_usd_per_day": 3.5, "max_spend_tokens_per_day": 4, "requests_per_minute": 5, "tokens_per_minute": 6,
        });
        let given = serde_json::json!({ "max_spend_usd": 1.5, "max_spend_tokens": 2, "tenants": { "a": tenant } });
        let settings: Settings = serde_json::from_value(given).expect("settings");
        let Account { max_spend_usd, max_spend_tokens, .. } = account(&settings);
        assert_eq!((max_spend_usd, max_spend_tokens), (Some(1.5), Some(2)));
        let limits = LimitPolicy { requests: Some(5), tokens: Some(6), ..LimitPolicy::default() };
        let tenant = TenantPolicy { usd_per_day: Some(3.5), tokens_per_day: Some(4), limits };
        assert_eq!(tenants(&settings).0, [("a".to_owned(), tenant)].into());
    }
}
