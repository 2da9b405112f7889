//! A model server over HTTP, for every vendor's format.
//!
//! One payload, one answer: no memo, no breaker, no retry except to learn the server's dialect. Redirects are not followed and no proxy
//! is taken from the environment, so that a key goes only to the configured address.

use std::time::Duration;

use futures_util::StreamExt;
use precis_proto::ids::sha256_hex;
use reqwest::header::HeaderMap;
use reqwest::{Client, Response};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use super::dialect::{Dialect, Dialects};
use super::error::ModelsError;
use super::excerpt;
use super::failure::{Code, Failure};
use super::gate::{GateSpeaker, PreparedPayload};
use super::refusal::{self, Refusal};
use super::reply::Reply;
use super::vendor::Vendor;
use crate::http::{retry_after, service_client_builder};

/// Most bytes read of a response: a thousand times what a summary needs. Chosen, not measured.
pub(super) const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;
/// Most requests for one payload while a server's dialect is learned: one more than there are features to learn.
const MAX_REQUESTS: usize = 5;

/// Address, format and key of a model server.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// The vendor format it uses.
    pub vendor: Vendor,
    /// Base URL including the version: `https://api.openai.com/v1`.
    pub base_url: String,
    /// The API key, sent in the vendor's header; `None` sends none.
    pub api_key: Option<SecretString>,
}

/// A model server.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) vendor: Vendor,
    client: Client,
    base: Url,
    /// Kept to mask it in answers that repeat it.
    key: Option<SecretString>,
    dialects: Dialects,
}

impl Server {
    /// Builds a client for `config` that gives up after `timeout` without data; does not connect.
    ///
    /// # Errors
    /// [`ModelsError`] names the configuration key whose value is invalid.
    pub(super) fn new(name: &str, config: &ServerConfig, timeout: Duration) -> Result<Self, ModelsError> {
        let fault =
            |key: &str, reason: String| ModelsError::Provider { name: name.to_owned(), key: key.to_owned(), reason };
        let base = Url::parse(&config.base_url).map_err(|e| fault("base_url", e.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(fault("base_url", format!("expected http:// or https://, got {}://", base.scheme())));
        }
        let headers = config
            .vendor
            .headers(config.api_key.as_ref())
            .map_err(|_| fault("api_key_env", "the key contains characters that an HTTP header cannot".to_owned()))?;
        let builder = service_client_builder(&base).default_headers(headers).read_timeout(timeout);
        let client = builder.build().map_err(|e| fault("base_url", format!("no HTTP client: {}", e.without_url())))?;
        let key = config.api_key.clone();
        Ok(Self { vendor: config.vendor, client, base, key, dialects: Dialects::default() })
    }

    /// Posts one payload and reads the reply. If the server refuses a feature of the format, repeats at once without it, at most
    /// [`MAX_REQUESTS`] requests in all.
    ///
    /// # Errors
    /// A [`Failure`] without URL, key or body.
    pub(super) async fn post_payload(&self, model: &str, prepared: &PreparedPayload) -> Result<Reply, Failure> {
        let url = self.address(self.vendor.path(model));
        for _ in 0..MAX_REQUESTS {
            let dialect = self.dialects.of(model);
            let payload = self.vendor.request(model, prepared, dialect);
            let response = self.client.post(url.clone()).json(&payload).send().await.map_err(request_failure)?;
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            let body = read_body(response).await?;
            if status == 200 {
                let reply = self.vendor.reply(&body)?.within_limit()?;
                return Ok(Reply { text: self.without_key(reply.text), ..reply });
            }
            let refusal = self.refusal(status, &headers, &body);
            let may_learn = matches!(refusal.failure.code, Code::Refused | Code::ServerError);
            match may_learn.then(|| dialect.after(self.vendor, prepared, status, &refusal.said)).flatten() {
                Some(learned) => self.dialects.keep(model, learned),
                None => {
                    let sent =
                        prepared.messages.iter().filter(|m| m.speaker != GateSpeaker::System).map(|m| m.text.as_str());
                    return Err(self.without_sent(refusal.failure, sent));
                }
            }
        }
        Err(Failure::new(Code::Refused, format!("the server refused the format {MAX_REQUESTS} times")))
    }

    /// Posts `body`, a request for the vectors of `texts`, once, and reads what a 200 says.
    ///
    /// # Errors
    /// As [`Server::post_payload`].
    pub(super) async fn post_texts(&self, body: &Value, texts: &[String]) -> Result<Vec<u8>, Failure> {
        let url = self.address(vec!["embeddings".to_owned()]);
        let response = self.client.post(url).json(body).send().await.map_err(request_failure)?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = read_body(response).await?;
        if status == 200 {
            return Ok(body);
        }
        let refused = self.refusal(status, &headers, &body);
        Err(self.without_sent(refused.failure, texts.iter().map(String::as_str)))
    }

    /// Reads a refusal, and the pause that its headers ask for.
    fn refusal(&self, status: u16, headers: &HeaderMap, body: &[u8]) -> Refusal {
        // Before it is read: an excerpt may end within the key, and the rest of the key would no longer be found in it.
        let body = self.without_key(String::from_utf8_lossy(body).into_owned());
        let mut refusal = self.vendor.refusal(status, body.as_bytes());
        let asked = retry_after::read(headers, jiff::Timestamp::now());
        refusal.failure.retry_after = asked.or(refusal.failure.retry_after);
        refusal
    }

    /// Masks in a failure what was `sent`, and the key.
    fn without_sent<'a>(&self, mut failure: Failure, sent: impl Iterator<Item = &'a str> + Clone) -> Failure {
        failure.detail = self.without_key(excerpt::without_sent(&failure.detail, sent.clone()));
        let said = failure.said.take();
        failure.said = said.map(|said| self.without_key(excerpt::without_documents(&said, sent)));
        failure
    }

