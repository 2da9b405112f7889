//! Reads the text of a page through Tavily's extract service, if it is configured.
//!
//! A URL sent to a third party discloses what is read here. So a URL is sent only if its name and all addresses it resolves to are public,
//! even if the fetch settings allow more; and the key is sent only to the configured address, in a header.

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use reqwest::{Client, Response};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::error::FetchError;
use super::policy::{FetchPolicy, UrlVerdict, verdict};
use super::resolver::verdict_resolved;
use crate::http::service_client_builder;

/// Factor by which a response may exceed the text's limit: it is JSON, and escapes lengthen the text.
const JSON_OVERHEAD: usize = 4;

/// A client of the extract service.
#[derive(Debug)]
pub struct ExtractService {
    client: Client,
    endpoint: Url,
    key: SecretString,
    policy: FetchPolicy,
    max_bytes: usize,
    timeout: Duration,
}

/// Address, key and limits of the service.
#[derive(Debug, Clone)]
pub struct ExtractServiceConfig {
    /// Base URL without the operation: `https://api.tavily.com`.
    pub base_url: String,
    /// API key, sent as a bearer token.
    pub key: SecretString,
    /// The fetch policy of this program; URLs outside it are not sent.
    pub policy: FetchPolicy,
    /// Most bytes of a text.
    pub max_bytes: usize,
    /// Longest time for one page.
    pub timeout: Duration,
}

#[derive(Deserialize)]
struct TavilyResponse {
    #[serde(default)]
    results: Vec<TavilyResult>,
}

#[derive(Deserialize)]
struct TavilyResult {
    #[serde(default)]
    raw_content: Option<String>,
}

impl ExtractService {
    /// Creates a client for `config`; does not connect.
    ///
    /// # Errors
    /// `client_unavailable` if the base URL is invalid.
    pub fn new(config: ExtractServiceConfig) -> Result<Self, FetchError> {
        let fault = |why: String| FetchError::unavailable(why);
        let mut endpoint = Url::parse(&config.base_url).map_err(|e| fault(format!("tavily_base_url: {e}")))?;
        if !matches!(endpoint.scheme(), "http" | "https") {
            return Err(fault(format!("tavily_base_url: expected http:// or https://, got {}://", endpoint.scheme())));
        }
        if let Ok(mut path) = endpoint.path_segments_mut() {
            path.pop_if_empty().push("extract");
        }
        let client = service_client_builder(&endpoint)
            .build()
            .map_err(|e| fault(format!("no HTTP client: {}", e.without_url())))?;
        let ExtractServiceConfig { key, policy, max_bytes, timeout, .. } = config;
        Ok(Self { client, endpoint, key, policy, max_bytes, timeout })
    }

    /// Returns the text of the page at `url`, as Markdown.
    ///
    /// # Errors
    /// `fetch_refused` if the URL may not be sent to the service, before anything is sent; `busy` and `timed_out` if a later try may
    /// succeed; else `http_status`, `too_large` or `no_text`.
    pub async fn text(&self, url: &str) -> Result<Bytes, FetchError> {
        self.check_disclosable(url).await?;
        let asked = tokio::time::timeout(self.timeout, self.ask(url));
        asked.await.map_err(|_| FetchError::timed_out(self.timeout))?
    }

    /// Refuses `url` unless this program may fetch it and it is public.
    async fn check_disclosable(&self, url: &str) -> Result<(), FetchError> {
        let public = FetchPolicy { allow_hosts: Vec::new(), allow_networks: Vec::new(), ..self.policy.clone() };
        // First our own policy, then the public one without our allow-lists: an internal page we may read must not be disclosed.
        for verdict in [verdict(url, &self.policy), verdict_resolved(url, &public).await] {
            if let UrlVerdict::Deny { reason } = verdict {
                return Err(FetchError::from_denial(&reason));
            }
        }
        Ok(())
    }

    async fn ask(&self, url: &str) -> Result<Bytes, FetchError> {
        // Drop the fragment: it is not part of the page's address.
        let url = url.split('#').next().unwrap_or(url);
        let body = json!({ "urls": [url], "format": "markdown", "extract_depth": "basic", "include_images": false });
        let request = self.client.post(self.endpoint.clone()).bearer_auth(self.key.expose_secret()).json(&body);
        let response = request.send().await.map_err(|e| FetchError::from_reqwest(&e, "tavily"))?;
        let status = response.status();
        if !status.is_success() {
            return Err(status_error(status.as_u16()));
        }
        let answer = self.read_body(response).await?;
        let no_answer = |_| FetchError::permanent("no_text", "tavily returned an invalid response");
        let answer: TavilyResponse = serde_json::from_slice(&answer).map_err(no_answer)?;
        let text = answer.results.into_iter().find_map(|found| found.raw_content).filter(|t| !t.trim().is_empty());
        let text = text.ok_or_else(|| FetchError::permanent("no_text", "tavily returned no text of the page"))?;
        if text.len() > self.max_bytes { Err(self.too_large()) } else { Ok(Bytes::from(text)) }
    }

    async fn read_body(&self, response: Response) -> Result<Vec<u8>, FetchError> {
        let (mut body, mut chunks) = (Vec::new(), response.bytes_stream());
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|e| FetchError::from_reqwest(&e, "tavily"))?;
            if body.len() + chunk.len() > self.max_bytes.saturating_mul(JSON_OVERHEAD) {
                return Err(self.too_large());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn too_large(&self) -> FetchError {
        FetchError::permanent("too_large", format!("tavily's text has more than {} bytes", self.max_bytes))
    }
}

/// Converts an error status. The service's message is left out, since it may repeat the request.
fn status_error(status: u16) -> FetchError {
    let message = format!("tavily answered {status}");
    match status {
        408 | 425 | 429 | 500.. => FetchError::transient("busy", message),
        _ => FetchError::permanent("http_status", message),
    }
}

#[cfg(test)]
mod tests;
