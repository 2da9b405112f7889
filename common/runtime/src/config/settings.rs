//! The resolved settings of all concerns.

use std::collections::BTreeSet;

use precis_proto::task::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::models::LOCAL_MODEL;
use super::tiers;
use super::{
    ArchiveSettings, CacheSettings, DigestSettings, DoorSettings, ExtractServiceSettings, ExtractionSettings,
    FetchSettings, JudgePolicy, MeaningSettings, ModelSettings, PrivacySettings, ProviderTrust, ReportSettings,
    SearchSettings, ServiceSettings, SpendSettings, StandingSettings, SummarizationSettings, TokenSettings,
    WebhookSettings, WorkerSettings,
};

/// Every setting of a process. Built by [`load`](super::load()); immutable afterwards.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// Token budgeting.
    #[serde(flatten)]
    pub tokens: TokenSettings,
    /// Summaries.
    #[serde(flatten)]
    pub summarization: SummarizationSettings,
    /// Digests.
    #[serde(flatten)]
    pub digest: DigestSettings,
    /// Reading documents.
    #[serde(flatten)]
    pub extraction: ExtractionSettings,
    /// Fetching pages.
    #[serde(flatten)]
    pub fetch: FetchSettings,
    /// Reading pages through an external service.
    #[serde(flatten)]
    pub extract_service: ExtractServiceSettings,
    /// The archive of canonical texts.
    #[serde(flatten)]
    pub archive: ArchiveSettings,
    /// The report.
    #[serde(flatten)]
    pub report: ReportSettings,
    /// What sessions and tenants may spend.
    #[serde(flatten)]
    pub spend: SpendSettings,
    /// The cache on disk.
    #[serde(flatten)]
    pub cache: CacheSettings,
    /// Addresses of services.
    #[serde(flatten)]
    pub services: ServiceSettings,
    /// How a worker works.
    #[serde(flatten)]
    pub worker: WorkerSettings,
    /// Models.
    #[serde(flatten)]
    pub models: ModelSettings,
    /// Searching.
    #[serde(flatten)]
    pub search: SearchSettings,
    /// Which providers may receive private texts.
    #[serde(flatten)]
    pub privacy: PrivacySettings,
    /// Who may call the HTTP door.
    #[serde(flatten)]
    pub door: DoorSettings,
    /// Who is told what standing questions find.
    #[serde(flatten)]
    pub standing: StandingSettings,
    /// Who is told that sessions have ended.
    #[serde(flatten)]
    pub webhooks: WebhookSettings,
    /// Finding by meaning.
    #[serde(flatten)]
    pub meaning: MeaningSettings,
}

impl Settings {
    /// Returns the models of `role`, in the order they are tried; never empty.
    ///
    /// The entry in `roles` wins. Without one, the cheap roles (summarization, compression) use `summarization_provider` and
    /// `summarization_providers`. Without those, the built-in model answers. A vendor's name alone means that vendor's model for the role.
    /// If `strict_privacy` is on, the chains of roles that read private texts contain no foreign model.
    #[must_use]
    pub fn chain(&self, role: Role) -> Vec<String> {
        let named = self.models.roles.get(role.as_str()).map(|r| r.providers.clone()).unwrap_or_default();
        let chain = match role {
            _ if !named.is_empty() => named,
            Role::Summarization | Role::Compression => self.cheap_chain(),
            // Whoever writes a report judges it, unless somebody else is named.
            Role::Evaluation if self.report.judge != JudgePolicy::Off => return self.chain(Role::Synthesis),
            Role::Research | Role::Supervision | Role::Synthesis | Role::Evaluation | Role::Embedding => Vec::new(),
        };
        let chain: Vec<String> = chain.iter().map(|entry| tiers::model(entry, role)).collect();
        let chain = if chain.is_empty() { vec![LOCAL_MODEL.to_owned()] } else { chain };
        self.permitted_links(role, chain)
    }

    /// Whether a model is named for `role` itself.
    #[must_use]
    pub fn names(&self, role: Role) -> bool {
        let named = self.models.roles.get(role.as_str()).and_then(|named| named.providers.first());
        named.is_some_and(|first| first != LOCAL_MODEL)
    }

    fn cheap_chain(&self) -> Vec<String> {
        let mut chain: Vec<String> = self.summarization.provider.clone().into_iter().collect();
        for entry in &self.summarization.providers {
            if !chain.contains(entry) {
                chain.push(entry.clone());
            }
        }
        chain
    }

