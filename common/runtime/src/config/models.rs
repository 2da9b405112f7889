//! Model providers, the models of each role, and their limits, prices and windows.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::task::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::provider::{ProviderKind, ProviderSettings};
use super::tiers;
use super::vectors::VectorSettings;
use crate::model::tool::template;
use crate::secret_url::SecretUrl;

/// The built-in model: deterministic, free, no network.
pub const LOCAL_MODEL: &str = "local:extractive";

/// Model providers, the models of each role, and their limits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelSettings {
    /// Model servers and command-line tools by name. `openai`, `anthropic`, `gemini` and `ollama` need no entry, nor do the tools
    /// `[cli]claude`, `[cli]codex`, `[cli]cursor-agent`, `[cli]gemini` and `[cli]opencode`; `local` is built in.
    pub providers: BTreeMap<String, ProviderSettings>,
    /// Models per role (`research`, `supervision`, `summarization`, `compression`, `synthesis`, `evaluation`); a role without an
    /// entry uses `local:extractive`. `embedding` names the server that makes vectors, in place of `meaning.model`.
    pub roles: BTreeMap<String, RoleSettings>,
    /// Limits per minute of a provider, by its name.
    pub limits: BTreeMap<String, LimitSettings>,
    /// Price of a `NAME:MODEL` that the built-in price list lacks or has wrong, in US dollars per million tokens.
    pub prices: BTreeMap<String, PriceSettings>,
    /// Context window of a `NAME:MODEL`, if the built-in table lacks it or has it wrong.
    pub model_context_overrides: BTreeMap<String, ContextOverride>,
}

/// The models of a role.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RoleSettings {
    /// Models as `NAME:MODEL`, tried in order; for `embedding` exactly one, of a provider of the kind `openai`.
    pub providers: Vec<String>,
    /// How vectors are asked for.
    #[serde(flatten)]
    pub vectors: VectorSettings,
}

/// Limits of a provider per minute; a field that is not set means no limit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LimitSettings {
    /// Calls per minute.
    #[schemars(range(min = 1))]
    pub requests_per_minute: Option<u64>,
    /// Tokens per minute, input and output together.
    #[schemars(range(min = 1))]
    pub tokens_per_minute: Option<u64>,
    /// US dollars per minute.
    #[schemars(range(min = 0.0))]
    pub usd_per_minute: Option<f64>,
}

/// The price of a model, in US dollars per million tokens; fields that are not set keep the built-in values.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PriceSettings {
    /// Price of input tokens.
    #[schemars(range(min = 0.0))]
    pub input: Option<f64>,
    /// Price of input tokens the provider had cached. Default: the built-in price, else that of other input.
    #[schemars(range(min = 0.0))]
    pub cached_input: Option<f64>,
    /// Price of output tokens.
    #[schemars(range(min = 0.0))]
    pub output: Option<f64>,
}

/// Whether input and output share a model's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BudgetingModeSetting {
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
    /// By an estimate that rather overcounts, for other vocabularies.
    Estimate,
}

/// Overrides of the built-in table for one model; fields that are not set keep its values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ContextOverride {
    /// Size of the context window, in tokens.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub context_window: Option<u64>,
    /// Most tokens of an answer.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub max_output_tokens: Option<u64>,
    /// Whether input and output share the window (`combined`) or the window holds input only (`input_only`).
    pub budgeting_mode: Option<BudgetingModeSetting>,
    /// Tokens of a shared window reserved for the answer. Default, if `context_window` or `max_output_tokens` is set: the longest
    /// answer, at most a quarter of the window.
    #[schemars(range(max = 100_000_000))]
    pub output_reserved: Option<u64>,
    /// How tokens are counted, if the model's name does not decide it: `o200k` and `cl100k` are exact, `estimate` rather overcounts.
    pub tokenizer: Option<TokenizerName>,
}

impl ModelSettings {
    /// Returns the provider called `name` with the defaults of its kind filled in, configured or built in; `None` for an unknown name
    /// and for `local`.
    #[must_use]
    pub fn provider(&self, name: &str) -> Option<ProviderSettings> {
        let entry = self.providers.get(name).or_else(|| self.tool(name)).cloned();
        entry.or_else(|| known_provider(name)).map(|entry| entry.with_defaults(name))
    }

