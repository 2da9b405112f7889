//! Tenants as the settings describe them: who belongs to them, and how much may be stored for them.

use precis_proto::TenantId;
use precis_runtime::config::{Settings, TenantSettings};
use precis_runtime::runner::{StorageQuotas, TenantRules};

/// Returns which users belong to which tenants.
#[must_use]
pub fn tenant_rules(settings: &Settings) -> TenantRules {
    let tenants = &settings.spend.tenants;
    let users = |(name, tenant): (&String, &TenantSettings)| {
        tenant.users.iter().map(|user| (user.clone(), name.clone())).collect::<Vec<_>>()
    };
    TenantRules { known: tenants.keys().cloned().collect(), by_user: tenants.iter().flat_map(users).collect() }
}

/// Returns how much may be stored on a day.
#[must_use]
pub fn storage_quotas(settings: &Settings) -> StorageQuotas {
    let bytes = |mib: u64| mib.saturating_mul(1024 * 1024);
    let own = |(name, tenant): (&String, &TenantSettings)| {
        tenant.max_stored_mib_per_day.map(|mib| (name.clone(), bytes(mib)))
    };
    StorageQuotas {
        of_others: bytes(settings.spend.max_stored_mib_per_day),
        by_tenant: settings.spend.tenants.iter().filter_map(own).collect(),
    }
}

/// Returns whom a request of `user` on behalf of `tenant` counts for, and how many bytes may be stored for that payer on a day. A tenant
/// that the workers will refuse counts for its user.
#[must_use]
pub fn storage_of(settings: &Settings, user: Option<&str>, tenant: Option<&str>) -> (String, u64) {
    let named = tenant.filter(|name| !name.is_empty()).and_then(|name| TenantId::new(name).ok());
    let tenant = tenant_rules(settings).tenant(user, named).ok().flatten();
    storage_quotas(settings).of(tenant.as_ref(), user)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenant_has_its_own_storage_limit_or_the_default() {
        let mut settings = Settings::default();
        assert_eq!(storage_of(&settings, Some("bob"), None).1, precis_runtime::runner::DEFAULT_STORED_BYTES_PER_DAY);
        settings.spend.max_stored_mib_per_day = 3;
        let own = TenantSettings {
            users: vec!["alice".to_owned()],
            max_stored_mib_per_day: Some(7),
            ..TenantSettings::default()
        };
        settings.spend.tenants = [("legal".to_owned(), own), ("open".to_owned(), TenantSettings::default())].into();
        let table = [
            (Some("alice"), None, "tenant legal", 7),
            (Some("bob"), Some("open"), "tenant open", 3),
            (Some("bob"), Some("unknown"), "user bob", 3),
            (None, None, "callers without a user", 3),
        ];
        for (user, tenant, payer, mib) in table {
            assert_eq!(storage_of(&settings, user, tenant), (payer.to_owned(), mib << 20), "{user:?} {tenant:?}");
        }
    }
}
