//! The HTTP client of a search provider: one request, one bounded response. Redirects are not followed and no proxy is taken from the
//! environment, so that a key goes only to the configured address.

use std::fmt;

use futures_util::StreamExt;
use reqwest::header::{ACCEPT, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response};
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::config::{SearchProviderConfig, SearchSetupError};
use super::failure::{ProviderFailure, SearchCode};
use super::kind::KeyPlace;
use super::provider_request::ProviderRequest;
use crate::http::service_client_builder;

/// Most bytes read of a response: a hundred times the size of twenty results. Chosen, not measured.
pub(super) const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// A response with any status.
#[derive(Debug)]
pub(super) struct RawResponse {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

/// A provider's HTTP client, base URL and key.
pub(super) struct SearchClient {
    client: Client,
    pub(super) base: Url,
    /// Kept to be added to URLs, and to be masked in the provider's messages.
    key: Option<SecretString>,
    parameter: Option<&'static str>,
}

impl fmt::Debug for SearchClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Only the origin: a URL may contain a password.
        f.debug_struct("Wire").field("at", &self.base.origin().ascii_serialization()).finish_non_exhaustive()
    }
}

impl SearchClient {
    /// Builds a client for `config`; does not connect.
    pub(super) fn new(config: &SearchProviderConfig) -> Result<Self, SearchSetupError> {
        let fault = |key, reason: String| SearchSetupError::Invalid { name: config.name.clone(), key, reason };
        let base = Url::parse(&config.base_url).map_err(|e| fault("base_url", e.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(fault("base_url", format!("expected http:// or https://, got {}://", base.scheme())));
        }
        let no_header = || fault("api_key_env", "the key contains characters that an HTTP header cannot".to_owned());
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, application/atom+xml"));
        let place = config.kind.key_place();
        if let (KeyPlace::Header(name, prefix), Some(key)) = (place, &config.api_key) {
            let value = HeaderValue::from_str(&format!("{prefix}{}", key.expose_secret()));
            let mut value = value.map_err(|_| no_header())?;
            // Marked, so that the HTTP library leaves it out of its debug output.
            value.set_sensitive(true);
            headers.insert(HeaderName::from_static(name), value);
        }
        let agent = user_agent(config.contact.as_deref());
        let agent =
            HeaderValue::from_str(&agent).map_err(|_| fault("contact", "not allowed in an HTTP header".to_owned()))?;
        let builder =
            service_client_builder(&base).default_headers(headers).user_agent(agent).read_timeout(config.timeout);
        let client = builder.build().map_err(|e| fault("base_url", format!("no HTTP client: {}", e.without_url())))?;
        let parameter = if let KeyPlace::Parameter(name) = place { Some(name) } else { None };
        Ok(Self { client, base, key: config.api_key.clone(), parameter })
    }

    /// Sends `request` with the key, once.
    ///
    /// # Errors
    /// A failure without URL, key or body.
    pub(super) async fn send(&self, request: &ProviderRequest) -> Result<RawResponse, ProviderFailure> {
        let mut url = request.url.clone();
        if let (Some(name), Some(key)) = (self.parameter, &self.key) {
            url.query_pairs_mut().append_pair(name, key.expose_secret());
        }
        let sent = match &request.body {
            Some(body) => self.client.post(url).json(body),
            None => self.client.get(url),
        };
        let response = sent.send().await.map_err(request_failure)?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Ok(RawResponse { status, headers, body: read_body(response).await? })
    }

    /// Masks the key in `text`, so that a provider that echoes it does not get it stored or reported.
    pub(super) fn without_key(&self, text: &str) -> String {
        match self.key.as_ref().map(ExposeSecret::expose_secret) {
            Some(key) if !key.is_empty() => text.replace(key, "***"),
            _ => text.to_owned(),
        }
    }
}

/// Returns the User-Agent: this program and the operator's contact.
fn user_agent(contact: Option<&str>) -> String {
    match contact {
        Some(contact) => format!("precis/{} ({})", crate::VERSION, contact.trim()),
        None => format!("precis/{}", crate::VERSION),
    }
}

/// Reads the whole body, at most [`MAX_ANSWER_BYTES`].
async fn read_body(response: Response) -> Result<Vec<u8>, ProviderFailure> {
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(request_failure)?;
        if body.len() + chunk.len() > MAX_ANSWER_BYTES {
            let detail = format!("over {MAX_ANSWER_BYTES} bytes");
            return Err(ProviderFailure::new(SearchCode::AnswerTooLarge, detail));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn request_failure(error: reqwest::Error) -> ProviderFailure {
    let code = if error.is_connect() {
        SearchCode::ConnectFailed
    } else if error.is_timeout() {
        SearchCode::Timeout
    } else {
        SearchCode::ConnectionCut
    };
    // Without the URL: some providers take the key as a parameter.
    ProviderFailure::new(code, root_cause(&error.without_url()))
}

/// Returns the innermost cause of `error`: the system's own message.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
