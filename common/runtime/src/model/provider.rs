//! One provider: its configuration, its limit of concurrent requests, and the pause it asked for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use secrecy::SecretString;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::error::ModelsError;
use super::failure::{Code, Failure};
use super::gate::PreparedPayload;
use super::server::{Server, ServerConfig};
use super::tool::{CommandTool, ToolConfig};
use super::vendor::Vendor;
use crate::secret_url::without_secrets;
use crate::store::LimitPolicy;

/// The kind of provider.
#[derive(Debug, Clone)]
pub enum Endpoint {
    /// A model server over HTTP.
    Server(ServerConfig),
    /// A command-line tool.
    Tool(ToolConfig),
}

/// A provider as resolved from configuration and environment.
#[derive(Debug, Clone)]
pub struct ProviderConfig {
    /// Its name in chains: the part before the colon.
    pub name: String,
    /// A server or a command-line tool.
    pub endpoint: Endpoint,
    /// Longest wait for a complete answer.
    pub timeout: Duration,
    /// Most concurrent requests of this process; at least 1.
    pub max_concurrent: usize,
    /// Limits per minute over the whole fleet.
    pub limits: LimitPolicy,
    /// The environment variable that holds its key; named in the remedy if the key is refused.
    pub key_variable: Option<String>,
}

impl ProviderConfig {
    /// A provider with the defaults: a timeout of two minutes (as long as one summary may take), four concurrent requests, no limits.
    #[must_use]
    pub fn new(name: impl Into<String>, endpoint: Endpoint) -> Self {
        Self {
            name: name.into(),
            endpoint,
            timeout: Duration::from_secs(120),
            max_concurrent: 4,
            limits: LimitPolicy::default(),
            key_variable: None,
        }
    }

    /// Returns the operator's remedy for a failure with `code`, if there is one; lower case, no full stop.
    fn advice(&self, code: Code) -> Option<String> {
        let table = format!("[providers.{}]", self.name.strip_prefix("[cli]").unwrap_or(&self.name));
        let advice = match (code, &self.endpoint) {
            (Code::Unauthorized, Endpoint::Server(_)) => match &self.key_variable {
                Some(variable) => format!("check the key in the environment variable {variable}"),
                None => format!("name the environment variable of its key: set api_key_env in {table}"),
            },
            (Code::Unauthorized, Endpoint::Tool(tool)) => {
                format!("sign in with `{}` once, or list the variable of its key in `env` of {table}", tool.command)
            }
            (Code::ToolMissing, Endpoint::Tool(tool)) => {
                let name = tool.command.rsplit('/').next().unwrap_or_default();
                format!("install `{name}`, or set `command` in {table}")
            }
            (Code::Connect, Endpoint::Server(server)) => {
                format!("start the server at {}, or correct base_url in {table}", host(&server.base_url))
            }
            (Code::Timeout, _) => format!("raise `timeout` in {table}"),
            _ => return None,
        };
        Some(advice)
    }

    /// Returns the address it is asked at: scheme, host, port and path, which contain no secret; empty for a tool.
    #[must_use]
    pub fn address(&self) -> String {
        let Endpoint::Server(server) = &self.endpoint else { return String::new() };
        url::Url::parse(&server.base_url).map_or_else(|_| String::new(), |url| without_secrets(&url))
    }

    /// A model server with the defaults.
    #[must_use]
    pub fn server(
        name: impl Into<String>,
        vendor: Vendor,
        base_url: impl Into<String>,
        api_key: Option<SecretString>,
    ) -> Self {
        Self::new(name, Endpoint::Server(ServerConfig { vendor, base_url: base_url.into(), api_key }))
    }

    /// An OpenAI-compatible server without a key, with the defaults.
    #[must_use]
    pub fn openai(name: impl Into<String>, base_url: impl Into<String>) -> Self {
        Self::server(name, Vendor::OpenAi, base_url, None)
    }
}

/// Reads the key from the environment variable `variable` through `read`; `None` if `variable` is empty.
///
/// # Errors
/// [`ModelsError::MissingKey`] names the variable if it is unset or empty.
pub fn key_from(
    provider: &str,
    variable: &str,
    read: impl Fn(&str) -> Option<String>,
) -> Result<Option<SecretString>, ModelsError> {
    if variable.is_empty() {
        return Ok(None);
    }
    match read(variable).map(|key| key.trim().to_owned()).filter(|key| !key.is_empty()) {
        Some(key) => Ok(Some(SecretString::from(key))),
        None => Err(ModelsError::MissingKey { name: provider.to_owned(), variable: variable.to_owned() }),
    }
}

