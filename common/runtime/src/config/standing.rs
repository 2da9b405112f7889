//! Who is told when the answer to a standing question changes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::secret_url::SecretUrl;

/// Notices of standing questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StandingSettings {
    /// A program, with its arguments, that receives each notice of `precis standing` as one JSON object on standard input. It is started
    /// without a shell, with `PATH` and `HOME` only, and has to end with exit code 0 within a minute.
    #[serde(rename = "standing_hook")]
    pub hook: Vec<String>,
    /// An address that each notice of `precis standing` is posted to as JSON. It is checked like the address of a page: one that is not
    /// public needs `fetch_allow_hosts` and `fetch_allow_networks`.
    #[serde(rename = "standing_webhook")]
    pub webhook: Option<SecretUrl>,
    /// A `[webhooks.NAME]` that is told, signed and without any text, that statements of a standing question changed.
    #[serde(rename = "standing_endpoint")]
    pub endpoint: Option<String>,
    /// Seconds that a run of a standing question waits for a fleet, which then goes on by itself; a later run takes its result.
    #[serde(rename = "standing_wait")]
    #[schemars(range(min = 1, max = 86_400))]
    pub wait_seconds: u64,
}

impl Default for StandingSettings {
    fn default() -> Self {
        Self { hook: Vec::new(), webhook: None, endpoint: None, wait_seconds: 3_600 }
    }
}

impl StandingSettings {
    /// Lists the keys whose value is invalid, each with the expected value.
    pub(super) fn faults(&self) -> Vec<(String, String)> {
        let is_empty = self.hook.first().is_some_and(|program| program.trim().is_empty());
        let is_web = |url: &SecretUrl| matches!(url.scheme(), "http" | "https");
        let mut faults = Vec::new();
        if is_empty {
            faults.push(("standing_hook".to_owned(), "a program and its arguments".to_owned()));
        }
        if self.webhook.as_ref().is_some_and(|url| !is_web(url)) {
            faults.push(("standing_webhook".to_owned(), "an address that begins with http:// or https://".to_owned()));
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notifications_are_off_by_default_and_faults_name_their_key() {
        assert!(StandingSettings::default().faults().is_empty());
        assert_eq!(StandingSettings::default().wait_seconds, 3_600);
        let wrong = StandingSettings {
            hook: vec![String::new()],
            webhook: Some(SecretUrl::from_constant("ftp://example.org/")),
            ..StandingSettings::default()
        };
        let keys: Vec<String> = wrong.faults().into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["standing_hook", "standing_webhook"]);
    }
}
