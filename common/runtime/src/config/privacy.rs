//! Who may see private texts: the user's documents, and all that is made of them.

use precis_proto::task::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::models::ProviderSettings;
use super::{LOCAL_MODEL, ProviderKind, Settings};

/// Privacy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PrivacySettings {
    /// Whether private texts go to no model whose provider is `foreign`. Without it the models that are named for a role get them. A
    /// search provider never does.
    #[serde(rename = "strict_privacy")]
    pub is_strict: bool,
}

/// How far a provider of models is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderTrust {
    /// It runs on this machine.
    Local,
    /// It runs elsewhere, and private texts may go there.
    Trusted,
    /// It runs elsewhere.
    Foreign,
}

impl ProviderSettings {
    /// How far it is trusted: as it is said, else as its address says. A tool is started here; where its texts go is its own affair, so it
    /// is foreign unless it is said to be something else.
    #[must_use]
    pub fn trusted(&self) -> ProviderTrust {
        let host = self.base_url.as_ref().and_then(|url| url::Url::parse(url.expose()).ok());
        let host = host.as_ref().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
        let is_loopback = host == "localhost"
            || host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
        match self.trust {
            Some(trust) => trust,
            None if is_loopback && self.kind != ProviderKind::Tool => ProviderTrust::Local,
            None => ProviderTrust::Foreign,
        }
    }
}

impl Settings {
    /// Whether a model of `chain`, each as `NAME:MODEL`, may not see private texts.
    #[must_use]
    pub fn is_kept_from(&self, chain: &[String]) -> bool {
        self.privacy.is_strict && chain.iter().any(|link| self.is_foreign(link))
    }

    /// The links of the chain of `role` that may see what it is given: all but foreign ones, where privacy is strict and the role reads
    /// private texts. Supervision and research read public ones too; their phases see to it that they get no others.
    pub(super) fn permitted(&self, role: Role, chain: Vec<String>) -> Vec<String> {
        let reads_public = matches!(role, Role::Supervision | Role::Research);
        if !self.privacy.is_strict || reads_public {
            return chain;
        }
        let kept: Vec<String> = chain.into_iter().filter(|link| !self.is_foreign(link)).collect();
        if kept.is_empty() { vec![LOCAL_MODEL.to_owned()] } else { kept }
    }

    fn is_foreign(&self, link: &str) -> bool {
        let name = link.split_once(':').map_or(link, |(name, _)| name);
        link != LOCAL_MODEL
            && self.models.provider(name).is_none_or(|provider| provider.trusted() == ProviderTrust::Foreign)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(is_strict: bool) -> Settings {
        let roles =
            ["synthesis", "research"].map(|role| (role, json!({ "providers": ["near:a", "far:b", "friend:c"] })));
        let given = json!({
            "strict_privacy": is_strict,
            "providers": {
                "near": { "base_url": "http://127.0.0.1:1/v1" },
                "far": { "base_url": "https://models.example/v1" },
                "friend": { "base_url": "https://models.example/v1", "trust": "trusted" },
            },
            "roles": serde_json::Map::from_iter(roles.map(|(role, chain)| (role.to_owned(), chain))),
        });
        serde_json::from_value(given).expect("settings")
    }

    #[test]
    fn strict_privacy_keeps_private_texts_from_foreign_models() {
        let all = ["near:a", "far:b", "friend:c"];
        assert_eq!(settings(false).chain(Role::Synthesis), all);
        assert_eq!(settings(true).chain(Role::Synthesis), ["near:a", "friend:c"]);
        assert_eq!(settings(true).chain(Role::Research), all, "its phases see to it");
        assert_eq!(settings(true).chain(Role::Compression), [LOCAL_MODEL]);
        let chain: Vec<String> = all.map(str::to_owned).into();
        assert!(settings(true).is_kept_from(&chain) && !settings(true).is_kept_from(&chain[..1]));
        assert!(!settings(false).is_kept_from(&chain));
    }

    #[test]
    fn a_server_on_this_machine_is_local_unless_something_else_is_said() {
        for (given, want) in [
            (json!({ "base_url": "http://localhost:8000/v1" }), ProviderTrust::Local),
            (json!({ "base_url": "http://[::1]:8000/v1" }), ProviderTrust::Local),
            (json!({ "base_url": "http://127.0.0.1:8000/v1", "trust": "foreign" }), ProviderTrust::Foreign),
            (json!({ "base_url": "http://127.0.0.1.example.org/v1" }), ProviderTrust::Foreign),
            (json!({ "kind": "anthropic" }), ProviderTrust::Foreign),
            (json!({ "kind": "tool", "command": "x" }), ProviderTrust::Foreign),
        ] {
            let provider: ProviderSettings = serde_json::from_value(given.clone()).expect("a provider");
            assert_eq!(provider.trusted(), want, "{given}");
        }
    }
}
