//! A model provider: its API, its address, the variable of its key and how far it is trusted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::tool::template;
use crate::secret_url::SecretUrl;

/// The API of a model provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// Chat completions, as offered by OpenAI, vLLM, Ollama, llama.cpp and LiteLLM.
    #[default]
    Openai,
    /// Anthropic's Messages API.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
    /// A command-line tool, started for each call.
    Tool,
}

impl ProviderKind {
    /// Returns the vendor's own base URL; `None` for kinds that many servers implement, and for tools.
    fn home(self) -> Option<&'static str> {
        match self {
            Self::Openai | Self::Tool => None,
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com/v1beta"),
        }
    }

    /// Returns the variable that usually holds the vendor's API key; empty for kinds that often need none.
    fn key_variable(self) -> &'static str {
        match self {
            Self::Openai | Self::Tool => "",
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::Gemini => "GEMINI_API_KEY",
        }
    }
}

/// How far a model provider is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderTrust {
    /// Runs on this machine.
    Local,
    /// Runs elsewhere, and may receive private texts.
    Trusted,
    /// Runs elsewhere, and receives no private texts if `strict_privacy` is on.
    Foreign,
}

/// A model server or command-line tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProviderSettings {
    /// API of the provider: `openai` (chat completions), `anthropic`, `gemini`, or `tool` (a command-line tool).
    pub kind: ProviderKind,
    /// Base URL, up to and including `/v1`. If not set, `anthropic` and `gemini` use their vendor's.
    pub base_url: Option<SecretUrl>,
    /// Environment variable that holds the API key; empty if the server needs none. Default: `ANTHROPIC_API_KEY` and
    /// `GEMINI_API_KEY` for these two kinds, none for `openai`.
    pub api_key_env: Option<String>,
    /// Tools only: the program, by name or path. A known tool needs none.
    pub command: Option<String>,
    /// Tools only: the arguments, with `{model}` in place of the model's name; the prompt is passed on standard input. If empty, the
    /// arguments of the known tool are used.
    pub args: Vec<String>,
    /// Tools only: names of environment variables passed to the tool besides `PATH` and `HOME`.
    pub env: Vec<String>,
    /// Tools only: blocks the tool from reading the keys in the home directory and from writing anywhere except its working directory,
    /// temporary files and the hidden folders of the home directory, if the system supports it (Landlock).
    pub fenced: bool,
    /// Trust with private texts: `local`, `trusted` or `foreign`. If not set, a server on this machine is local and any other provider
    /// foreign. Has an effect only if `strict_privacy` is on.
    pub trust: Option<ProviderTrust>,
    /// Seconds without an answer until a call is given up.
    #[serde(rename = "timeout")]
    #[schemars(range(min = 1.0, max = 3_600.0))]
    pub timeout_seconds: f64,
    /// Most concurrent calls, per process.
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

/// Whether `name` can be the name of an environment variable: letters, digits and `_`, and no long mixture of lower-case letters and
/// digits. A user may paste the key itself here; this detects it, so that a secret is rejected and never printed as a name.
pub(super) fn is_variable(name: &str) -> bool {
    let plain =
        name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && !name.starts_with(|c: char| c.is_ascii_digit());
    let mixed = name.bytes().any(|b| b.is_ascii_digit()) && name.bytes().any(|b| b.is_ascii_lowercase());
    plain && !(mixed && name.len() >= SECRET_CHARS)
}

/// A name of this length that mixes lower-case letters and digits is taken for a key.
const SECRET_CHARS: usize = 20;

impl ProviderSettings {
    /// Returns the variable that holds the API key; `None` if the provider needs none.
    #[must_use]
    pub fn key_variable(&self) -> Option<&str> {
        self.api_key_env.as_deref().filter(|variable| !variable.is_empty())
    }

    /// Returns how far the provider is trusted: as configured, else derived from its address. A tool runs on this machine but may send
    /// its texts anywhere, so it is foreign unless configured otherwise.
    #[must_use]
    pub fn trust_level(&self) -> ProviderTrust {
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

    /// Returns the first key whose value is invalid, and the expected value.
    pub(super) fn fault(&self) -> Option<(&'static str, &'static str)> {
        let is_tool = self.kind == ProviderKind::Tool;
        let has_url = self.base_url.as_ref().is_some_and(|url| matches!(url.scheme(), "http" | "https"));
        if !self.key_variable().is_none_or(is_variable) {
            return Some(("api_key_env", "the name of an environment variable, never the key itself"));
        }
        if !self.env.iter().all(|name| is_variable(name)) {
            return Some(("env", "names of environment variables, never their values"));
        }
        let has_tool_keys = self.command.is_some() || !self.args.is_empty() || !self.env.is_empty();
        match (is_tool, has_url) {
            (false, false) => Some(("base_url", "an address that starts with http:// or https://")),
            (false, true) if has_tool_keys => Some(("kind", "`tool`, since `command`, `args` and `env` are for tools")),
            (true, _) if self.base_url.is_some() => Some(("base_url", "no value, since a tool has no address")),
            (true, _) if self.key_variable().is_some() => {
                Some(("api_key_env", "no value for a tool: list the variable in `env`"))
            }
            (true, _) if self.command.as_deref().is_none_or(str::is_empty) => Some(("command", "a program")),
            (true, _) if self.args.is_empty() => Some(("args", "a list of strings, one of them containing {model}")),
            (true | false, _) => None,
        }
    }

    /// Fills in the defaults of the kind and of a known tool called `name`.
    pub(super) fn with_defaults(mut self, name: &str) -> Self {
        if let Some(known) = template::of(name).filter(|_| self.kind == ProviderKind::Tool) {
            self.command.get_or_insert_with(|| known.name.to_owned());
            if self.args.is_empty() {
                self.args = known.args.iter().map(|&arg| arg.to_owned()).collect();
            }
        }
        self.base_url = self.base_url.or_else(|| self.kind.home().map(SecretUrl::from_constant));
        self.api_key_env.get_or_insert_with(|| self.kind.key_variable().to_owned());
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
            assert_eq!(provider.trust_level(), want, "{given}");
        }
    }

    #[test]
    fn a_key_in_place_of_its_variable_is_recognized() {
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