/// Builds the environment of a tool through `read`: `PATH` and `HOME` if set, and each of `variables`.
///
/// # Errors
/// [`ModelsError::MissingVariable`] names the variable that is unset.
pub fn environment_from(
    provider: &str,
    variables: &[String],
    read: impl Fn(&str) -> Option<String>,
) -> Result<Vec<(String, SecretString)>, ModelsError> {
    let always = ["PATH", "HOME"].into_iter().filter_map(|name| Some((name.to_owned(), read(name)?.into())));
    let mut environment: Vec<(String, SecretString)> = always.collect();
    for variable in variables {
        let missing = || ModelsError::MissingVariable { name: provider.to_owned(), variable: variable.clone() };
        environment.push((variable.clone(), read(variable).ok_or_else(missing)?.into()));
    }
    Ok(environment)
}

/// A provider at run time.
#[derive(Debug)]
pub(super) struct Provider {
    pub(super) name: String,
    /// Longest wait for a complete answer.
    pub(super) timeout: Duration,
    /// Limits per minute over the whole fleet.
    pub(super) limits: LimitPolicy,
    /// One permit per concurrent request; taken before a request, returned after its answer.
    pub(super) permits: Arc<Semaphore>,
    /// No request is sent before this time; set when a response asks for a wait, checked before each request, ignored once past.
    not_before: Mutex<Option<Instant>>,
    /// Windows named in refusals, by model; kept for the life of the process.
    windows: Mutex<BTreeMap<String, u64>>,
    pub(super) transport: Transport,
    /// The configuration, for remedies.
    config: ProviderConfig,
}

/// Returns scheme, host and port of an address, the parts that contain no secret.
fn host(base_url: &str) -> String {
    let url = url::Url::parse(base_url).ok();
    url.map_or_else(String::new, |url| url.origin().ascii_serialization())
}

/// The client of the provider.
#[derive(Debug)]
pub(super) enum Transport {
    Server(Server),
    Tool(CommandTool),
}

impl Provider {
    pub(super) fn new(config: &ProviderConfig) -> Result<Self, ModelsError> {
        let transport = match &config.endpoint {
            Endpoint::Server(server) => Transport::Server(Server::new(&config.name, server, config.timeout)?),
            Endpoint::Tool(tool) => Transport::Tool(CommandTool::new(tool)),
        };
        Ok(Self {
            name: config.name.clone(),
            timeout: config.timeout,
            limits: config.limits,
            // With none, a call would wait for a permit until its time is over.
            permits: Arc::new(Semaphore::new(config.max_concurrent.max(1))),
            not_before: Mutex::new(None),
            windows: Mutex::new(BTreeMap::new()),
            transport,
            config: config.clone(),
        })
    }

    /// Returns the address it is asked at, without what may be secret; empty for a tool.
    pub(super) fn address(&self) -> String {
        self.config.address()
    }

    /// Returns the operator's remedy for a failure with `code`.
    pub(super) fn advice(&self, code: Code) -> Option<String> {
        self.config.advice(code)
    }

    /// Returns the hash of everything a token count of `prepared` depends on; `None` if the provider has no free counter.
    pub(super) fn countable(&self, model: &str, prepared: &PreparedPayload) -> Option<String> {
        match &self.transport {
            Transport::Server(server) => server.countable(model, prepared),
            Transport::Tool(_) => None,
        }
    }

    /// Asks the provider once for the tokens of `prepared`.
    pub(super) async fn count(&self, model: &str, prepared: &PreparedPayload) -> Result<u64, Failure> {
        match &self.transport {
            Transport::Server(server) => server.count(model, prepared).await,
            Transport::Tool(_) => Err(Failure::new(Code::Refused, "a tool has no token counter")),
        }
    }

    /// Returns the hash of everything besides provider and model that decides the answer of a call.
    pub(super) fn fingerprint(&self, model: &str, prepared: &PreparedPayload) -> String {
        match &self.transport {
            Transport::Server(server) => server.vendor.fingerprint(model, prepared),
            Transport::Tool(tool) => tool.fingerprint(model, prepared),
        }
    }

    /// Records that the provider asked for no request for `wait`.
    pub(super) fn hold_off(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let mut not_before = lock(&self.not_before);
        // A later response may ask for less: the longest pause holds.
        *not_before = Some(not_before.map_or(until, |known| known.max(until)));
    }

    /// Returns when the next request may be sent; `None` if now.
    pub(super) fn not_before(&self) -> Option<Instant> {
        lock(&self.not_before).filter(|at| *at > Instant::now())
    }

    /// Returns the window that a refusal has named for `model`.
    pub(super) fn window(&self, model: &str) -> Option<u64> {
        lock(&self.windows).get(model).copied()
    }

