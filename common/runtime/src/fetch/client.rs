//! Requests, redirects, and one wait for a busy server.
//!
//! Redirects are followed here, not by the HTTP client, so that each target is examined as the first URL was. Proxies of the
//! environment are ignored: a proxy looks names up itself, so only one that the settings name is used. No cookie, referrer or credential
//! is ever sent to a page.

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
use crate::config::FetchSettings;
use crate::http::{client_builder, retry_after};
use crate::store::Store;

const ACCEPTED: &str =
    "text/html,application/xhtml+xml,application/pdf,text/plain,text/markdown;q=0.9,text/x-rst;q=0.9,*/*;q=0.5";
/// Media whose text nobody reads; refused before their bytes are.
const WITHOUT_TEXT: &[&str] = &["image/", "video/", "audio/", "font/", "model/"];
const PDF: &str = DocumentFormat::Pdf.mime();

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedPage {
    /// Its bytes, decoded from gzip; never from its charset.
    pub bytes: Bytes,
    /// `Content-Type` as the server gave it, charset included; `application/pdf` where the server did not know and the bytes
    /// do.
    pub content_type: Option<String>,
    /// Where it was found after all redirects.
    pub final_url: String,
    /// Which version this is, where its server says so.
    pub version: Option<PageVersion>,
}

/// How much longer than a page may take a lease of its host lasts, so that it outlives the request.
const LEASE_MARGIN: Duration = Duration::from_secs(5);

/// What a page that was read before has become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefetchResult {
    /// It is another, or nobody can tell.
    Page(FetchedPage),
    /// Its server says that it is the version known.
    Unchanged,
}

/// Fetches pages under a policy and limits.
#[derive(Debug)]
pub struct Fetcher {
    client: Client,
    policy: Arc<FetchPolicy>,
    limits: FetchLimits,
    hosts: Hosts,
    /// The limits of hosts for the fleet, where this process is one of it.
    fleet: Option<FleetHosts>,
    /// Dials for this client, where there is one.
    proxy: Option<FetchProxy>,
}

/// Where a request led.
enum HopResult {
    Page(FetchedPage),
    Moved(Url),
    Unchanged,
}

/// What a page is asked for with: the version known, if any.
type KnownVersion<'a> = Option<&'a PageVersion>;

impl Fetcher {
    /// A client that dials what `policy` allows.
    ///
    /// # Errors
    /// `client_unavailable` where TLS cannot be set up: no trusted certificates, for one.
    pub fn new(policy: FetchPolicy, limits: FetchLimits) -> Result<Self, FetchError> {
        Self::by_way_of(None, policy, limits)
    }

    /// The same, by way of `proxy` where there is one: it dials, and nothing else is dialled here.
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

    /// The same, as one process of a fleet: requests to a host are limited for all that share `store`.
    #[must_use]
    pub fn of_fleet(self, store: Store) -> Self {
        let FetchLimits { per_host, host_interval, total, .. } = self.limits;
        Self { fleet: Some(FleetHosts::new(store, per_host, host_interval, total + LEASE_MARGIN)), ..self }
    }

    /// A client as the configuration wants it, for pages of at most `max_bytes`.
    ///
    /// # Errors
    /// As [`Self::new`]; `fetch_refused` where a rule of the configuration is none: then nothing is fetched.
    pub fn from_settings(settings: &FetchSettings, max_bytes: u64) -> Result<Self, FetchError> {
        let policy = settings.policy().map_err(|e| FetchError::permanent("fetch_refused", e.to_string()))?;
        Self::by_way_of(settings.proxy(), policy, settings.limits(max_bytes))
    }

    /// The page at `url`.
    ///
    /// # Errors
    /// [`FetchError`], whose table says which are transient.
    pub async fn get(&self, url: &str) -> Result<FetchedPage, FetchError> {
        match self.get_unless(url, None).await? {
            RefetchResult::Page(page) => Ok(page),
            RefetchResult::Unchanged => {
                Err(FetchError::permanent("http_status", "a page nobody knew is called unchanged"))
            }
        }
    }

    /// The page at `url`, unless its server says that it is the version `known`.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub async fn get_unless(&self, url: &str, known: Option<&PageVersion>) -> Result<RefetchResult, FetchError> {
        let (mut next, mut left) = (url.to_owned(), self.limits.total);
        for _ in 0..=self.limits.max_redirects {
            let url = examine(&next, &self.policy).map_err(|denial| FetchError::refused(&denial))?;
            let host = url.host_str().unwrap_or_default().to_owned();
            if let Some(proxy) = &self.proxy {
                proxy.judge(&url, &self.policy).await.map_err(|denial| FetchError::refused(&denial))?;
            }
            // Outside the clock: a queue of our own making is not the page's slowness. It ends, because each visit before does.
            let turn = self.hosts.turn(&host, self.limits.retry_after).await.map_err(|wait| left_alone(&host, wait))?;
            let of_fleet = match &self.fleet {
                Some(fleet) => Some(fleet.turn(&host).await.map_err(|wait| left_alone(&host, wait))?),
                None => None,
            };
            let since = Instant::now();
            let visit = timeout(left, self.visit(url, &host, &turn, known)).await;
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
            // Whoever is still busy is left alone; it is not waited for twice.
            let _ = self.wait_of(&response, turn);
        }
        let status = response.status();
        if let Some(to) = moved(&url, &response) {
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

    /// How long a busy server asks to be left alone, where that is short enough to be waited for here. Nobody else asks it
    /// sooner either.
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

/// Where a redirect leads; `None` where the response is none, or its target no URL: it is then an answer without a page.
fn moved(from: &Url, response: &Response) -> Option<Url> {
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
    FetchError::transient("busy", format!("{host} asked to be left alone for another {} s", wait.as_secs()))
}

/// The type without parameters, in lower case; empty where there is none.
fn essence(content_type: Option<&str>) -> String {
    content_type.and_then(|t| t.split(';').next()).unwrap_or_default().trim().to_ascii_lowercase()
}

/// A page that says it is a PDF must be one (a login form often is not); a PDF that nobody declared is declared here.
fn told_apart(declared: Option<String>, essence: &str, bytes: &[u8]) -> Result<Option<String>, FetchError> {
    let is_pdf = DocumentFormat::Pdf.begins(bytes);
    match essence {
        PDF | "application/x-pdf" if !is_pdf => {
            Err(FetchError::permanent("not_a_pdf", "the page is not the PDF its server says it is"))
        }
        "" | "application/octet-stream" | "binary/octet-stream" | "application/x-pdf" if is_pdf => {
            Ok(Some(PDF.to_owned()))
        }
        _ => Ok(declared),
    }
}

#[cfg(test)]
mod tests;
