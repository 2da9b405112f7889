//! Sends requests, follows redirects, and waits once for a busy server.
//!
//! Redirects are followed here, not by the HTTP client, so that each target is checked like the first URL. Proxies of the environment are
//! ignored, because a proxy resolves names itself; only the configured one is used. No cookie, referrer or credential is ever sent to a
//! page.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use precis_proto::DocumentFormat;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
    LOCATION,
};
use reqwest::{Client, Response, StatusCode};
use tokio::time::{Instant, timeout};
use url::Url;

use super::body::{BodyLimits, BodyReader, too_large};
use super::error::FetchError;
use super::fleet_hosts::FleetHosts;
use super::hosts::{HostPermit, Hosts};
use super::limits::FetchLimits;
use super::policy::{FetchPolicy, examine};
use super::proxy::FetchProxy;
use super::resolver::CheckedResolver;
use super::version::PageVersion;
use crate::http::{client_builder, retry_after};
use crate::store::Store;

mod post;

pub use post::PostAnswer;

const ACCEPTED: &str =
    "text/html,application/xhtml+xml,application/pdf,text/plain,text/markdown;q=0.9,text/x-rst;q=0.9,*/*;q=0.5";
/// Media types without text; refused before the body is read.
const WITHOUT_TEXT: &[&str] = &["image/", "video/", "audio/", "font/", "model/"];
const PDF: &str = DocumentFormat::Pdf.mime();

/// A fetched page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedPage {
    /// Its bytes, decompressed, in the original charset.
    pub bytes: Bytes,
    /// `Content-Type` as the server sent it, with charset; `application/pdf` if the server sent no usable type and the bytes are a PDF.
    pub content_type: Option<String>,
    /// Its URL after all redirects.
    pub final_url: String,
    /// Its version, if the server reports one.
    pub version: Option<PageVersion>,
}

/// Time by which a host lease exceeds the longest request, so that it does not expire during one.
const LEASE_MARGIN: Duration = Duration::from_secs(5);

/// The result of fetching a page that was read before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefetchResult {
    /// The page, changed or possibly changed.
    Page(FetchedPage),
    /// The server reports that the known version is current.
    Unchanged,
}

/// Fetches pages under a policy and limits.
#[derive(Debug)]
pub struct Fetcher {
    client: Client,
    policy: Arc<FetchPolicy>,
    limits: FetchLimits,
    hosts: Hosts,
    /// Host limits shared by the fleet, if this process is part of one.
    fleet: Option<FleetHosts>,
    /// The egress proxy, if one is configured.
    proxy: Option<FetchProxy>,
}

/// The result of one request.
enum HopResult {
    Page(FetchedPage),
    Moved(Url),
    Unchanged,
}

/// The known version of a page, if any, for a conditional request.
type KnownVersion<'a> = Option<&'a PageVersion>;

impl Fetcher {
    /// Creates a client that connects only to what `policy` allows.
    ///
    /// # Errors
    /// `client_unavailable` if TLS cannot be set up, for example without trusted certificates.
    pub fn new(policy: FetchPolicy, limits: FetchLimits) -> Result<Self, FetchError> {
        Self::by_way_of(None, policy, limits)
    }

