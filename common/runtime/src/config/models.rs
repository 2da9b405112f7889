//! Which models there are, what they are used for, and how hard.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::task::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::privacy::ProviderTrust;
use super::secret_url::SecretUrl;
use super::tiers;
use crate::model::tool::template;

/// The built-in model: deterministic, free, no network.
pub const LOCAL_MODEL: &str = "local:extractive";

/// Providers, the chains made of them, and their limits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelSettings {
    /// Model servers and command-line tools by name. `openai`, `anthropic`, `gemini` and `ollama` are known without an entry, and so are
    /// the tools `[cli]claude`, `[cli]codex`, `[cli]cursor-agent`, `[cli]gemini` and `[cli]opencode`; `local` is built in.
    pub providers: BTreeMap<String, ProviderSettings>,
    /// Models per role (`research`, `supervision`, `summarization`, `compression`, `synthesis`, `evaluation`); a role without an
    /// entry uses `local:extractive`.
    pub roles: BTreeMap<String, RoleSettings>,
    /// Limits per minute, by name of a provider.
    pub limits: BTreeMap<String, LimitSettings>,
    /// What a `NAME:MODEL` charges, where the built-in table of list prices does not know it or is wrong; in US dollars per million
    /// tokens.
    pub prices: BTreeMap<String, PriceSettings>,
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
    /// A command-line tool, started for each call.
    Tool,
}

impl ProviderKind {
    /// Where the vendor itself is; `None` where there are many of the kind.
    fn home(self) -> Option<&'static str> {
        match self {
            Self::Openai | Self::Tool => None,
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com/v1beta"),
        }
    }

    /// The variable that holds the vendor's key by custom; empty where many servers want none.
    fn key_variable(self) -> &'static str {
        match self {
            Self::Openai | Self::Tool => "",
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
    /// Of a tool: the program, by name or path. A known tool needs none.
    pub command: Option<String>,
    /// Of a tool: its arguments, with `{model}` where the model's name belongs; the prompt comes on standard input. Empty means
    /// those of the known tool.
    pub args: Vec<String>,
    /// Of a tool: environment variables it gets beside `PATH` and `HOME`, by name.
    pub env: Vec<String>,
    /// Of a tool: whether it is kept from reading the keys in the home directory and from writing to anything but its place,
    /// temporary files and the hidden folders of the home directory, where the system can do so (Landlock).
    pub fenced: bool,
    /// How far it is trusted with private texts: `local`, `trusted` or `foreign`. Without it a server on this machine is local, and any
    /// other provider foreign. It matters where `strict_privacy` is on.
    pub trust: Option<ProviderTrust>,
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
            command: None,
            args: Vec::new(),
            env: Vec::new(),
            fenced: true,
            trust: None,
            timeout_seconds: 120.0,
            max_concurrent: 4,
        }
    }
}

/// Whether `name` may be that of an environment variable. A key that was written in its place is told from one, since what is no name
/// is shown to nobody: letters, digits and `_`, and no long mixture of small letters and digits.
pub(super) fn is_variable(name: &str) -> bool {
    let plain =
        name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && !name.starts_with(|c: char| c.is_ascii_digit());
    let mixed = name.bytes().any(|b| b.is_ascii_digit()) && name.bytes().any(|b| b.is_ascii_lowercase());
    plain && !(mixed && name.len() >= SECRET_CHARS)
}

/// A name this long that mixes small letters and digits is a key.
const SECRET_CHARS: usize = 20;

impl ProviderSettings {
    /// The variable that holds its key; `None` where it wants none.
    #[must_use]
    pub fn key_variable(&self) -> Option<&str> {
        self.api_key_env.as_deref().filter(|variable| !variable.is_empty())
    }

    /// The key whose value is wrong, and what it should be.
    fn fault(&self) -> Option<(&'static str, &'static str)> {
        let is_tool = self.kind == ProviderKind::Tool;
        let has_url = self.base_url.as_ref().is_some_and(|url| matches!(url.scheme(), "http" | "https"));
        if !self.key_variable().is_none_or(is_variable) {
            return Some(("api_key_env", "the name of an environment variable, never the key itself"));
        }
        if !self.env.iter().all(|name| is_variable(name)) {
            return Some(("env", "names of environment variables, never their values"));
        }
        let said = self.command.is_some() || !self.args.is_empty() || !self.env.is_empty();
        match (is_tool, has_url) {
            (false, false) => Some(("base_url", "an address that starts with http:// or https://")),
            (false, true) if said => Some(("kind", "`tool`, since `command`, `args` and `env` are for tools")),
            (true, _) if self.base_url.is_some() => Some(("base_url", "absent, since a tool has no address")),
            (true, _) if self.key_variable().is_some() => Some(("api_key_env", "absent: name the variable in `env`")),
            (true, _) if self.command.as_deref().is_none_or(str::is_empty) => Some(("command", "a program")),
            (true, _) if self.args.is_empty() => Some(("args", "a list of texts, one of them with {model} in it")),
            (true | false, _) => None,
        }
    }

