//! Chat completions over HTTP, as OpenAI defined them and vLLM, Ollama, llama.cpp, LiteLLM and others speak them.
//!
//! One request, one answer: no retries, no memo, no breaker. Redirects are not followed and no proxy is taken from the
//! environment: a key goes to the configured address or nowhere.

mod dialect;
mod wire;

use std::time::Duration;

use futures_util::StreamExt;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, Response, redirect};
use secrecy::ExposeSecret;
use url::Url;

use super::failure::{Code, Failure};
use super::gate::Prepared;
use super::models::ModelsError;
use super::provider::ProviderConfig;
use super::retry_after;
use dialect::Dialects;

pub(super) use wire::{Reply, fingerprint};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Most bytes of an answer that are read: a thousand times what a summary needs. Chosen, not measured.
const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;
/// A request is repeated at most this often to learn a server's dialect: once for each thing there is to learn.
const MAX_LESSONS: usize = 3;

/// A server that speaks chat completions.
#[derive(Debug)]
pub(super) struct OpenAi {
    client: Client,
    url: Url,
    dialects: Dialects,
}

impl OpenAi {
    /// A client for `config`; does not connect.
    ///
    /// # Errors
    /// [`ModelsError`] names the key of the configuration that makes no sense.
    pub(super) fn new(config: &ProviderConfig) -> Result<Self, ModelsError> {
        let fault = |key: &str, reason: String| ModelsError::Provider {
            name: config.name.clone(),
            key: key.to_owned(),
            reason,
        };
        let url = Url::parse(&format!("{}/chat/completions", config.base_url.trim_end_matches('/')))
            .map_err(|e| fault("base_url", e.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(fault("base_url", format!("`{}` is neither http nor https", url.scheme())));
        }
        let mut headers = HeaderMap::new();
        if let Some(key) = &config.api_key {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose_secret()))
                .map_err(|_| fault("api_key_env", "the key holds characters that no header can".to_owned()))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        // Fails where another provider is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder()
            .default_headers(headers)
            .user_agent(concat!("precis/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(config.timeout);
        // Without TLS no certificates are needed: a machine that has none can still reach a server of its own.
        let builder = if url.scheme() == "http" { builder.tls_certs_only([]) } else { builder };
        let client = builder.build().map_err(|e| fault("base_url", format!("no HTTP client: {}", e.without_url())))?;
        Ok(Self { client, url, dialects: Dialects::default() })
    }

    /// Sends one payload. Repeats it at once, at most [`MAX_LESSONS`] times, where the server does not know a part of the format.
    ///
    /// # Errors
    /// A [`Failure`] without URL, key or body.
    pub(super) async fn send(&self, model: &str, prepared: &Prepared) -> Result<Reply, Failure> {
        for _ in 0..MAX_LESSONS {
            let dialect = self.dialects.of(model);
            let (status, headers, body) = self.post(&wire::request(model, prepared, dialect)).await?;
            if status == 200 {
                return wire::reply(&body);
            }
            let (mut failure, said) = wire::refusal(status, &body);
            failure.retry_after = retry_after::read(&headers, jiff::Timestamp::now());
            let learned = matches!(status, 400 | 422).then(|| dialect.learn(&said.param, &said.message)).flatten();
            match learned.filter(|_| failure.code == Code::Refused) {
                Some(learned) => self.dialects.keep(model, learned),
                None => return Err(failure),
            }
        }
        Err(Failure::new(Code::Refused, "the server knows too little of the chat format"))
    }

    async fn post(&self, body: &serde_json::Value) -> Result<(u16, HeaderMap, Vec<u8>), Failure> {
        let response = self.client.post(self.url.clone()).json(body).send().await.map_err(failed)?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Ok((status, headers, bounded(response).await?))
    }
}

/// The whole body, unless it is over [`MAX_ANSWER_BYTES`].
async fn bounded(response: Response) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(failed)?;
        if body.len() + chunk.len() > MAX_ANSWER_BYTES {
            return Err(Failure::new(Code::AnswerTooLarge, format!("over {MAX_ANSWER_BYTES} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn failed(error: reqwest::Error) -> Failure {
    let code = if error.is_connect() {
        Code::Connect
    } else if error.is_timeout() {
        Code::Timeout
    } else {
        Code::Cut
    };
    Failure::new(code, error.without_url().to_string())
}