    /// [`Self::new`] with an optional proxy; with one, this client connects only to the proxy.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn by_way_of(proxy: Option<FetchProxy>, policy: FetchPolicy, limits: FetchLimits) -> Result<Self, FetchError> {
        let policy = Arc::new(policy);
        let unavailable = |e: reqwest::Error| FetchError::transient("client_unavailable", e.without_url().to_string());
        let builder = client_builder()
            .referer(false)
            .connect_timeout(limits.connect)
            .read_timeout(limits.idle)
            .user_agent(&limits.user_agent)
            .default_headers(asked_for());
        let builder = match &proxy {
            Some(proxy) => proxy.dials_for(builder).map_err(unavailable)?,
            None => builder.dns_resolver(Arc::new(CheckedResolver(policy.clone()))),
        };
        let client = builder.build().map_err(unavailable)?;
        let hosts = Hosts::new(limits.per_host, limits.host_interval);
        Ok(Self { client, policy, limits, hosts, fleet: None, proxy })
    }

    /// Shares the limits per host with all processes on `store`.
    #[must_use]
    pub fn of_fleet(self, store: Store) -> Self {
        let FetchLimits { per_host, host_interval, total, .. } = self.limits;
        Self { fleet: Some(FleetHosts::new(store, per_host, host_interval, total + LEASE_MARGIN)), ..self }
    }

    /// Fetches the page at `url`.
    ///
    /// # Errors
    /// [`FetchError`]; its table lists which codes are transient.
    pub async fn get(&self, url: &str) -> Result<FetchedPage, FetchError> {
        match self.get_unless(url, None).await? {
            RefetchResult::Page(page) => Ok(page),
            RefetchResult::Unchanged => {
                Err(FetchError::permanent("http_status", "the server answered 304 to an unconditional request"))
            }
        }
    }

    /// Fetches the page at `url`, unless the server reports that the version `known` is current.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub async fn get_unless(&self, url: &str, known: Option<&PageVersion>) -> Result<RefetchResult, FetchError> {
        let (mut next, mut left) = (url.to_owned(), self.limits.total);
        for _ in 0..=self.limits.max_redirects {
            let url = examine(&next, &self.policy).map_err(|denial| FetchError::from_denial(&denial))?;
            let host = url.host_str().unwrap_or_default().to_owned();
            if let Some(proxy) = &self.proxy {
                let since = Instant::now();
                let judged = timeout(left, proxy.judge(&url, &self.policy)).await;
                let judged = judged.map_err(|_| FetchError::timed_out(self.limits.total))?;
                judged.map_err(|denial| FetchError::from_denial(&denial))?;
                left = left.saturating_sub(since.elapsed());
            }
            // Not counted against the page's time: the queue is our own. It ends, because every visit ahead of it is bounded in time.
            // This process's turn before the fleet's: a lease must not be held while the request waits in our own queue.
            let turn = self.hosts.turn(&host, self.limits.retry_after).await.map_err(|wait| left_alone(&host, wait))?;
            let of_fleet = match &self.fleet {
                Some(fleet) => Some(fleet.turn(&host).await.map_err(|wait| left_alone(&host, wait))?),
                None => None,
            };
            let since = Instant::now();
            let visit = timeout(left, self.visit(url, &host, &turn, known)).await;
            // Held until here: the lease covers the whole visit.
            drop(of_fleet);
            left = left.saturating_sub(since.elapsed());
            match visit.map_err(|_| FetchError::timed_out(self.limits.total))?? {
                HopResult::Page(page) => return Ok(RefetchResult::Page(page)),
                HopResult::Unchanged => return Ok(RefetchResult::Unchanged),
                HopResult::Moved(to) => next = to.into(),
            }
        }
        let most = self.limits.max_redirects;
        Err(FetchError::permanent("too_many_redirects", format!("more than {most} redirects")))
    }

    async fn visit(
        &self,
        url: Url,
        host: &str,
        turn: &HostPermit,
        known: KnownVersion<'_>,
    ) -> Result<HopResult, FetchError> {
        let conditions = known.map(|version| version.conditions(url.as_str())).unwrap_or_default();
        let mut response = self.send(&url, host, &conditions).await?;
        if let Some(wait) = self.wait_of(&response, turn) {
            tokio::time::sleep(wait).await;
            response = self.send(&url, host, &conditions).await?;
            // Still busy: record the pause for later requests, but do not wait a second time.
            let _ = self.wait_of(&response, turn);
        }
        let status = response.status();
        if let Some(to) = redirect_target(&url, &response) {
            return Ok(HopResult::Moved(to));
        }
        if status == StatusCode::NOT_MODIFIED && !conditions.is_empty() {
            return Ok(HopResult::Unchanged);
        }
        if !matches!(status, StatusCode::OK | StatusCode::NON_AUTHORITATIVE_INFORMATION) {
            return Err(no_page(status, host));
        }
        self.read(url, response, host).await.map(HopResult::Page)
    }

    async fn send(&self, url: &Url, host: &str, conditions: &HeaderMap) -> Result<Response, FetchError> {
        let request = self.client.get(url.clone()).headers(conditions.clone());
        let sent = timeout(self.limits.headers, request.send()).await.map_err(|_| {
            let seconds = self.limits.headers.as_secs_f64();
            FetchError::transient("timed_out", format!("fetch from {host}: no headers within {seconds} s"))
        })?;
        let response = sent.map_err(|e| FetchError::from_reqwest(&e, host))?;
        let size: usize = response.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
        if size > self.limits.max_header_bytes {
            return Err(FetchError::permanent("too_large", format!("the headers of {host} have {size} bytes")));
        }
        Ok(response)
    }

    /// Returns the wait a busy server asks for, if it is short enough to wait here. Records it for all requests to the host.
    fn wait_of(&self, response: &Response, turn: &HostPermit) -> Option<Duration> {
        let busy = matches!(response.status(), StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        let wait = retry_after::read(response.headers(), jiff::Timestamp::now()).filter(|_| busy)?;
        turn.rest(wait);
        (wait <= self.limits.retry_after).then_some(wait)
    }

    async fn read(&self, url: Url, mut response: Response, host: &str) -> Result<FetchedPage, FetchError> {
        let headers = response.headers();
        let announced = header(headers, CONTENT_LENGTH).and_then(|n| n.parse::<usize>().ok());
        let encoding = header(headers, CONTENT_ENCODING).unwrap_or_default();
        let content_type = header(headers, CONTENT_TYPE);
        let version = PageVersion::from_headers(url.as_str(), headers);
        let essence = essence(content_type.as_deref());
        if WITHOUT_TEXT.iter().any(|major| essence.starts_with(major)) {
            return Err(FetchError::permanent("unsupported_type", format!("{host} sent {essence}, which has no text")));
        }
        let limits = BodyLimits { max_bytes: self.limits.max_bytes, max_ratio: self.limits.max_ratio };
        // Only a hint that saves the transfer; the bytes are counted as they arrive.
        if announced.is_some_and(|bytes| bytes > limits.max_bytes) {
            return Err(too_large(limits.max_bytes));
        }
        let mut body = BodyReader::new(&encoding, limits)?;
        while let Some(chunk) = response.chunk().await.map_err(|e| FetchError::from_reqwest(&e, host))? {
            body.push(&chunk)?;
        }
        let bytes = body.finish()?;
        let content_type = told_apart(content_type, &essence, &bytes)?;
        Ok(FetchedPage { bytes: Bytes::from(bytes), content_type, final_url: url.into(), version })
    }
}

