//! How vectors are asked for: the keys of `[roles.embedding]` beside its model.

use precis_proto::task::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most texts of one request, unless configured otherwise: the least that a widespread server takes.
const BATCH_TEXTS: u64 = 32;
/// Most tokens of one request, unless configured otherwise: half of what a widespread server takes. Chosen, not measured.
const BATCH_TOKENS: u64 = 8_192;
/// Most numbers of a vector: twice as many as known models give.
const MAX_DIMENSIONS: u64 = 8_192;

/// How vectors are asked for; only the role `embedding` has these keys.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct VectorSettings {
    /// `embedding` only, and required there: how many numbers a vector of the model has. An answer with another number is refused.
    #[schemars(range(min = 1, max = 8_192))]
    pub dimensions: Option<u64>,
    /// `embedding` only: what is put before a question, such as `query: ` for models of the family e5. Default: nothing.
    pub query_prefix: Option<String>,
    /// `embedding` only: what is put before a passage, such as `passage: ` for models of the family e5. Default: nothing.
    pub passage_prefix: Option<String>,
    /// `embedding` only: most texts of one request. Default: 32.
    #[schemars(range(min = 1, max = 2_048))]
    pub batch_texts: Option<u64>,
    /// `embedding` only: most tokens of one request, as counted here; a text that alone has more is cut. Default: 8192.
    #[schemars(range(min = 16, max = 1_000_000))]
    pub batch_tokens: Option<u64>,
}

impl VectorSettings {
    /// Most texts of one request.
    #[must_use]
    pub fn batch_texts(&self) -> u64 {
        self.batch_texts.unwrap_or(BATCH_TEXTS)
    }

    /// Most tokens of one request.
    #[must_use]
    pub fn batch_tokens(&self) -> u64 {
        self.batch_tokens.unwrap_or(BATCH_TOKENS)
    }

    /// Lists what is wrong with the keys of the role `embedding`.
    pub(super) fn faults(&self) -> Vec<(String, String)> {
        let is_lacking = self.dimensions.is_none_or(|n| !(1..=MAX_DIMENSIONS).contains(&n));
        let expected = || {
            let expected = format!("how many numbers a vector of the model has, 1 to {MAX_DIMENSIONS}");
            (format!("roles.{}.dimensions", Role::Embedding.as_str()), expected)
        };
        is_lacking.then(expected).into_iter().collect()
    }

    /// Lists the keys that `role`, which answers tasks, must not have.
    pub(super) fn faults_elsewhere(&self, role: &str) -> Vec<(String, String)> {
        let given = [
            ("dimensions", self.dimensions.is_some()),
            ("query_prefix", self.query_prefix.is_some()),
            ("passage_prefix", self.passage_prefix.is_some()),
            ("batch_texts", self.batch_texts.is_some()),
            ("batch_tokens", self.batch_tokens.is_some()),
        ];
        let fault = |key: &str| (format!("roles.{role}.{key}"), "no value: only `roles.embedding` has it".to_owned());
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(key, _)| fault(key)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::models::ModelSettings;
    use super::*;

    /// The keys at fault of these settings.
    fn faults(toml: &str) -> Vec<String> {
        let models: ModelSettings = toml::from_str(toml).expect("settings");
        models.faults().into_iter().map(|(key, _)| key).collect()
    }

    #[test]
    fn a_server_of_vectors_is_one_model_of_the_right_kind_with_its_dimensions() {
        let of = |providers: &str, more: &str| faults(&format!("[roles.embedding]\nproviders = {providers}\n{more}"));
        let fine = "dimensions = 8";
        assert!(of("['openai:v']", fine).is_empty() && of("['ollama:bge-m3']", fine).is_empty());
        assert!(of("[]", "").is_empty(), "off");
        for (providers, more, key) in [
            ("['openai:v', 'openai:w']", fine, "providers"),
            ("['gemini:v']", fine, "providers"),
            ("['anthropic:v']", fine, "providers"),
            ("['local:extractive']", fine, "providers"),
            ("['openai']", fine, "providers"),
            ("['openai:v']", "", "dimensions"),
            ("['openai:v']", "dimensions = 0", "dimensions"),
            ("['openai:v']", "dimensions = 8193", "dimensions"),
        ] {
            let key = format!("roles.embedding.{key}");
            assert!(of(providers, more).contains(&key), "{providers} {more}");
        }
        assert!(of("['openai:v']", "dimensions = 1").is_empty() && of("['openai:v']", "dimensions = 8192").is_empty());
    }

    #[test]
    fn only_the_role_embedding_has_these_keys() {
        for key in
            ["dimensions = 8", "query_prefix = ''", "passage_prefix = ''", "batch_texts = 2", "batch_tokens = 99"]
        {
            let name = key.split(' ').next().expect("a name");
            let found = faults(&format!("[roles.synthesis]\nproviders = ['openai:m']\n{key}"));
            assert_eq!(found, [format!("roles.synthesis.{name}")]);
            let more = if name == "dimensions" { "" } else { "dimensions = 8\n" };
            assert!(faults(&format!("[roles.embedding]\nproviders = ['openai:m']\n{more}{key}")).is_empty(), "{key}");
        }
    }

    #[test]
    fn a_request_is_as_large_as_configured() {
        let default = VectorSettings::default();
        assert_eq!((default.batch_texts(), default.batch_tokens()), (32, 8_192));
        let own: VectorSettings = toml::from_str("batch_texts = 1\nbatch_tokens = 16").expect("settings");
        assert_eq!((own.batch_texts(), own.batch_tokens()), (1, 16));
    }
}