    /// Keeps the window of `model` if it is smaller than the known one; returns whether it is.
    pub(super) fn learn_window(&self, model: &str, window: u64) -> bool {
        let mut windows = lock(&self.windows);
        let is_news = windows.get(model).is_none_or(|known| window < *known);
        if is_news {
            windows.insert(model.to_owned(), window);
        }
        is_news
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret;

    #[test]
    fn a_key_comes_from_the_named_variable_or_the_error_names_it() {
        let env = |name: &str| match name {
            "SET" => Some(" k\n".to_owned()),
            "BLANK" => Some("  ".to_owned()),
            _ => None,
        };
        assert_eq!(key_from("p", "SET", env).expect("is set").expect("is a key").expose_secret(), "k");
        assert!(key_from("p", "", env).expect("needs none").is_none());
        for variable in ["BLANK", "UNSET"] {
            let error = key_from("p", variable, env).expect_err("is missing").to_string();
            assert!(error.contains(variable) && error.contains("`p`"), "{error}");
        }
    }

    #[test]
    fn a_tool_gets_the_basic_and_the_named_variables() {
        let env = |name: &str| ["PATH", "TOKEN", "OTHER"].contains(&name).then(|| format!("{name}-hidden"));
        let names = |found: &[(String, SecretString)]| found.iter().map(|(n, _)| n.clone()).collect::<Vec<_>>();
        let found = environment_from("p", &["TOKEN".to_owned()], env).expect("is set");
        assert_eq!(names(&found), ["PATH", "TOKEN"]);
        assert!(!format!("{found:?}").contains("hidden"));
        let error = environment_from("p", &["UNSET".to_owned()], env).expect_err("is missing").to_string();
        assert!(error.contains("UNSET") && error.contains("`p`"), "{error}");
    }

    #[test]
    fn a_provider_hides_its_key_when_printed() {
        let key = SecretString::from("sk-hidden".to_owned());
        let config = ProviderConfig::server("p", Vendor::Gemini, "http://127.0.0.1:1/v1", Some(key));
        let provider = Provider::new(&config).expect("is well configured");
        assert!(!format!("{config:?} {provider:?}").contains("hidden"));
    }

    #[test]
    fn an_address_that_makes_no_sense_is_refused_by_name() {
        for base_url in ["", "ftp://host/v1", "no address"] {
            let error = Provider::new(&ProviderConfig::openai("p", base_url)).expect_err("makes no sense").to_string();
            assert!(error.contains("providers.p.base_url"), "{error}");
        }
    }

    #[test]
    fn a_failure_says_what_to_set_and_shows_no_credentials() {
        let mut server = ProviderConfig::openai("house", "http://ada:hidden@127.0.0.1:9/v1?key=hidden");
        let advice = |config: &ProviderConfig, code| config.advice(code).expect("there is something to do");
        assert!(advice(&server, Code::Unauthorized).ends_with("api_key_env in [providers.house]"));
        server.key_variable = Some("HOUSE_KEY".to_owned());
        assert_eq!(advice(&server, Code::Unauthorized), "check the key in the environment variable HOUSE_KEY");
        let dead = advice(&server, Code::Connect);
        assert_eq!(dead, "start the server at http://127.0.0.1:9, or correct base_url in [providers.house]");
        let tool = ToolConfig { command: "/opt/claude".into(), args: Vec::new(), env: Vec::new(), guard: None };
        let tool = ProviderConfig::new("[cli]claude", Endpoint::Tool(tool));
        assert_eq!(advice(&tool, Code::ToolMissing), "install `claude`, or set `command` in [providers.claude]");
        assert_eq!(server.advice(Code::Malformed), None);
    }

    #[test]
    fn a_provider_is_left_alone_for_the_longest_wait_it_asked_for() {
        let provider =
            Provider::new(&ProviderConfig::openai("p", "http://127.0.0.1:1/v1")).expect("is well configured");
        assert_eq!(provider.not_before(), None);
        provider.hold_off(Duration::ZERO);
        assert_eq!(provider.not_before(), None, "a wait that is over is none");
        let asked_at = Instant::now();
        provider.hold_off(Duration::from_secs(90));
        provider.hold_off(Duration::from_secs(3));
        assert!(provider.not_before() >= Some(asked_at + Duration::from_secs(90)));
    }

    #[test]
    fn the_smallest_window_named_is_kept() {
        let provider =
            Provider::new(&ProviderConfig::openai("p", "http://127.0.0.1:1/v1")).expect("is well configured");
        assert!(provider.learn_window("m", 4_096));
        assert!(!provider.learn_window("m", 4_096) && !provider.learn_window("m", 9_000));
        assert_eq!((provider.window("m"), provider.window("n")), (Some(4_096), None));
    }
}