fn asked_for() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static(ACCEPTED));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    headers
}

fn header(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
}

/// Returns the target of a redirect; `None` if the response is not a redirect, or its target is not a URL: it is then handled as an error
/// status.
fn redirect_target(from: &Url, response: &Response) -> Option<Url> {
    let redirects = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let target = header(response.headers(), LOCATION).filter(|_| redirects)?;
    from.join(&target).ok()
}

fn no_page(status: StatusCode, host: &str) -> FetchError {
    let message = format!("{host} answered {}", status.as_u16());
    let is_busy = status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429);
    if is_busy { FetchError::transient("busy", message) } else { FetchError::permanent("http_status", message) }
}

fn left_alone(host: &str, wait: Duration) -> FetchError {
    FetchError::transient("busy", format!("{host} asked for a pause, {} s of it left", wait.as_secs()))
}

/// Returns the media type without parameters, in lower case; empty if there is none.
fn essence(content_type: Option<&str>) -> String {
    content_type.and_then(|t| t.split(';').next()).unwrap_or_default().trim().to_ascii_lowercase()
}

/// Checks that a declared PDF is one (a login form often is not), and declares an undeclared PDF.
fn told_apart(declared: Option<String>, essence: &str, bytes: &[u8]) -> Result<Option<String>, FetchError> {
    let is_pdf = DocumentFormat::Pdf.begins(bytes);
    match essence {
        PDF | "application/x-pdf" if !is_pdf => {
            Err(FetchError::permanent("not_a_pdf", "the page is declared as a PDF but is not one"))
        }
        "" | "application/octet-stream" | "binary/octet-stream" | "application/x-pdf" if is_pdf => {
            Ok(Some(PDF.to_owned()))
        }
        _ => Ok(declared),
    }
}

#[cfg(test)]
mod tests;
