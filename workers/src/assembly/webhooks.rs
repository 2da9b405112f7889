//! The webhook endpoints, from settings and environment.

use std::sync::Arc;

use precis_runtime::config::{Settings, WebhookEndpointSettings};
use precis_runtime::webhooks::{Endpoint, EndpointFault, Endpoints, SigningSecret, Webhooks, limits};

use crate::cli::exit::{CommandFailure, Exit};

/// Returns the endpoints without their secrets: whom a request may name, for those who only check that.
///
/// # Errors
/// [`Exit::Usage`] if a rule of fetching is invalid.
pub fn named_endpoints(settings: &Settings) -> Result<Endpoints, CommandFailure> {
    let endpoints = settings.webhooks.webhooks.iter();
    build_endpoints(settings, endpoints.map(|(name, known)| (name.clone(), endpoint(known, Vec::new()))))
}

/// Returns what a worker tells others with; `None` if no endpoint is set up. Skips and logs one whose secret is missing: requests that name it
/// are refused here.
///
/// # Errors
/// [`Exit::Usage`] if no client can be made.
pub fn of_worker(settings: &Settings) -> Result<Option<Arc<Webhooks>>, CommandFailure> {
    if settings.webhooks.webhooks.is_empty() {
        return Ok(None);
    }
    let usable = settings.webhooks.webhooks.iter().filter_map(|(name, known)| match secrets(name, known, variable) {
        Ok(secrets) => Some((name.clone(), endpoint(known, secrets))),
        Err(fault) => {
            tracing::warn!(%fault, "a webhook endpoint cannot be told; requests that name it are refused");
            None
        }
    });
    client(settings, build_endpoints(settings, usable)?).map(|webhooks| Some(Arc::new(webhooks)))
}

/// Returns what keeps endpoints from being told: a secret that is not set, or is none.
#[must_use]
pub fn lacking_secrets(settings: &Settings) -> Vec<EndpointFault> {
    let endpoints = settings.webhooks.webhooks.iter();
    endpoints.filter_map(|(name, known)| secrets(name, known, variable).err()).collect()
}

/// Returns what tells the endpoint `name` alone.
///
/// # Errors
/// [`Exit::Usage`] names what is missing.
pub fn of_endpoint(settings: &Settings, name: &str) -> Result<Webhooks, CommandFailure> {
    let Some(known) = settings.webhooks.webhooks.get(name) else {
        let failure = CommandFailure::new(Exit::Usage, "unknown_endpoint", format!("there is no [webhooks.{name}]"));
        return Err(failure.with_remedy("`precis config show` lists the endpoints"));
    };
    let missing = |fault: EndpointFault| CommandFailure::new(Exit::Usage, "missing_secret", fault.to_string());
    // Of no tenant: whoever runs the command is the operator.
    let endpoint = Endpoint { tenant: None, ..endpoint(known, secrets(name, known, variable).map_err(missing)?) };
    client(settings, build_endpoints(settings, [(name.to_owned(), endpoint)].into_iter())?)
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn endpoint(known: &WebhookEndpointSettings, secrets: Vec<SigningSecret>) -> Endpoint {
    Endpoint { url: known.url.clone(), secrets, tenant: known.tenant.clone(), signs_urls: known.signs_urls }
}

fn build_endpoints(
    settings: &Settings,
    endpoints: impl Iterator<Item = (String, Endpoint)>,
) -> Result<Endpoints, CommandFailure> {
    let usage = |message: String| CommandFailure::new(Exit::Usage, "invalid_configuration", message);
    let hosts = settings.webhooks.allow_hosts.iter().map(|host| host.parse()).collect::<Result<Vec<_>, _>>();
    let hosts = hosts.map_err(|e| usage(format!("webhook_allow_hosts: {e}")))?;
    let policy = settings.fetch.policy().map_err(|e| usage(e.to_string()))?;
    Ok(Endpoints::new(endpoints.collect(), hosts, policy))
}

fn client(settings: &Settings, endpoints: Endpoints) -> Result<Webhooks, CommandFailure> {
    Webhooks::new(endpoints, settings.fetch.proxy(), limits())
        .map_err(|e| CommandFailure::new(Exit::Usage, "client_unavailable", format!("webhooks: {e}")))
}

/// The secrets of an endpoint through `read`: the one in force, and the one before it.
fn secrets(
    name: &str,
    known: &WebhookEndpointSettings,
    read: impl Fn(&str) -> Option<String>,
) -> Result<Vec<SigningSecret>, EndpointFault> {
    let variables =
        [("secret_env", Some(&known.secret_env)), ("previous_secret_env", known.previous_secret_env.as_ref())];
    let mut secrets = Vec::new();
    for (key, variable) in variables {
        let Some(variable) = variable else { continue };
        let fault = |reason: String| EndpointFault { name: name.to_owned(), key, reason };
        let text = read(variable).filter(|text| !text.trim().is_empty());
        let text = text.ok_or_else(|| fault(format!("the environment variable {variable} is not set")))?;
        let secret = SigningSecret::parse(&text);
        secrets.push(secret.map_err(|e| fault(format!("the environment variable {variable} holds no secret: {e}")))?);
    }
    Ok(secrets)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    #[test]
    fn secrets_come_from_variables_and_a_fault_does_not_repeat_them() {
        let known = WebhookEndpointSettings {
            secret_env: "NEW".to_owned(),
            previous_secret_env: Some("OLD".to_owned()),
            ..WebhookEndpointSettings::default()
        };
        let read = |new: Option<&str>, old: Option<&str>| {
            let values = [("NEW", new.map(str::to_owned)), ("OLD", old.map(str::to_owned))];
            let found = |variable: &str| values.iter().find(|(name, _)| *name == variable)?.1.clone();
            secrets("a", &known, found).map(|secrets| secrets.len()).map_err(|fault| fault.to_string())
        };
        assert_eq!(read(Some(SECRET), Some(SECRET)), Ok(2));
        for (new, old, key) in [
            (None, Some(SECRET), "webhooks.a.secret_env: the environment variable NEW is not set"),
            (Some(" "), Some(SECRET), "webhooks.a.secret_env: the environment variable NEW is not set"),
            (Some(SECRET), None, "webhooks.a.previous_secret_env: the environment variable OLD is not set"),
            (
                Some("whsec_MfKQ9r8GKY"),
                Some(SECRET),
                "webhooks.a.secret_env: the environment variable NEW holds no secret",
            ),
        ] {
            let fault = read(new, old).expect_err(key);
            assert!(fault.starts_with(key) && !fault.contains("MfKQ9r8GKY"), "{fault}");
        }
    }

    #[test]
    fn a_worker_without_endpoints_notifies_none() {
        assert!(of_worker(&Settings::default()).expect("nothing to do").is_none());
        assert!(named_endpoints(&Settings::default()).expect("none").is_empty());
        assert_eq!(of_endpoint(&Settings::default(), "a").expect_err("none").code, "unknown_endpoint");
    }
}
