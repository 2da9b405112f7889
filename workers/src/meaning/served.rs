//! The model of a server: which it is, and how it is asked.

use precis_proto::ids::sha256_hex;
use precis_proto::meaning::MeaningServer;
use precis_proto::task::Role;
use precis_runtime::config::{LOCAL_MODEL, Settings};
use precis_runtime::model::embedding::most_texts;
use serde_json::json;

use super::batches::BatchLimits;

/// The model that `[roles.embedding]` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedModel {
    /// What the vectors depend on, as [`MeaningServer::key`] writes it.
    pub(super) key: String,
    /// `NAME:MODEL`.
    pub(super) link: String,
    /// Numbers of a vector.
    pub(super) dimensions: usize,
    pub(super) query_prefix: String,
    pub(super) passage_prefix: String,
    pub(super) limits: BatchLimits,
}

impl ServedModel {
    /// The configured model; `None` if no server is configured, or it may not receive private texts.
    #[must_use]
    pub fn from_settings(settings: &Settings) -> Option<Self> {
        let role = settings.models.embedding()?;
        let link = settings.chain(Role::Embedding).into_iter().next().filter(|link| link != LOCAL_MODEL)?;
        let (name, model) = link.split_once(':')?;
        let address = settings.models.provider(name)?.base_url?.address();
        let dimensions = role.vectors.dimensions?;
        let query_prefix = role.vectors.query_prefix.clone().unwrap_or_default();
        let passage_prefix = role.vectors.passage_prefix.clone().unwrap_or_default();
        let parts = json!([address, model, dimensions, query_prefix, passage_prefix]).to_string();
        let key = MeaningServer::new(&*link, dimensions).key(&sha256_hex(parts.as_bytes()));
        let dimensions = usize::try_from(dimensions).ok()?;
        let texts = usize::try_from(role.vectors.batch_texts()).unwrap_or(usize::MAX);
        // An answer is read up to a limit, which the vectors of many texts would pass.
        let limits = BatchLimits { texts: texts.min(most_texts(dimensions)), tokens: role.vectors.batch_tokens() };
        Some(Self { key, link, dimensions, query_prefix, passage_prefix, limits })
    }

    /// Whether a server is configured that must not receive private texts.
    #[must_use]
    pub fn is_kept_out(settings: &Settings) -> bool {
        settings.models.embedding().is_some() && settings.chain(Role::Embedding) == [LOCAL_MODEL]
    }

    /// `NAME:MODEL`.
    #[must_use]
    pub fn link(&self) -> &str {
        &self.link
    }

    /// Numbers of a vector.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::meaning::read_meaning_key;

    use super::*;

    fn served(change: impl FnOnce(&mut serde_json::Value)) -> Option<ServedModel> {
        let mut given = json!({
            "providers": { "house": { "base_url": "http://ada:hidden@127.0.0.1:9/v1/?key=hidden" } },
            "roles": { "embedding": { "providers": ["house:bge:m3"], "dimensions": 1_024 } },
        });
        change(&mut given);
        ServedModel::from_settings(&serde_json::from_value(given).expect("settings"))
    }

    #[test]
    fn its_name_depends_on_whatever_its_vectors_depend_on() {
        let plain = served(|_| {}).expect("a model");
        let (sha256, server) = read_meaning_key(&plain.key);
        assert_eq!((sha256.len(), server), (64, Some(MeaningServer::new("house:bge:m3", 1_024))));
        let mut keys = vec![plain.key.clone()];
        keys.extend([
            served(|s| s["providers"]["house"]["base_url"] = json!("http://127.0.0.1:10/v1")).expect("a model").key,
            served(|s| s["roles"]["embedding"]["providers"] = json!(["house:bge:m4"])).expect("a model").key,
            served(|s| s["roles"]["embedding"]["dimensions"] = json!(384)).expect("a model").key,
            served(|s| s["roles"]["embedding"]["query_prefix"] = json!("query: ")).expect("a model").key,
            served(|s| s["roles"]["embedding"]["passage_prefix"] = json!("query: ")).expect("a model").key,
        ]);
        let all = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), all, "each its own");
        let same = served(|s| {
            s["providers"]["house"]["base_url"] = json!("http://eve:other@127.0.0.1:9/v1");
            s["roles"]["embedding"]["batch_texts"] = json!(3);
        });
        assert_eq!(same.expect("a model").key, plain.key, "neither secrets nor batches");
        assert!(!format!("{plain:?}").contains("hidden"));
    }

    #[test]
    fn a_batch_is_as_configured_and_its_answer_can_be_read() {
        let texts = |n: u64, dimensions: u64| {
            served(|s| {
                s["roles"]["embedding"]["batch_texts"] = json!(n);
                s["roles"]["embedding"]["dimensions"] = json!(dimensions);
            })
            .map(|model| model.limits.texts)
        };
        assert_eq!(served(|_| {}).expect("a model").limits, BatchLimits { texts: 32, tokens: 8_192 });
        assert_eq!(texts(2, 1_024), Some(2));
        assert_eq!(texts(2_048, 1_024), Some(most_texts(1_024)));
    }

    #[test]
    fn a_foreign_server_is_kept_out_where_privacy_is_strict() {
        let strict = |is_strict: bool, url: &str| -> Settings {
            let given = json!({
                "strict_privacy": is_strict,
                "providers": { "house": { "base_url": url } },
                "roles": { "embedding": { "providers": ["house:m"], "dimensions": 8 } },
            });
            serde_json::from_value(given).expect("settings")
        };
        for (is_strict, url, is_used) in [
            (true, "https://vectors.example/v1", false),
            (false, "https://vectors.example/v1", true),
            (true, "http://127.0.0.1:9/v1", true),
        ] {
            let settings = strict(is_strict, url);
            assert_eq!(ServedModel::from_settings(&settings).is_some(), is_used, "{is_strict} {url}");
            assert_eq!(ServedModel::is_kept_out(&settings), !is_used, "{is_strict} {url}");
        }
        assert!(!ServedModel::is_kept_out(&Settings::default()));
    }
}
