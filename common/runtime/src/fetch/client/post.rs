//! Posts a message to an address that the user configured. It is checked like every page, and a redirect is not followed: the message
//! was meant for this address.

use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use tokio::time::timeout;
use url::Url;

use super::super::error::FetchError;
use super::super::policy::examine;
use super::{Fetcher, no_page};

impl Fetcher {
    /// Posts `json` to `url` once; the body of the answer is not read.
    ///
    /// # Errors
    /// `fetch_refused` if the policy does not allow the address, before anything is sent; `timed_out`, `busy`, or `http_status` for
    /// every answer that is no success.
    pub async fn post(&self, url: &str, json: Bytes) -> Result<(), FetchError> {
        let url = examine(url, &self.policy).map_err(|denial| FetchError::refused(&denial))?;
        let sent = timeout(self.limits.total, self.sent(url, json)).await;
        sent.map_err(|_| FetchError::timed_out(self.limits.total))?
    }

    async fn sent(&self, url: Url, json: Bytes) -> Result<(), FetchError> {
        if let Some(proxy) = &self.proxy {
            proxy.judge(&url, &self.policy).await.map_err(|denial| FetchError::refused(&denial))?;
        }
        let host = url.host_str().unwrap_or_default().to_owned();
        let request =
            self.client.post(url).header(CONTENT_TYPE, HeaderValue::from_static("application/json")).body(json);
        let response = request.send().await.map_err(|e| FetchError::from_reqwest(&e, &host))?;
        let status = response.status();
        if status.is_success() { Ok(()) } else { Err(no_page(status, &host)) }
    }
}
