//! One search provider at run time: its client, its limit of concurrent requests, and the pause it asked for.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::Instant;
use url::Url;

use super::adapter;
use super::answer::{DroppedResults, WebHit};
use super::call::{SearchCall, bare_domain};
use super::client::SearchClient;
use super::config::{SearchProviderConfig, SearchSetupError};
use super::failure::{ProviderFailure, SearchCode};
use super::kind::SearchKind;
use super::provider_request::{ProviderQuery, RequestConfig};
use super::result_filter::choose;
use super::result_page::ResultPage;
use super::{rates, refusal};
use crate::http::retry_after;
use crate::model::excerpt;
use crate::store::LimitPolicy;

/// A search provider at run time.
#[derive(Debug)]
pub(super) struct Searcher {
    pub(super) config: SearchProviderConfig,
    /// Name and value of its limit per minute over the whole fleet.
    pub(super) limits: (String, LimitPolicy),
    /// One permit per concurrent request; taken before a request, returned after its answer.
    pub(super) permits: Arc<Semaphore>,
    /// No request is sent before this time; set when a response asks for a wait, checked before each request, ignored once past.
    not_before: Mutex<Option<Instant>>,
    wire: SearchClient,
}

/// A search normalised to one provider's limits.
#[derive(Debug, Clone)]
pub(super) struct FittedQuery {
    pub(super) query: String,
    pub(super) query_cut: bool,
    pub(super) results: usize,
    allow_domains: Vec<String>,
    deny_domains: Vec<String>,
    call: SearchCall,
}

impl FittedQuery {
    pub(super) fn provider_query(&self, results: usize) -> ProviderQuery<'_> {
        ProviderQuery {
            query: &self.query,
            results,
            allow_domains: &self.allow_domains,
            deny_domains: &self.deny_domains,
            since: self.call.since,
            language: self.call.language.as_deref().filter(|language| is_language(language)),
            today: jiff::Zoned::now().with_time_zone(jiff::tz::TimeZone::UTC).date(),
        }
    }

    /// Returns the parts that decide the answer.
    pub(super) fn identity(&self) -> Vec<String> {
        let since = self.call.since.map_or_else(String::new, |since| since.to_string());
        let language = self.call.language.clone().unwrap_or_default();
        let domains = |domains: &[String]| domains.join(",");
        vec![
            self.query.to_lowercase(),
            self.results.to_string(),
            domains(&self.allow_domains),
            domains(&self.deny_domains),
            since,
            language,
        ]
    }
}

/// Whether `text` is two lower-case letters; anything else may make a whole request invalid.
fn is_language(text: &str) -> bool {
    text.len() == 2 && text.bytes().all(|b| b.is_ascii_lowercase())
}

