//! Who may call the HTTP door.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tokens of the HTTP door.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DoorSettings {
    /// Tokens for `precis serve`, each with the tenant that its sessions belong to and are charged to. Without a token the door listens on
    /// loopback addresses only. `precis token new` makes one.
    pub api_tokens: BTreeMap<String, ApiTokenSettings>,
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
    fn a_token_needs_a_hash_a_tenant_and_a_scope() {
        let faults = |sha256: &str, tenant: &str, scopes: &[TokenScope]| {
            let token =
                ApiTokenSettings { sha256: sha256.to_owned(), tenant: tenant.to_owned(), scopes: scopes.to_vec() };
            let settings = DoorSettings { api_tokens: [("a".to_owned(), token)].into() };
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