    /// Whether `chain` contains a model, given as `NAME:MODEL`, that must not receive private texts.
    #[must_use]
    pub fn is_kept_from(&self, chain: &[String]) -> bool {
        self.privacy.is_strict && chain.iter().any(|link| self.is_foreign(link))
    }

    /// Returns the names of the providers that must not receive private texts: the foreign ones if `strict_privacy` is on, else none.
    #[must_use]
    pub fn strangers(&self) -> BTreeSet<String> {
        let chains = Role::ALL.into_iter().flat_map(|role| self.chain(role));
        let foreign = chains.filter(|link| self.privacy.is_strict && self.is_foreign(link));
        foreign.filter_map(|link| link.split_once(':').map(|(name, _)| name.to_owned())).collect()
    }

    /// Returns the links of `chain` that may receive the texts of `role`: without the foreign ones if `strict_privacy` is on and the role
    /// reads private texts. Supervision and research also read public texts; their phases send foreign models only those.
    fn permitted_links(&self, role: Role, chain: Vec<String>) -> Vec<String> {
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
            && self.models.provider(name).is_none_or(|provider| provider.trust_level() == ProviderTrust::Foreign)
    }

    /// Names the server of vectors if a model of meaning is named too: there is one source of vectors.
    fn embedding_faults(&self) -> Vec<(String, String)> {
        let is_twice = self.models.embedding().is_some() && self.meaning.meaning.model().is_some();
        let expected = "no entry while `meaning.model` names a model (set it to \"off\", or remove this table)";
        is_twice.then(|| ("roles.embedding".to_owned(), expected.to_owned())).into_iter().collect()
    }

    /// Lists keys of standing questions that name what is not there.
    fn standing_faults(&self) -> Vec<(String, String)> {
        let named = self.standing.endpoint.as_ref();
        let is_missing =
            named.is_some_and(|name| self.webhooks.webhooks.get(name).is_none_or(|known| known.url.is_none()));
        let fault =
            || ("standing_endpoint".to_owned(), "the name of a `[webhooks.NAME]` that has an address".to_owned());
        is_missing.then(fault).into_iter().collect()
    }

    /// Lists the keys whose value has the right type and range but is invalid, each with the expected value.
    pub(super) fn faults(&self) -> Vec<(String, String)> {
        let mut faults = self.services.faults();
        faults.extend(self.fetch.faults());
        faults.extend(self.extract_service.faults());
        faults.extend(self.models.faults());
        faults.extend(self.search.faults());
        faults.extend(self.spend.faults());
        faults.extend(self.standing.faults());
        faults.extend(self.door.faults());
        faults.extend(self.webhooks.faults());
        faults.extend(self.standing_faults());
        faults.extend(self.embedding_faults());
        let first: Vec<String> = self.summarization.provider.clone().into_iter().collect();
        faults.extend(self.models.chain_faults("summarization_provider", &first));
        faults.extend(self.models.chain_faults("summarization_providers", &self.summarization.providers));
        faults
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(toml: &str) -> Settings {
        toml::from_str(toml).expect("settings")
    }

    #[test]
    fn without_configuration_every_role_is_answered_by_the_built_in_model() {
        for role in Role::ALL {
            assert_eq!(Settings::default().chain(role), [LOCAL_MODEL]);
        }
    }

    #[test]
    fn cheap_roles_share_the_summarization_chain_until_set() {
        let s = settings(
            "summarization_provider = 'ollama:a'\nsummarization_providers = ['ollama:a', 'ollama:b']\n\
             [roles.compression]\nproviders = ['openai:c']",
        );
        assert_eq!(s.chain(Role::Summarization), ["ollama:a", "ollama:b"]);
        assert_eq!(s.chain(Role::Compression), ["openai:c"]);
        assert_eq!(s.chain(Role::Synthesis), [LOCAL_MODEL]);
    }

    fn private(is_strict: bool) -> Settings {
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
        assert_eq!(private(false).chain(Role::Synthesis), all);
        assert_eq!(private(true).chain(Role::Synthesis), ["near:a", "friend:c"]);
        assert_eq!(private(true).chain(Role::Research), all, "its phases see to it");
        assert_eq!(private(true).chain(Role::Compression), [LOCAL_MODEL]);
        let chain: Vec<String> = all.map(str::to_owned).into();
        assert!(private(true).is_kept_from(&chain) && !private(true).is_kept_from(&chain[..1]));
        assert!(!private(false).is_kept_from(&chain));
        assert_eq!(private(true).strangers().into_iter().collect::<Vec<_>>(), ["far"]);
        assert!(private(false).strangers().is_empty());
    }
}