impl Searcher {
    pub(super) fn new(config: &SearchProviderConfig) -> Result<Self, SearchSetupError> {
        config.check()?;
        let wire = SearchClient::new(config)?;
        Ok(Self {
            limits: limits(config, &wire.base),
            permits: Arc::new(Semaphore::new(config.kind.at_once())),
            not_before: Mutex::new(None),
            wire,
            config: config.clone(),
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.config.name
    }

    pub(super) fn base(&self) -> &Url {
        &self.wire.base
    }

    /// Normalises `call` to this provider's limits.
    pub(super) fn fit(&self, call: &SearchCall) -> FittedQuery {
        let kind = self.config.kind;
        let (query, query_cut) = call.query.fit(kind.query_limit());
        let bare = |domains: &[String]| {
            let mut bare: Vec<String> = domains.iter().map(|domain| bare_domain(domain)).collect();
            bare.retain(|domain| !domain.is_empty());
            bare.sort_unstable();
            bare.dedup();
            bare
        };
        FittedQuery {
            query: query.to_owned(),
            query_cut,
            results: call.results(),
            allow_domains: bare(&call.allow_domains),
            deny_domains: bare(&call.deny_domains),
            call: call.clone(),
        }
    }

    /// Sends one request and reads its results.
    ///
    /// # Errors
    /// A failure without key, query or URL, with a remedy.
    pub(super) async fn ask(&self, fitted: &FittedQuery) -> Result<ResultPage, ProviderFailure> {
        let kind = self.config.kind;
        let asked = fitted.provider_query(fitted.results.min(kind.most_results()));
        let result = match self.wire.send(&adapter::request(kind, &asked, &self.own())).await {
            Ok(answered) => {
                let now = jiff::Timestamp::now();
                let pause = rates::pause(&answered.headers, now.as_millisecond() as f64 / 1_000.0);
                if let Some(pause) = pause {
                    self.hold_off(pause);
                }
                let read = self.read(fitted, answered.status, &answered.body);
                read.map_err(|failure| match answered.status {
                    200 => failure,
                    _ => {
                        let asked_for = retry_after::read(&answered.headers, now);
                        let is_limit = matches!(failure.code, SearchCode::RateLimited | SearchCode::QuotaExhausted);
                        ProviderFailure { retry_after: asked_for.or(pause.filter(|_| is_limit)), ..failure }
                    }
                })
            }
            Err(failure) => Err(failure),
        };
        result.map_err(|failure| self.explain_failure(failure))
    }

    /// Reads a response.
    ///
    /// # Errors
    /// A refusal, or a response that is not in the documented format.
    pub(super) fn read(&self, fitted: &FittedQuery, status: u16, body: &[u8]) -> Result<ResultPage, ProviderFailure> {
        let kind = self.config.kind;
        if status == 200 {
            return adapter::answer(
                kind,
                body,
                &fitted.provider_query(fitted.results.min(kind.most_results())),
                &self.own(),
            );
        }
        let refusal = refusal::read(kind, status, body);
        let said = format!("{status} {}", self.display_message(&refusal.message, fitted));
        Err(ProviderFailure::new(refusal.code, said.trim_end()))
    }

    /// Returns the hits among the provider's results, and the counts of results left out.
    pub(super) fn choose(&self, fitted: &FittedQuery, page: ResultPage) -> (Vec<WebHit>, DroppedResults) {
        choose(self.config.kind, self.base(), &fitted.provider_query(fitted.results), fitted.results, page.hits)
    }

    fn own(&self) -> RequestConfig<'_> {
        RequestConfig { base: &self.wire.base, contact: self.config.contact.as_deref(), cx: self.config.cx.as_deref() }
    }

    /// Adds this provider's name and a remedy to `failure`.
    pub(super) fn explain_failure(&self, failure: ProviderFailure) -> ProviderFailure {
        let advice = failure.advice.clone().or_else(|| self.advice(failure.code));
        ProviderFailure { provider: self.config.name.clone(), advice, ..failure }
    }

    /// Returns the provider's message for a report: short, without the key and without the query.
    fn display_message(&self, message: &str, fitted: &FittedQuery) -> String {
        // The key first: the excerpt may be cut in the middle of it.
        let said = excerpt::of(&self.wire.without_key(message));
        excerpt::without_sent(&said, std::iter::once(fitted.query.as_str())).trim_end_matches('.').to_owned()
    }

    fn advice(&self, code: SearchCode) -> Option<String> {
        let SearchProviderConfig { name, kind, key_variable, .. } = &self.config;
        let table = format!("[search.providers.{name}]");
        let advice = match (code, kind) {
            (SearchCode::Unauthorized, SearchKind::Wikipedia) => format!("check `contact` in {table}"),
            (SearchCode::Unauthorized, _) => match key_variable {
                Some(variable) => format!("check the key in the environment variable {variable}"),
                None => format!("name the environment variable of its key: set api_key_env in {table}"),
            },
            (SearchCode::JsonDisabled, _) => {
                "enable JSON output of the instance: set `formats: [html, json]` under `search:` in its settings.yml"
                    .to_owned()
            }
            (SearchCode::RateLimited, SearchKind::Searxng) => {
                "allow this machine in the limiter of the instance".to_owned()
            }
            (SearchCode::RateLimited, SearchKind::SemanticScholar) if self.config.api_key.is_none() => {
                "without a key all users share one limit: set SEMANTIC_SCHOLAR_API_KEY".to_owned()
            }
            (SearchCode::RateLimited, _) => format!("lower `requests_per_minute` in {table}"),
            (SearchCode::QuotaExhausted, SearchKind::Openalex) if self.config.api_key.is_none() => {
                "without a key only a few searches a day are allowed: set OPENALEX_API_KEY".to_owned()
            }
            (SearchCode::QuotaExhausted, _) => "check the plan of the account, or use another provider".to_owned(),
            (SearchCode::ConnectFailed, _) => {
                let place = self.wire.base.origin().ascii_serialization();
                format!("check that {place} can be reached, or correct base_url in {table}")
            }
            (SearchCode::Timeout, _) => format!("raise `timeout` in {table}"),
            _ => return None,
        };
        Some(advice)
    }

    /// Records that the provider asked for no request for `wait`.
    pub(super) fn hold_off(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let mut not_before = self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
        // A later response may ask for less: the longest pause holds.
        *not_before = Some(not_before.map_or(until, |known| known.max(until)));
    }

    /// Returns the rest of the pause the provider asked for; zero if there is none.
    pub(super) fn unwelcome(&self) -> Duration {
        let not_before = *self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
        not_before.map_or(Duration::ZERO, |at| at.saturating_duration_since(Instant::now()))
    }
}

/// Returns the name and value of a provider's limit. Without a key the provider counts requests by our address, so all configured
/// providers of the same kind and host share one limit.
fn limits(config: &SearchProviderConfig, base: &Url) -> (String, LimitPolicy) {
    let pace = config.kind.pace();
    let requests = match (config.requests_per_minute, pace.per_minute) {
        (Some(own), Some(most)) if pace.is_strict => Some(own.min(most)),
        (own, known) => own.or(known),
    };
    let name = match config.api_key {
        Some(_) => format!("search:{}", config.name),
        None => format!("search:{}:{}", config.kind, base.origin().ascii_serialization()),
    };
    (name, LimitPolicy { requests, is_even: pace.is_strict, ..LimitPolicy::default() })
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::*;

    fn config(name: &str, kind: SearchKind) -> SearchProviderConfig {
        SearchProviderConfig::new(name, kind, kind.home().unwrap_or("http://localhost:8888"))
    }

    fn of(config: &SearchProviderConfig) -> Searcher {
        Searcher::new(config).expect("is well configured")
    }

    #[test]
    fn two_names_of_one_keyless_address_share_its_limit() {
        let limit = |config: &SearchProviderConfig| of(config).limits;
        let (one, two) = (limit(&config("arxiv", SearchKind::Arxiv)), limit(&config("papers", SearchKind::Arxiv)));
        assert_eq!(one, two);
        let even = LimitPolicy { requests: Some(20), is_even: true, ..LimitPolicy::default() };
        assert_eq!(one, ("search:arxiv:https://export.arxiv.org".to_owned(), even));
        let key = |name: &str| SearchProviderConfig {
            api_key: Some("k".to_owned().into()),
            ..config(name, SearchKind::Brave)
        };
        assert_ne!(limit(&key("one")).0, limit(&key("two")).0);
    }

    #[test]
    fn a_strict_pace_can_be_lowered_and_never_raised() {
        for (kind, own, requests) in [
            (SearchKind::Arxiv, Some(19), Some(19)),
            (SearchKind::Arxiv, Some(20), Some(20)),
            (SearchKind::Arxiv, Some(21), Some(20)),
            (SearchKind::Brave, Some(3_000), Some(3_000)),
            (SearchKind::Brave, None, Some(60)),
            (SearchKind::Searxng, None, None),
        ] {
            let config = SearchProviderConfig { requests_per_minute: own, ..config("x", kind) };
            assert_eq!(of(&config).limits.1.requests, requests, "{kind} {own:?}");
        }
    }

    #[test]
    fn a_provider_message_is_shown_without_key_and_query() {
        let key = SecretString::from("tvly-hidden".to_owned());
        let searcher = of(&SearchProviderConfig { api_key: Some(key), ..config("tavily", SearchKind::Tavily) });
        let call = SearchCall::new(super::super::PublicQuery::of_user("merger of Acme"), Vec::new());
        let shown = searcher.display_message("cannot search merger for tvly-hidden.", &searcher.fit(&call));
        assert_eq!(shown, "cannot search *** for ***");
        assert!(!format!("{searcher:?}").contains("hidden"));
    }

    #[test]
    fn an_invalid_address_or_a_wiki_without_contact_is_refused_by_name() {
        for base_url in ["", "ftp://host", "no address"] {
            let config = SearchProviderConfig::new("p", SearchKind::Searxng, base_url);
            let error = Searcher::new(&config).expect_err("makes no sense").to_string();
            assert!(error.starts_with("search.providers.p.base_url"), "{error}");
        }
        let error = Searcher::new(&config("wikipedia", SearchKind::Wikipedia)).expect_err("no contact").to_string();
        assert!(error.contains("set `contact` in [search.providers.wikipedia]"), "{error}");
    }

    #[test]
    fn a_search_is_the_same_however_its_domains_are_written() {
        let searcher = of(&config("x", SearchKind::Crossref));
        let call = |domains: [&str; 2]| SearchCall {
            allow_domains: domains.map(str::to_owned).into(),
            ..SearchCall::new(super::super::PublicQuery::of_user("Dams"), Vec::new())
        };
        let identity = |domains| searcher.fit(&call(domains)).identity();
        assert_eq!(identity(["B.org", "*.a.org"]), identity(["a.org", "b.org."]));
        assert_ne!(identity(["a.org", "b.org"]), identity(["a.org", "c.org"]));
    }
}