    /// Returns the names of all providers that are not command-line tools: configured servers, known servers and `local`.
    #[must_use]
    pub fn servers(&self) -> BTreeSet<String> {
        let is_server = |name: &&str| self.provider(name).is_some_and(|found| found.kind != ProviderKind::Tool);
        let named = self.providers.keys().map(String::as_str).chain(KNOWN).filter(is_server);
        named.chain(["local"]).map(str::to_owned).collect()
    }

    /// Returns the entry of the tool that a chain calls `[cli]NAME`: `[providers.NAME]`, if its kind is `tool`.
    fn tool(&self, name: &str) -> Option<&ProviderSettings> {
        let entry = self.providers.get(name.strip_prefix(template::PREFIX)?)?;
        (entry.kind == ProviderKind::Tool).then_some(entry)
    }

    /// Lists the keys whose value is invalid, each with the expected value.
    pub(super) fn faults(&self) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        for (name, provider) in &self.providers {
            if name == "local" {
                faults.push((format!("providers.{name}"), "another name: `local` is built in".to_owned()));
            } else if let Some((key, expected)) = provider.clone().with_defaults(name).fault() {
                faults.push((format!("providers.{name}.{key}"), expected.to_owned()));
            }
        }
        for name in self.limits.keys().filter(|name| self.provider(name).is_none()) {
            faults.push((format!("limits.{name}"), "the name of a provider".to_owned()));
        }
        for (role, chain) in &self.roles {
            match role.parse::<Role>() {
                Err(unknown) => {
                    faults.push((format!("roles.{role}"), format!("a role: {}", unknown.allowed.join(", "))));
                }
                Ok(Role::Embedding) => faults.extend(self.embedding_faults(chain)),
                Ok(_) => faults.extend(chain.vectors.faults_elsewhere(role)),
            }
            faults.extend(self.chain_faults(&format!("roles.{role}.providers"), &chain.providers));
        }
        faults
    }

    /// The role that makes vectors; `None` if no server is named for it.
    #[must_use]
    pub fn embedding(&self) -> Option<&RoleSettings> {
        self.roles.get(Role::Embedding.as_str()).filter(|role| !role.providers.is_empty())
    }

    /// Lists what is wrong with the role that makes vectors.
    fn embedding_faults(&self, role: &RoleSettings) -> Vec<(String, String)> {
        let key = |name: &str| format!("roles.{}.{name}", Role::Embedding.as_str());
        // As for any role: without a model it is off.
        if role.providers.is_empty() {
            return Vec::new();
        }
        let [link] = &role.providers[..] else {
            let expected = "exactly one NAME:MODEL, since vectors of two models cannot be compared";
            return vec![(key("providers"), expected.to_owned())];
        };
        let mut faults = role.vectors.faults();
        let kind = link.split_once(':').and_then(|(name, _)| self.provider(name)).map(|provider| provider.kind);
        if kind != Some(ProviderKind::Openai) {
            let expected = "NAME:MODEL of a provider of the kind `openai`, which has `/embeddings`";
            faults.push((key("providers"), expected.to_owned()));
        }
        faults
    }

    /// Lists `key` once for each entry of `chain` that names no usable model, with the expected value.
    pub(super) fn chain_faults(&self, key: &str, chain: &[String]) -> Vec<(String, String)> {
        let unusable = chain.iter().filter(|entry| !self.is_usable(entry));
        unusable.map(|entry| (key.to_owned(), self.expected_entry(entry))).collect()
    }

    fn is_usable(&self, entry: &str) -> bool {
        match entry.split_once(':') {
            Some(("local", _)) => entry == LOCAL_MODEL,
            Some((name, model)) => !model.is_empty() && self.provider(name).is_some(),
            None => tiers::is_vendor(entry),
        }
    }

    /// Describes the entries that could replace the unusable `entry`.
    fn expected_entry(&self, entry: &str) -> String {
        let name = entry.trim_end_matches(':');
        if self.provider(name).is_some() {
            let example = if name == "ollama" { "ollama:qwen3:4b".to_owned() } else { format!("{name}:MODEL") };
            return format!("NAME:MODEL, such as {example} (`{entry}` names a provider but no model)");
        }
        let mut names: Vec<&str> = self.providers.keys().map(String::as_str).chain(KNOWN).collect();
        let tools = template::TEMPLATES.map(|tool| format!("{}{}", template::PREFIX, tool.name));
        names.extend(tools.iter().map(String::as_str));
        names.sort_unstable();
        names.dedup();
        format!(
            "NAME:MODEL with NAME one of {}, or {LOCAL_MODEL}, or a vendor's name alone (`{entry}` is not one of these; to add a \
             provider, write a table [providers.NAME])",
            names.join(", ")
        )
    }
}

