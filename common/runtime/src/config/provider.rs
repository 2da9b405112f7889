//! One provider of models: what it speaks, where it is, how its key is found and how far it is trusted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::secret_url::SecretUrl;
use crate::model::tool::template;

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

    /// The key whose value is wrong, and what it should be.
    pub(super) fn fault(&self) -> Option<(&'static str, &'static str)> {
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

    pub(super) fn resolved(mut self, name: &str) -> Self {
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
            assert_eq!(provider.trusted(), want, "{given}");
        }
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
