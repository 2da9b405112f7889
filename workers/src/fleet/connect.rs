//! Opens connections from the settings. Failures name the setting and a remedy; addresses are shown with their passwords masked.

use std::path::{Path, PathBuf};

use precis_runtime::broker::{Broker, BrokerError, ClientCertificate, RabbitConnection, RabbitSettings, RabbitTls};
use precis_runtime::config::Settings;
use precis_runtime::content::{ContentStore, CreateError, OpenError};
use precis_runtime::store::{ClientIdentity, MemoryStore, RedisSettings, RedisStore, Store};

use crate::cli::exit::{CommandFailure, Exit};

/// Opens a connection to the broker. `purpose` is shown in its management UI.
///
/// # Errors
/// [`Exit::Usage`] if no broker is configured or a certificate cannot be read, [`Exit::Unreachable`] if it does not answer.
pub async fn broker(settings: &Settings, purpose: &str) -> Result<Broker, CommandFailure> {
    let rabbit = rabbit_settings(settings, purpose)?;
    RabbitConnection::connect(&rabbit).await.map(Broker::Rabbit).map_err(|e| unreachable_broker(settings, &e))
}

/// Builds the connection settings of the broker.
///
/// # Errors
/// [`Exit::Usage`] as [`broker`].
pub(crate) fn rabbit_settings(settings: &Settings, purpose: &str) -> Result<RabbitSettings, CommandFailure> {
    let services = &settings.services;
    let address = services.amqp_url.clone().ok_or_else(|| missing("amqp_url", "amqp://user:password@host:5672/%2f"))?;
    let mut rabbit = RabbitSettings::new(address);
    rabbit.connection_name = format!("precis {purpose}");
    rabbit.tls = RabbitTls {
        authorities_pem: pem("amqp_ca_file", services.amqp_ca_file.as_deref())?,
        client: certificate(
            ("amqp_cert_file", services.amqp_cert_file.as_deref()),
            ("amqp_key_file", services.amqp_key_file.as_deref()),
        )?,
    };
    Ok(rabbit)
}

/// Returns the failure of a broker that cannot be reached.
#[must_use]
pub fn unreachable_broker(settings: &Settings, error: &BrokerError) -> CommandFailure {
    let place = settings.services.amqp_url.as_ref().map_or(String::new(), |url| format!(" at {url}"));
    let failure =
        CommandFailure::new(Exit::Unreachable, "broker_unreachable", format!("reach the broker{place}: {error}"));
    failure.with_remedy("precis doctor")
}

/// Opens the shared store, its values authenticated with the key in `content`; an in-memory store if no Redis is configured. Does not
/// connect, since the store may be unavailable.
///
/// # Errors
/// [`Exit::Usage`] if the address or a certificate is unusable.
pub fn store(settings: &Settings, content: &ContentStore) -> Result<Store, CommandFailure> {
    let services = &settings.services;
    let Some(address) = services.redis_url.clone() else { return Ok(Store::Memory(MemoryStore::new())) };
    let mut redis = RedisSettings::from_address(address.expose().to_owned().into());
    redis.prefix.clone_from(&services.redis_prefix);
    redis.ca_file.clone_from(&services.redis_ca_file);
    redis.identity = match (&services.redis_cert_file, &services.redis_key_file) {
        (Some(certificate), Some(key)) => {
            Some(ClientIdentity { certificate_file: certificate.clone(), key_file: key.clone() })
        }
        _ => None,
    };
    RedisStore::connect(&redis)
        .map(|store| Store::Redis(store.with_fleet_key(content.clone())))
        .map_err(|e| CommandFailure::new(Exit::Usage, "invalid_configuration", format!("redis_url: {e}")))
}

/// Opens the store that workers share; `None` if no Redis is configured, or something is invalid, which other checks report.
#[must_use]
pub fn shared_store(settings: &Settings) -> Option<Store> {
    settings.services.redis_url.as_ref()?;
    store(settings, &content(settings).ok()?).ok()
}

/// Opens the content store, which all workers of a fleet share.
///
/// # Errors
/// [`Exit::Usage`] if none is configured, or it cannot be opened.
pub fn content(settings: &Settings) -> Result<ContentStore, CommandFailure> {
    let address = settings.services.content_url.as_ref();
    let address = address.ok_or_else(|| missing("content_url", "file:///var/lib/precis"))?;
    ContentStore::open(address.expose())
        .map_err(|e| CommandFailure::new(Exit::Usage, "invalid_configuration", format!("content_url: {e}")))
}