    fn resolved(mut self, name: &str) -> Self {
        if let Some(known) = template::of(name).filter(|_| self.kind == ProviderKind::Tool) {
            self.command.get_or_insert_with(|| known.name.to_owned());
            if self.args.is_empty() {
                self.args = known.args.iter().map(|&arg| arg.to_owned()).collect();
            }
        }
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

/// What a model charges, in US dollars per million tokens; absent fields keep the built-in values.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PriceSettings {
    /// Input.
    #[schemars(range(min = 0.0))]
    pub input: Option<f64>,
    /// Input that the provider had cached; without it and without a built-in value, as other input.
    #[schemars(range(min = 0.0))]
    pub cached_input: Option<f64>,
    /// Output.
    #[schemars(range(min = 0.0))]
    pub output: Option<f64>,
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
    /// Tokens of a shared window kept for the answer. Without it, where the window or the longest answer is given: the longest
    /// answer, at most a quarter of the window.
    #[schemars(range(max = 100_000_000))]
    pub output_reserved: Option<u64>,
    /// How its tokens are counted, where its name does not say: `o200k` and `cl100k` are exact.
    pub tokenizer: Option<TokenizerName>,
}

impl ModelSettings {
    /// The server called `name` with the defaults of its kind filled in: as configured, or as known without configuration;
    /// `None` for an unknown name and for `local`.
    #[must_use]
    pub fn provider(&self, name: &str) -> Option<ProviderSettings> {
        let entry = self.providers.get(name).or_else(|| self.tool(name)).cloned();
        entry.or_else(|| known_provider(name)).map(|entry| entry.resolved(name))
    }

    /// Names of the model servers there are, configured or known, and of the built-in model: what is no command-line tool.
    #[must_use]
    pub fn servers(&self) -> BTreeSet<String> {
        let is_server = |name: &&str| self.provider(name).is_some_and(|found| found.kind != ProviderKind::Tool);
        let named = self.providers.keys().map(String::as_str).chain(KNOWN).filter(is_server);
        named.chain(["local"]).map(str::to_owned).collect()
    }

    /// The entry of the tool that a chain calls `[cli]NAME`: `[providers.NAME]`, where that is a tool.
    fn tool(&self, name: &str) -> Option<&ProviderSettings> {
        let entry = self.providers.get(name.strip_prefix(template::PREFIX)?)?;
        (entry.kind == ProviderKind::Tool).then_some(entry)
    }

    /// Keys whose value is wrong, each with what it should be.
    pub(super) fn faults(&self) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        for (name, provider) in &self.providers {
            if name == "local" {
                faults.push((format!("providers.{name}"), "another name: `local` is built in".to_owned()));
            } else if let Some((key, what)) = provider.clone().resolved(name).fault() {
                faults.push((format!("providers.{name}.{key}"), what.to_owned()));
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
            None => tiers::is_vendor(entry),
        }
    }

    fn usable(&self, entry: &str) -> String {
        let name = entry.trim_end_matches(':');
        if self.provider(name).is_some() {
            let example = if name == "ollama" { "ollama:qwen3:4b".to_owned() } else { format!("{name}:MODEL") };
            return format!("NAME:MODEL, such as {example} (`{entry}` names a provider without a model of it)");
        }
        let mut names: Vec<&str> = self.providers.keys().map(String::as_str).chain(KNOWN).collect();
        let tools = template::TEMPLATES.map(|tool| format!("{}{}", template::PREFIX, tool.name));
        names.extend(tools.iter().map(String::as_str));
        names.sort_unstable();
        names.dedup();
        format!(
            "NAME:MODEL with NAME one of {}, or {LOCAL_MODEL}, or a vendor alone (`{entry}` is none of them; add a table \
             [providers.NAME])",
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
    fn a_tool_is_called_as_its_template_says_until_an_entry_says_otherwise() {
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
    fn a_provider_without_a_model_is_told_from_one_that_nobody_knows() {
        let models = ModelSettings::default();
        for (entry, words) in [
            ("ollama", "such as ollama:qwen3:4b (`ollama` names a provider without a model of it)"),
            ("ollama:", "such as ollama:qwen3:4b"),
            ("[cli]claude", "such as [cli]claude:MODEL"),
            ("nobody", "`nobody` is none of them"),
        ] {
            let faults = models.chain_faults("k", &[entry.to_owned()]);
            assert!(faults.len() == 1 && faults[0].1.contains(words), "{entry}: {faults:?}");
        }
    }

    #[test]
    fn a_server_is_told_from_a_tool() {
        let models = models("[providers.claude]\nkind = 'tool'\n[providers.house]\nbase_url = 'http://h/v1'\n");
        let names: Vec<String> = models.servers().into_iter().collect();
        assert_eq!(names, ["anthropic", "gemini", "house", "local", "ollama", "openai"]);
        let models: ModelSettings = toml::from_str("[providers.gemini]\nkind = 'tool'").expect("settings");
        assert!(!models.servers().contains("gemini"));
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

    #[test]
    fn a_key_in_place_of_its_variable_is_told_from_a_name() {
        for (name, is_name) in [
            ("OPENAI_API_KEY", true),
            ("key_of_team_2", true),
            ("K", true),
            ("sk-proj-abcdef", false),
            ("2KEY", false),
            ("a b", false),
            ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", false),
            ("sk_live_4eC39HqLyjWDarjtT1zdp7dc", false),
        ] {
            assert_eq!(is_variable(name), is_name, "{name}");
        }
    }
}
