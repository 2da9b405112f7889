//! Which models there are, what they are used for, and how hard.

use std::collections::BTreeMap;

use precis_proto::task::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::secret_url::SecretUrl;

/// The built-in model: deterministic, free, no network.
pub const LOCAL_MODEL: &str = "local:extractive";

/// Providers, the chains made of them, and their limits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelSettings {
    /// Model servers by name. `openai`, `anthropic`, `gemini` and `ollama` are known without an entry; `local` is built in.
    pub providers: BTreeMap<String, ProviderSettings>,
    /// Models per role (`research`, `supervision`, `summarization`, `compression`, `synthesis`, `evaluation`); a role without an
    /// entry uses `local:extractive`.
    pub roles: BTreeMap<String, RoleSettings>,
    /// Limits per minute, by name of a provider.
    pub limits: BTreeMap<String, LimitSettings>,
    /// What is known better than the built-in table about the window of a `NAME:MODEL`.
    pub model_context_overrides: BTreeMap<String, ContextOverride>,
}

/// What a model server speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// Chat completions as OpenAI, vLLM, Ollama, llama.cpp and LiteLLM speak them.
    #[default]
    Openai,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
}

impl ProviderKind {
    /// Where the vendor itself is; `None` where there are many of the kind.
    fn home(self) -> Option<&'static str> {
        match self {
            Self::Openai => None,
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com/v1beta"),
        }
    }

    /// The variable that holds the vendor's key by custom; empty where many servers want none.
    fn key_variable(self) -> &'static str {
        match self {
            Self::Openai => "",
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::Gemini => "GEMINI_API_KEY",
        }
    }
}

/// A model server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProviderSettings {
    /// What it speaks.
    pub kind: ProviderKind,
    /// Where it is, up to and including `/v1`. Without it, `anthropic` and `gemini` are where their vendors are.
    pub base_url: Option<SecretUrl>,
    /// Environment variable that holds its key; empty where it wants none. Without it: `ANTHROPIC_API_KEY` and `GEMINI_API_KEY`
    /// for these two, none for `openai`.
    pub api_key_env: Option<String>,
    /// Seconds without an answer until a call is given up.
    #[serde(rename = "timeout")]
    #[schemars(range(min = 1.0, max = 3_600.0))]
    pub timeout_seconds: f64,
    /// Calls under way at once, per process.
    #[schemars(range(min = 1, max = 1_024))]
    pub max_concurrent: u64,
}

impl Default for ProviderSettings {
    fn default() -> Self {
        Self {
            kind: ProviderKind::Openai,
            base_url: None,
            api_key_env: None,
            timeout_seconds: 120.0,
            max_concurrent: 4,
        }
    }
}

impl ProviderSettings {
    /// The variable that holds its key; `None` where it wants none.
    #[must_use]
    pub fn key_variable(&self) -> Option<&str> {
        self.api_key_env.as_deref().filter(|variable| !variable.is_empty())
    }

    fn resolved(mut self) -> Self {
        self.base_url = self.base_url.or_else(|| self.kind.home().map(SecretUrl::known));
        self.api_key_env.get_or_insert_with(|| self.kind.key_variable().to_owned());
        self
    }
}

/// The models of a role.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RoleSettings {
    /// `NAME:MODEL`, tried in order.
    pub providers: Vec<String>,
}

/// What a provider allows per minute; absent where it does not say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LimitSettings {
    /// Calls.
    #[schemars(range(min = 1))]
    pub requests_per_minute: Option<u64>,
    /// Tokens, in and out together.
    #[schemars(range(min = 1))]
    pub tokens_per_minute: Option<u64>,
    /// US dollars.
    #[schemars(range(min = 0.0))]
    pub usd_per_minute: Option<f64>,
}

/// Whether input and output share a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BudgetingMode {
    /// They do.
    Combined,
    /// The window is for input alone.
    InputOnly,
}

/// What replaces the built-in table for one model; absent fields keep its values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ContextOverride {
    /// Tokens of the window.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub context_window: Option<u64>,
    /// Most tokens of an answer.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub max_output_tokens: Option<u64>,
    /// Whether input and output share the window.
    pub budgeting_mode: Option<BudgetingMode>,
    /// Tokens of a shared window kept for the answer.
    #[schemars(range(max = 100_000_000))]
    pub output_reserved: Option<u64>,
}

impl ModelSettings {
    /// The server called `name` with the defaults of its kind filled in: as configured, or as known without configuration;
    /// `None` for an unknown name and for `local`.
    #[must_use]
    pub fn provider(&self, name: &str) -> Option<ProviderSettings> {
        self.providers.get(name).cloned().or_else(|| known_provider(name)).map(ProviderSettings::resolved)
    }