/// Servers that need no entry. Their addresses are public; nothing is sent to them unless a role names them.
const KNOWN: [&str; 4] = ["anthropic", "gemini", "ollama", "openai"];

fn known_provider(name: &str) -> Option<ProviderSettings> {
    let server = |kind, base_url: &str, key: &str| ProviderSettings {
        kind,
        base_url: Some(SecretUrl::from_constant(base_url)),
        api_key_env: Some(key.to_owned()),
        ..ProviderSettings::default()
    };
    if name.starts_with(template::PREFIX) && template::of(name).is_some() {
        return Some(ProviderSettings { kind: ProviderKind::Tool, ..ProviderSettings::default() });
    }
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
    fn a_tool_follows_its_template_until_configured_otherwise() {
        let models = models(
            "[providers.claude]\nkind = 'tool'\nenv = ['CLAUDE_CODE_OAUTH_TOKEN']\n\
             [providers.codex]\nkind = 'tool'\ncommand = '/opt/codex'\nargs = ['-m', '{model}']\n\
             [providers.gemini]\nkind = 'gemini'\n[providers.mine]\nkind = 'tool'\ncommand = 'mine'\n\
             [providers.odd]\nkind = 'openai'\nbase_url = 'http://localhost:1'\nargs = ['x']",
        );
        let of = |name: &str| {
            let found = models.provider(name).expect("is known");
            (found.command.unwrap_or_default(), found.args.len(), found.env.len())
        };
        assert_eq!(of("[cli]claude"), ("claude".into(), 8, 1));
        assert_eq!(of("claude"), of("[cli]claude"));
        assert_eq!(of("[cli]codex"), ("/opt/codex".into(), 2, 0));
        assert_eq!(of("[cli]gemini").0, "gemini");
        assert_eq!(models.provider("gemini").expect("is known").kind, ProviderKind::Gemini);
        assert!(models.provider("[cli]bash").is_none() && models.provider("opencode").is_none());
        let keys: Vec<String> = models.faults().into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["providers.mine.args", "providers.odd.kind"]);
    }

    #[test]
    fn a_provider_without_a_model_differs_from_an_unknown_one() {
        let models = ModelSettings::default();
        for (entry, words) in [
            ("ollama", "such as ollama:qwen3:4b (`ollama` names a provider but no model)"),
            ("ollama:", "such as ollama:qwen3:4b"),
            ("[cli]claude", "such as [cli]claude:MODEL"),
            ("nobody", "`nobody` is not one of these"),
        ] {
            let faults = models.chain_faults("k", &[entry.to_owned()]);
            assert!(faults.len() == 1 && faults[0].1.contains(words), "{entry}: {faults:?}");
        }
    }

    #[test]
    fn a_server_is_distinguished_from_a_tool() {
        let models = models("[providers.claude]\nkind = 'tool'\n[providers.house]\nbase_url = 'http://h/v1'\n");
        let names: Vec<String> = models.servers().into_iter().collect();
        assert_eq!(names, ["anthropic", "gemini", "house", "local", "ollama", "openai"]);
        let models: ModelSettings = toml::from_str("[providers.gemini]\nkind = 'tool'").expect("settings");
        assert!(!models.servers().contains("gemini"));
    }

    #[test]
    fn a_vendors_address_and_key_are_known_until_configured_otherwise() {
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
