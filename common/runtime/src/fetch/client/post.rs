//! Posts a message to an address that is checked like every page. A redirect is not followed: the message was meant for this address.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use tokio::time::timeout;
use url::Url;

use super::super::error::FetchError;
use super::super::policy::examine;
use super::{Fetcher, no_page};
use crate::http::retry_after;

/// What a server says to a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The wait that it asks for, at most a day.
    pub retry_after: Option<Duration>,
}

impl Fetcher {
    /// Posts `json` to `url` once; the body of the answer is not read.
    ///
    /// # Errors
    /// `fetch_refused` if the policy does not allow the address, before anything is sent; `timed_out`, `busy`, or `http_status` for
    /// every answer that is no success.
    pub async fn post(&self, url: &str, json: Bytes) -> Result<(), FetchError> {
        let url = examine(url, &self.policy).map_err(|denial| FetchError::from_denial(&denial))?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let status = self.in_time(self.send_post(url, &[], json)).await?.status();
        if status.is_success() { Ok(()) } else { Err(no_page(status, &host)) }
    }

    /// Posts `json` to `url` once, with `headers`, and returns the answer, whatever it says. Of its body as much is read as a page may have,
    /// within the time that is left, so that the connection can be used again; nothing is done with it.
    ///
    /// # Errors
    /// `fetch_refused` as [`Self::post`]; transient errors if there was no answer.
    pub async fn tell(
        &self,
        url: &str,
        headers: &[(&'static str, String)],
        json: Bytes,
    ) -> Result<PostAnswer, FetchError> {
        let url = examine(url, &self.policy).map_err(|denial| FetchError::from_denial(&denial))?;
        let mut answer = None;
        let talk = async {
            let response = self.send_post(url, headers, json).await?;
            let retry_after = retry_after::read(response.headers(), jiff::Timestamp::now());
            answer = Some(PostAnswer { status: response.status().as_u16(), retry_after });
            self.read_through(response).await;
            Ok(())
        };
        let ended = self.in_time(talk).await;
        // The head of the answer decides: a body that does not end changes nothing about it.
        match (answer, ended) {
            (Some(answer), _) => Ok(answer),
            (None, Err(error)) => Err(error),
            (None, Ok(())) => unreachable!("an answer was kept before it ended"),
        }
    }

    async fn in_time<T>(&self, talk: impl Future<Output = Result<T, FetchError>>) -> Result<T, FetchError> {
        timeout(self.limits.total, talk).await.map_err(|_| FetchError::timed_out(self.limits.total))?
    }

    async fn send_post(
        &self,
        url: Url,
        headers: &[(&'static str, String)],
        json: Bytes,
    ) -> Result<Response, FetchError> {
        if let Some(proxy) = &self.proxy {
            proxy.judge(&url, &self.policy).await.map_err(|denial| FetchError::from_denial(&denial))?;
        }
        let host = url.host_str().unwrap_or_default().to_owned();
        let mut all = HeaderMap::new();
        all.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in headers {
            let value = HeaderValue::from_str(value);
            let value = value.map_err(|_| FetchError::permanent("invalid_header", format!("{name} is no header")))?;
            all.insert(HeaderName::from_static(name), value);
        }
        let request = self.client.post(url).headers(all).body(json);
        request.send().await.map_err(|e| FetchError::from_reqwest(&e, &host))
    }

    async fn read_through(&self, mut response: Response) {
        let mut left = self.limits.max_bytes;
        while let Ok(Some(chunk)) = response.chunk().await {
            let Some(rest) = left.checked_sub(chunk.len()) else { return };
            left = rest;
        }
    }
}