    /// Keys whose value is wrong, each with what it should be.
    pub(super) fn faults(&self) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        for (name, provider) in &self.providers {
            let resolved = provider.clone().resolved();
            let url = resolved.base_url.as_ref();
            if name == "local" {
                faults.push((format!("providers.{name}"), "another name: `local` is built in".to_owned()));
            } else if !url.is_some_and(|u| matches!(u.scheme(), "http" | "https")) {
                let what = "an address that starts with http:// or https://";
                faults.push((format!("providers.{name}.base_url"), what.to_owned()));
            }
        }
        for name in self.limits.keys().filter(|name| self.provider(name).is_none()) {
            faults.push((format!("limits.{name}"), "the name of a provider".to_owned()));
        }
        for (role, chain) in &self.roles {
            if !Role::ALL.iter().any(|known| known.as_str() == role) {
                let known = Role::ALL.map(Role::as_str).join(", ");
                faults.push((format!("roles.{role}"), format!("a role: {known}")));
            }
            faults.extend(self.chain_faults(&format!("roles.{role}.providers"), &chain.providers));
        }
        faults
    }

    /// `key` once for each entry of `chain` that names no model of ours.
    pub(super) fn chain_faults(&self, key: &str, chain: &[String]) -> Vec<(String, String)> {
        let unusable = chain.iter().filter(|entry| !self.is_usable(entry));
        unusable.map(|entry| (key.to_owned(), self.usable(entry))).collect()
    }

    fn is_usable(&self, entry: &str) -> bool {
        match entry.split_once(':') {
            Some(("local", _)) => entry == LOCAL_MODEL,
            Some((name, model)) => !model.is_empty() && self.provider(name).is_some(),
            None => false,
        }
    }

    fn usable(&self, entry: &str) -> String {
        let mut names: Vec<&str> = self.providers.keys().map(String::as_str).chain(KNOWN).collect();
        names.sort_unstable();
        names.dedup();
        format!(
            "NAME:MODEL with NAME one of {}, or {LOCAL_MODEL} (`{entry}` is neither; add a table [providers.NAME])",
            names.join(", ")
        )
    }
}

/// Servers that need no entry: their addresses are public, and nothing is sent to them unless a role names them.
const KNOWN: [&str; 4] = ["anthropic", "gemini", "ollama", "openai"];

fn known_provider(name: &str) -> Option<ProviderSettings> {
    let server = |kind, base_url: &str, key: &str| ProviderSettings {
        kind,
        base_url: Some(SecretUrl::known(base_url)),
        api_key_env: Some(key.to_owned()),
        ..ProviderSettings::default()
    };
    match name {
        "openai" => Some(server(ProviderKind::Openai, "https://api.openai.com/v1", "OPENAI_API_KEY")),
        "ollama" => Some(server(ProviderKind::Openai, "http://localhost:11434/v1", "")),
        "anthropic" => Some(ProviderSettings { kind: ProviderKind::Anthropic, ..ProviderSettings::default() }),
        "gemini" => Some(ProviderSettings { kind: ProviderKind::Gemini, ..ProviderSettings::default() }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn models(toml: &str) -> ModelSettings {
        toml::from_str(toml).expect("settings")
    }

    #[test]
    fn address_and_key_of_a_vendor_are_known_until_an_entry_says_otherwise() {
        let models = models(
            "[providers.gemini]\nkind = 'gemini'\nbase_url = 'http://localhost:1/v1beta'\n\
             [providers.house]\nkind = 'anthropic'\napi_key_env = ''\n[providers.bare]\nkind = 'openai'",
        );
        let of = |name: &str| {
            let found = models.provider(name).expect("is known");
            let url = found.base_url.as_ref().map(|u| u.expose().to_owned()).unwrap_or_default();
            (url, found.key_variable().map(str::to_owned))
        };
        let key = |name: &str| Some(name.to_owned());
        assert_eq!(of("anthropic"), ("https://api.anthropic.com/v1".into(), key("ANTHROPIC_API_KEY")));
        assert_eq!(of("gemini"), ("http://localhost:1/v1beta".into(), key("GEMINI_API_KEY")));
        assert_eq!(of("house"), ("https://api.anthropic.com/v1".into(), None));
        assert_eq!(of("openai").1, key("OPENAI_API_KEY"));
        assert_eq!(of("ollama").1, None);
        assert!(KNOWN.iter().all(|name| models.provider(name).is_some()) && models.provider("local").is_none());
        let faults = models.faults();
        assert!(faults.len() == 1 && faults[0].0 == "providers.bare.base_url", "{faults:?}");
    }
}
