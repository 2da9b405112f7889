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
    /// Model servers by name. `openai` and `ollama` are known without an entry; `local` is built in.
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
}

/// A model server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProviderSettings {
    /// What it speaks.
    pub kind: ProviderKind,
    /// Where it is, up to and including `/v1`.
    pub base_url: Option<SecretUrl>,
    /// Environment variable that holds its key; empty where it wants none.
    pub api_key_env: String,
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
            api_key_env: String::new(),
            timeout_seconds: 120.0,
            max_concurrent: 4,
        }
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

/// How the tokens of a model are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenizerName {
    /// By the vocabulary `o200k_base`.
    O200k,
    /// By the vocabulary `cl100k_base`.
    Cl100k,
    /// Rather too many than too few, for other vocabularies.
    Estimate,
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
    /// How its tokens are counted, where its name does not say: `o200k` and `cl100k` are exact.
    pub tokenizer: Option<TokenizerName>,
}

impl ModelSettings {
    /// The server called `name`: as configured, or as known without configuration; `None` for an unknown name and for `local`.
    #[must_use]
    pub fn provider(&self, name: &str) -> Option<ProviderSettings> {
        self.providers.get(name).cloned().or_else(|| known_provider(name))
    }

    /// Keys whose value is wrong, each with what it should be.
    pub(super) fn faults(&self) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        for (name, provider) in &self.providers {
            let url = provider.base_url.as_ref();
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
        let mut names: Vec<&str> = self.providers.keys().map(String::as_str).chain(["ollama", "openai"]).collect();
        names.sort_unstable();
        names.dedup();
        format!(
            "NAME:MODEL with NAME one of {}, or {LOCAL_MODEL} (`{entry}` is neither; add a table [providers.NAME])",
            names.join(", ")
        )
    }
}

/// Servers that need no entry: their addresses are public, and nothing is sent to them unless a role names them.
fn known_provider(name: &str) -> Option<ProviderSettings> {
    let (base_url, api_key_env) = match name {
        "openai" => ("https://api.openai.com/v1", "OPENAI_API_KEY"),
        "ollama" => ("http://localhost:11434/v1", ""),
        _ => return None,
    };
    let base_url = Some(SecretUrl::known(base_url));
    Some(ProviderSettings { base_url, api_key_env: api_key_env.to_owned(), ..ProviderSettings::default() })
}
