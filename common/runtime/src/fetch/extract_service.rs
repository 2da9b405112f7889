//! The text of a page from somebody else: Tavily's extract service, where it is configured.
//!
//! An address handed to a third party tells it what is read here. So an address goes out only where it is public by its name and
//! by every address behind it, whatever else this program itself may fetch; and the key goes to the configured address, in a
//! header, or nowhere.

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

/// An answer is JSON around the text: escapes make it longer than the text is.
const JSON_OVERHEAD: usize = 4;

/// A service that reads pages.
#[derive(Debug)]
pub struct ExtractService {
    client: Client,
    endpoint: Url,
    key: SecretString,
    policy: FetchPolicy,
    max_bytes: usize,
    timeout: Duration,
}

/// Where the service is, and under which limits it is asked.
#[derive(Debug, Clone)]
pub struct ExtractServiceConfig {
    /// Address up to the path of the operation: `https://api.tavily.com`.
    pub base_url: String,
    /// Sent as a bearer token.
    pub key: SecretString,
    /// What this program itself may fetch: nothing else is handed out.
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
    /// A client for `config`; connects to nobody.
    ///
    /// # Errors
    /// `client_unavailable` where the address is none.
    pub fn new(config: ExtractServiceConfig) -> Result<Self, FetchError> {
        let fault = |why: String| FetchError::unavailable(why);
        let mut endpoint = Url::parse(&config.base_url).map_err(|e| fault(format!("tavily_base_url: {e}")))?;
        if !matches!(endpoint.scheme(), "http" | "https") {
            return Err(fault("tavily_base_url is neither http nor https".to_owned()));
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

    /// The text of the page at `url`, as Markdown.
    ///
    /// # Errors
    /// `fetch_refused` where the address may not be handed out, and then nothing was sent; `busy` and `timed_out` where later may be
    /// better; `http_status`, `too_large` or `no_text` otherwise.
    pub async fn text(&self, url: &str) -> Result<Bytes, FetchError> {
        self.may_be_told(url).await?;
        let asked = tokio::time::timeout(self.timeout, self.ask(url));
        asked.await.map_err(|_| FetchError::timed_out(self.timeout))?
    }

    /// Whether `url` may be handed out: fetched by this program itself, and public for everybody.
    async fn may_be_told(&self, url: &str) -> Result<(), FetchError> {
        let public = FetchPolicy { allow_hosts: Vec::new(), allow_networks: Vec::new(), ..self.policy.clone() };
        // What this machine may fetch, and of that what is public for everybody.
        for verdict in [verdict(url, &self.policy), verdict_resolved(url, &public).await] {
            if let UrlVerdict::Deny { reason } = verdict {
                return Err(FetchError::refused(&reason));
            }
        }
        Ok(())
    }

    async fn ask(&self, url: &str) -> Result<Bytes, FetchError> {
        // What stands behind the `#` is for readers of the page.
        let url = url.split('#').next().unwrap_or(url);
        let body = json!({ "urls": [url], "format": "markdown", "extract_depth": "basic", "include_images": false });
        let request = self.client.post(self.endpoint.clone()).bearer_auth(self.key.expose_secret()).json(&body);
        let response = request.send().await.map_err(|e| FetchError::from_reqwest(&e, "tavily"))?;
        let status = response.status();
        if !status.is_success() {
            return Err(refused(status.as_u16()));
        }
        let answer = self.bounded(response).await?;
        let no_answer = |_| FetchError::permanent("no_text", "tavily answered with something else");
        let answer: TavilyResponse = serde_json::from_slice(&answer).map_err(no_answer)?;
        let text = answer.results.into_iter().find_map(|found| found.raw_content).filter(|t| !t.trim().is_empty());
        let text = text.ok_or_else(|| FetchError::permanent("no_text", "tavily has no text of the page"))?;
        if text.len() > self.max_bytes { Err(self.too_large()) } else { Ok(Bytes::from(text)) }
    }

    async fn bounded(&self, response: Response) -> Result<Vec<u8>, FetchError> {
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

/// What the service says is left out: it may repeat what it was sent.
fn refused(status: u16) -> FetchError {
    let message = format!("tavily answered {status}");
    match status {
        408 | 425 | 429 | 500.. => FetchError::transient("busy", message),
        _ => FetchError::permanent("http_status", message),
    }
}

#[cfg(test)]
mod tests;