/// Makes the content store, unless it is there. Only for commands that run alone: see [`ContentStore::create`].
///
/// # Errors
/// [`Exit::Usage`] if none is configured, or its address is unusable; [`Exit::Unreachable`] if it cannot be made.
pub async fn create_content(settings: &Settings) -> Result<ContentStore, CommandFailure> {
    let address = settings.services.content_url.as_ref();
    let address = address.ok_or_else(|| missing("content_url", "file:///var/lib/precis"))?;
    ContentStore::create(address.expose()).await.map_err(|error| match error {
        CreateError::Open(error @ OpenError::Url(_)) => {
            CommandFailure::new(Exit::Usage, "invalid_configuration", format!("content_url: {error}"))
        }
        CreateError::Open(error) => CommandFailure::new(Exit::Unreachable, "content_unavailable", error.to_string()),
        CreateError::Content(error) => CommandFailure::new(Exit::Unreachable, "content_unavailable", error.to_string()),
        CreateError::Unconditional => CommandFailure::new(Exit::Refused, "content_unusable", error.to_string())
            .with_remedy("use a bucket of a server that honours If-None-Match, or a directory"),
    })
}

/// Returns where a worker archives texts: as configured, else under `archive` in the content store; `None` if the archive is off.
///
/// # Errors
/// [`Exit::Usage`] if the archive is on and has no directory.
pub fn archive_dir(settings: &Settings) -> Result<Option<PathBuf>, CommandFailure> {
    if !settings.archive.enabled {
        return Ok(None);
    }
    if let Some(dir) = &settings.archive.dir {
        return Ok(Some(dir.clone()));
    }
    let content = settings.services.content_url.as_ref().and_then(|url| url::Url::parse(url.expose()).ok());
    match content {
        Some(url) if url.scheme() == "s3" => Ok(Some(PathBuf::from(url.as_str()).join("archive"))),
        Some(url) if url.scheme() == "file" => Ok(url.to_file_path().ok().map(|dir| dir.join("archive"))),
        _ => Err(missing("research_archive_dir", "/var/lib/precis/archive")),
    }
}

fn missing(key: &str, example: &str) -> CommandFailure {
    let failure = CommandFailure::new(Exit::Usage, "invalid_configuration", format!("{key} is not set"));
    failure.with_remedy(format!("PRECIS_{}={example}, or {key} in precis.toml", key.to_uppercase()))
}

#[expect(clippy::disallowed_methods, reason = "the operator names it, and may name a pipe")]
fn pem(key: &str, path: Option<&Path>) -> Result<Option<String>, CommandFailure> {
    let Some(path) = path else { return Ok(None) };
    let read = std::fs::read_to_string(path);
    read.map(Some).map_err(|e| {
        CommandFailure::new(Exit::Usage, "invalid_configuration", format!("{key}: read {}: {e}", path.display()))
    })
}

fn certificate(
    (cert_key, cert): (&str, Option<&Path>),
    (key_key, key): (&str, Option<&Path>),
) -> Result<Option<ClientCertificate>, CommandFailure> {
    let (Some(certificate_pem), Some(key_pem)) = (pem(cert_key, cert)?, pem(key_key, key)?) else { return Ok(None) };
    Ok(Some(ClientCertificate { certificate_pem, key_pem }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_configured_is_named_with_an_example() {
        let failure = content(&Settings::default()).expect_err("nothing is configured");
        assert_eq!((failure.exit, failure.message.as_str()), (Exit::Usage, "content_url is not set"));
        assert!(failure.remedy.expect("a remedy").starts_with("PRECIS_CONTENT_URL=file:///"));
    }

    #[test]
    fn a_fleet_archives_where_it_is_asked_to_and_nowhere_else() {
        let given = |json: serde_json::Value| {
            let settings: Settings = serde_json::from_value(json).expect("settings");
            archive_dir(&settings).map_err(|failure| failure.message)
        };
        let on = |content: &str| serde_json::json!({ "content_archive_enabled": true, "content_url": content });
        let mut elsewhere = on("file:///srv/content");
        elsewhere["research_archive_dir"] = serde_json::json!("/srv/kept");
        let at = |dir: &str| Ok(Some(PathBuf::from(dir)));
        let missing = Err("research_archive_dir is not set".to_owned());
        let cases = [
            (serde_json::json!({ "content_url": "file:///srv/content" }), Ok(None)),
            (serde_json::json!({ "research_archive_dir": "/srv/kept" }), Ok(None)),
            (on("file:///srv/content"), at("/srv/content/archive")),
            (on("s3://bucket/texts"), at("s3://bucket/texts/archive")),
            (elsewhere, at("/srv/kept")),
            (serde_json::json!({ "content_archive_enabled": true }), missing),
        ];
        for (json, expected) in cases {
            assert_eq!(given(json.clone()), expected, "{json}");
        }
    }
}
