//! What the HTTP door of a fleet is made of, from the settings.

use std::sync::Arc;

use precis_door::{ApiToken, BasePath, Callers, Connect, Connecting, DoorLimits, DoorParts, Storage};
use precis_runtime::broker::{Broker, MemoryBroker, RabbitConnection, RabbitSettings};
use precis_runtime::clock::Clock;
use precis_runtime::config::Settings;
use precis_runtime::failpoints::Failpoints;
use url::Url;

use super::connect;
use super::door_reports::FleetReports;
use super::local::LocalFleet;
use super::tenants::{storage_of, tenant_rules};
use crate::assembly::webhooks;
use crate::cli::exit::CommandFailure;

/// Opens connections to the broker of a fleet.
#[derive(Debug)]
struct RabbitDoor(RabbitSettings);

impl Connect for RabbitDoor {
    fn connect(&self) -> Connecting<'_> {
        Box::pin(async { RabbitConnection::connect(&self.0).await.map(Broker::Rabbit).map_err(|e| e.to_string()) })
    }
}

/// Opens connections to the broker of a fleet in this process.
#[derive(Debug)]
struct LocalDoor(MemoryBroker);

impl Connect for LocalDoor {
    fn connect(&self) -> Connecting<'_> {
        Box::pin(async { Ok(Broker::Memory(self.0.connect(Failpoints::none()))) })
    }
}

/// Returns the parts of a door to `fleet`, which is in this process.
#[must_use]
pub fn local_door_parts(settings: &Settings, fleet: &LocalFleet) -> DoorParts {
    DoorParts {
        reports: Arc::new(FleetReports { content: fleet.content(), settings: settings.clone() }),
        storage: storage(settings),
        content: fleet.content(),
        store: fleet.store(),
        // The worker of the fleet logs its events there.
        is_store_shared: true,
        connect: Arc::new(LocalDoor(fleet.broker())),
        callers: callers(settings),
        clock: Clock::system(),
        limits: limits(settings),
        base_path: BasePath::default(),
        // Rules that are none were refused with the settings.
        webhooks: webhooks::named_endpoints(settings).unwrap_or_default(),
    }
}

/// Returns the parts of a door to the fleet of `settings`. Connects to nothing yet.
///
/// # Errors
/// [`CommandFailure`] if an address or a certificate is unusable.
pub fn door_parts(settings: &Settings) -> Result<DoorParts, CommandFailure> {
    let content = connect::content(settings)?;
    let store = connect::store(settings, &content)?;
    Ok(DoorParts {
        reports: Arc::new(FleetReports { content: content.clone(), settings: settings.clone() }),
        storage: storage(settings),
        content,
        store,
        is_store_shared: settings.services.redis_url.is_some(),
        connect: Arc::new(RabbitDoor(connect::rabbit_settings(settings, "serve")?)),
        callers: callers(settings),
        clock: Clock::system(),
        limits: limits(settings),
        base_path: BasePath::default(),
        webhooks: webhooks::named_endpoints(settings)?,
    })
}

/// Returns the limits of a door, as configured.
fn limits(settings: &Settings) -> DoorLimits {
    DoorLimits {
        active_sessions: usize::try_from(settings.door.active_sessions).unwrap_or(usize::MAX),
        submissions_per_minute: settings.door.submissions_per_minute,
        queue_depth: settings.door.queue_depth,
        ..DoorLimits::default()
    }
}

/// Returns how much may be stored for whom, as the workers count it.
fn storage(settings: &Settings) -> Storage {
    let (settings, user) = (settings.clone(), own_user(settings));
    Storage::new(move |tenant| storage_of(&settings, user.as_deref(), tenant))
}

/// Returns who may call: whoever has a token, or, where there are none, whoever is on this machine.
#[must_use]
pub fn callers(settings: &Settings) -> Callers {
    let tokens = &settings.door.api_tokens;
    if tokens.is_empty() {
        return Callers::ThisMachine(own_tenant(settings));
    }
    // Hashes that are none were refused with the settings.
    let known =
        tokens.iter().filter_map(|(name, token)| ApiToken::new(name, &token.sha256, &token.tenant, &token.scopes));
    Callers::Tokens(known.collect())
}

/// The tenant that workers charge a request of the broker user of this door to, if they bind that user to one.
fn own_tenant(settings: &Settings) -> Option<String> {
    let own = tenant_rules(settings).tenant(Some(&own_user(settings)?), None).ok()??;
    Some(own.to_string())
}

/// The broker user of this door, as far as its address says.
fn own_user(settings: &Settings) -> Option<String> {
    let address = Url::parse(settings.services.amqp_url.as_ref()?.expose()).ok()?;
    Some(address.username().to_owned())
}

#[cfg(test)]
mod tests {
    use precis_runtime::config::{ApiTokenSettings, TenantSettings, TokenScope};

    use super::*;

    #[test]
    fn a_door_takes_as_much_as_is_configured() {
        assert_eq!(limits(&Settings::default()), DoorLimits::default());
        let mut settings = Settings::default();
        settings.door.active_sessions = 7;
        settings.door.submissions_per_minute = 8;
        settings.door.queue_depth = 9;
        let limits = limits(&settings);
        assert_eq!((limits.active_sessions, limits.submissions_per_minute, limits.queue_depth), (7, 8, 9));
    }

    #[test]
    fn without_tokens_the_door_serves_only_this_machine() {
        let mut settings = Settings::default();
        assert_eq!(callers(&settings), Callers::ThisMachine(None));
        let legal = TenantSettings { users: vec!["door".to_owned()], ..TenantSettings::default() };
        settings.spend.tenants = [("legal".to_owned(), legal)].into();
        settings.services.amqp_url = serde_json::from_str("\"amqp://door:secret@localhost/\"").ok();
        assert_eq!(callers(&settings), Callers::ThisMachine(Some("legal".to_owned())));
        let sha256 = "0a".repeat(32);
        let token = ApiTokenSettings { sha256, tenant: "open".to_owned(), scopes: vec![TokenScope::Read] };
        settings.door.api_tokens = [("a".to_owned(), token)].into();
        let Callers::Tokens(tokens) = callers(&settings) else { panic!("tokens") };
        assert_eq!((tokens.len(), tokens[0].tenant.as_str(), tokens[0].sha256), (1, "open", [0x0a; 32]));
    }
}