    /// Masks the key in `text`, so that a server that echoes it does not get it stored or reported.
    fn without_key(&self, text: String) -> String {
        match self.key.as_ref().map(ExposeSecret::expose_secret) {
            Some(key) if !key.is_empty() && text.contains(key) => text.replace(key, "***"),
            _ => text,
        }
    }

    /// Returns the hash of everything a token count of `prepared` depends on; `None` if this server has no counter.
    pub(super) fn countable(&self, model: &str, prepared: &PreparedPayload) -> Option<String> {
        let count = self.vendor.counter(model, prepared, self.dialects.of(model))?;
        Some(sha256_hex(count.body.to_string().as_bytes()))
    }

    /// Asks the server for the token count of `prepared`.
    ///
    /// # Errors
    /// As [`Server::post_payload`]; [`Code::BadAnswer`] if the answer is not a count.
    pub(super) async fn count(&self, model: &str, prepared: &PreparedPayload) -> Result<u64, Failure> {
        let absent = || Failure::new(Code::Refused, "the server has no token counter");
        let dialect = self.dialects.of(model);
        let count = self.vendor.counter(model, prepared, dialect).filter(|_| !dialect.no_counter).ok_or_else(absent)?;
        let response =
            self.client.post(self.address(count.path)).json(&count.body).send().await.map_err(request_failure)?;
        let status = response.status().as_u16();
        let body = read_body(response).await?;
        match status {
            200 => self.vendor.parse_count(&body),
            404 | 405 | 501 => {
                self.dialects.keep(model, Dialect { no_counter: true, ..self.dialects.of(model) });
                Err(absent())
            }
            status => Err(self.vendor.refusal(status, &body).failure),
        }
    }

    /// Reads JSON other than answers, such as a list of models: with POST if there is a `body`, else with GET.
    ///
    /// # Errors
    /// As [`Server::post_payload`]; [`Code::BadAnswer`] if the response is not JSON.
    pub(super) async fn fetch_json(
        &self,
        place: PathBase,
        path: Vec<String>,
        body: Option<&Value>,
    ) -> Result<Value, Failure> {
        let url = match place {
            PathBase::Base => self.address(path),
            PathBase::Root => instead_of_version(&self.base, path),
        };
        let request = match body {
            Some(body) => self.client.post(url).json(body),
            None => self.client.get(url),
        };
        let response = request.send().await.map_err(request_failure)?;
        let status = response.status().as_u16();
        let body = read_body(response).await?;
        if status == 200 { refusal::answer(&body) } else { Err(self.vendor.refusal(status, &body).failure) }
    }

    /// Returns the base URL with `path` appended, each part escaped.
    fn address(&self, path: Vec<String>) -> Url {
        below(self.base.clone(), path)
    }
}

/// What a path is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathBase {
    /// The base URL.
    Base,
    /// The base URL without its trailing version.
    Root,
}

fn below(mut url: Url, path: Vec<String>) -> Url {
    // Cannot fail: http and https URLs always have a path.
    if let Ok(mut parts) = url.path_segments_mut() {
        parts.pop_if_empty().extend(path);
    }
    url
}

/// Appends `path` to `base`, replacing the version (`v1`) at its end if there is one.
fn instead_of_version(base: &Url, path: Vec<String>) -> Url {
    let mut url = base.clone();
    let parts = base.path_segments().into_iter().flatten().filter(|part| !part.is_empty());
    let is_version = |part: &str| {
        part.strip_prefix('v').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    if parts.clone().next_back().is_some_and(is_version)
        && let Ok(mut parts) = url.path_segments_mut()
    {
        parts.pop_if_empty().pop();
    }
    below(url, path)
}

/// Reads the whole body, at most [`MAX_ANSWER_BYTES`].
async fn read_body(response: Response) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(request_failure)?;
        if body.len() + chunk.len() > MAX_ANSWER_BYTES {
            return Err(Failure::new(Code::AnswerTooLarge, format!("over {MAX_ANSWER_BYTES} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn request_failure(error: reqwest::Error) -> Failure {
    let code = if error.is_connect() {
        Code::Connect
    } else if error.is_timeout() {
        Code::Timeout
    } else {
        Code::Cut
    };
    // Without the URL: the configured address may contain a password.
    Failure::new(code, root_cause(&error.without_url()))
}

/// Returns the innermost cause of `error`, the system's own message: the outer ones only say that a request was not sent.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_outside_the_version_are_ignored() {
        for (base, expected) in [
            ("http://h:1/v1", "http://h:1/api/show"),
            ("http://h:1/v1/", "http://h:1/api/show"),
            ("http://h:1/openai/v1", "http://h:1/openai/api/show"),
            ("http://h:1", "http://h:1/api/show"),
            ("http://h:1/venus", "http://h:1/venus/api/show"),
        ] {
            let url = instead_of_version(&Url::parse(base).expect("an address"), vec!["api".into(), "show".into()]);
            assert_eq!(url.as_str(), expected);
        }
    }
}
