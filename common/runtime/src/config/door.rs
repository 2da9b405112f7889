//! Who may call the HTTP door, and how much.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tokens of the HTTP door, and what each may submit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DoorSettings {
    /// Tokens for `precis serve`, each with the tenant that its sessions belong to and are charged to. Without a token the door listens on
    /// loopback addresses only. `precis token new` makes one.
    pub api_tokens: BTreeMap<String, ApiTokenSettings>,
    /// Most sessions of a token that have not ended; a request for one more is refused with 429. Without tokens: of all callers.
    #[serde(rename = "door_active_sessions")]
    #[schemars(range(min = 1, max = 100_000))]
    pub active_sessions: u32,
    /// Most submissions of a token in a minute, a tenth of them at once; others are refused with 429. Without tokens: of all callers.
    #[serde(rename = "door_submissions_per_minute")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub submissions_per_minute: u64,
    /// Requests and sessions that wait for workers from which on the door takes no more, and answers 503.
    #[serde(rename = "door_queue_depth")]
    #[schemars(range(min = 1, max = 10_000_000))]
    pub queue_depth: u64,
    /// Certificate chain of the HTTP door, as PEM. With it the door speaks HTTPS only. Read again on SIGHUP.
    #[serde(rename = "door_tls_certificate")]
    pub tls_certificate: Option<PathBuf>,
    /// Private key of `door_tls_certificate`, unencrypted, as PEM.
    #[serde(rename = "door_tls_key")]
    pub tls_key: Option<PathBuf>,
}

impl Default for DoorSettings {
    fn default() -> Self {
        Self {
            api_tokens: BTreeMap::new(),
            active_sessions: 1_000,
            submissions_per_minute: 6_000,
            queue_depth: 10_000,
            tls_certificate: None,
            tls_key: None,
        }
    }
}

/// A token for the HTTP door. The token itself is never written down here, only its hash.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ApiTokenSettings {
    /// SHA-256 of the token, as 64 hexadecimal digits.
    pub sha256: String,
    /// The tenant whose sessions it sees and whose budget it spends.
    pub tenant: String,
    /// What it may do: `submit` sessions and content, `read` sessions, `operate` (stop, cancel and remove) them.
    pub scopes: Vec<TokenScope>,
}

/// Something a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenScope {
    /// Submit sessions and content.
    Submit,
    /// Read sessions, events, results and texts.
    Read,
    /// Stop, cancel and remove sessions.
    Operate,
}

impl DoorSettings {
    /// Lists the keys whose value is invalid, each with the expected value.
    pub(super) fn faults(&self) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        if self.tls_certificate.is_some() != self.tls_key.is_some() {
            faults.push(("door_tls_certificate".to_owned(), "a certificate and its key, or neither".to_owned()));
        }
        for (name, token) in &self.api_tokens {
            let is_hash = token.sha256.len() == 64 && token.sha256.bytes().all(|b| b.is_ascii_hexdigit());
            if !is_hash {
                faults.push((format!("api_tokens.{name}.sha256"), "64 hexadecimal digits".to_owned()));
            }
            if precis_proto::TenantId::new(token.tenant.as_str()).is_err() {
                faults.push((format!("api_tokens.{name}.tenant"), "a name of 1 to 200 bytes".to_owned()));
            }
            if token.scopes.is_empty() {
                let expected = "at least one of submit, read, operate";
                faults.push((format!("api_tokens.{name}.scopes"), expected.to_owned()));
            }
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_and_its_key_come_together() {
        let path = || Some(PathBuf::from("x.pem"));
        for (certificate, key, is_fine) in
            [(None, None, true), (path(), path(), true), (path(), None, false), (None, path(), false)]
        {
            let settings = DoorSettings { tls_certificate: certificate, tls_key: key, ..DoorSettings::default() };
            assert_eq!(settings.faults().is_empty(), is_fine, "{settings:?}");
        }
    }

    #[test]
    fn a_token_needs_a_hash_a_tenant_and_a_scope() {
        let faults = |sha256: &str, tenant: &str, scopes: &[TokenScope]| {
            let token =
                ApiTokenSettings { sha256: sha256.to_owned(), tenant: tenant.to_owned(), scopes: scopes.to_vec() };
            let settings = DoorSettings { api_tokens: [("a".to_owned(), token)].into(), ..DoorSettings::default() };
            settings.faults().into_iter().map(|(key, _)| key).collect::<Vec<_>>()
        };
        let (hash, read) = ("0a".repeat(32), [TokenScope::Read]);
        assert!(faults(&hash, "legal", &read).is_empty());
        assert!(faults(&hash.to_uppercase(), "legal", &read).is_empty());
        for wrong in ["", "a token", &hash[1..], &format!("{hash}0"), &"é".repeat(32)] {
            assert_eq!(faults(wrong, "legal", &read), ["api_tokens.a.sha256"], "{wrong}");
        }
        assert_eq!(faults(&hash, "", &read), ["api_tokens.a.tenant"]);
        assert_eq!(faults(&hash, "legal", &[]), ["api_tokens.a.scopes"]);
    }
}
