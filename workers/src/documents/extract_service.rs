//! Pages through Tavily's extract service: when it is called, and with which key. It is called only if it is configured.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use precis_extract::Hint;
use precis_proto::DocumentFormat;
use precis_proto::label::Public;
use precis_runtime::config::{ExtractServiceSettings, Settings, TavilyExtract};
use precis_runtime::fetch::{ExtractService, ExtractServiceConfig, FetchError, FetchPolicy};
use precis_runtime::model::key_from;

use crate::documents::parse::Parse;

/// Remark on a text from the service.
pub const READ_ELSEWHERE: &str = "the text was extracted by Tavily, not read from the page directly";

/// Reads pages through the extract service; clones share one client.
#[derive(Debug, Clone)]
pub struct TavilyReader {
    settings: ExtractServiceSettings,
    policy: Result<FetchPolicy, String>,
    max_bytes: usize,
    timeout: Duration,
    /// Created on first use; a failure to create it is kept.
    client: Arc<OnceLock<Result<ExtractService, FetchError>>>,
}

impl TavilyReader {
    /// Creates a reader from the settings; the key is read from the environment at the first page.
    #[must_use]
    pub fn from_settings(settings: &Settings) -> Self {
        Self {
            settings: settings.extract_service.clone(),
            policy: settings.fetch.policy().map_err(|e| e.to_string()),
            max_bytes: usize::try_from(settings.extraction.max_bytes).unwrap_or(usize::MAX),
            timeout: Duration::from_secs_f64(settings.fetch.timeout_seconds),
            client: Arc::default(),
        }
    }

    /// Whether the service is called for `url` before the page is fetched directly.
    #[must_use]
    pub fn is_first(&self, url: &str) -> bool {
        self.settings.tavily_extract == TavilyExtract::First && !is_pdf(url)
    }

    /// Whether the service is called for `url` after a direct fetch failed with `code`. A URL that the fetch policy refuses is never sent.
    #[must_use]
    pub fn is_fallback(&self, url: &str, code: &str) -> bool {
        let is_refused = matches!(code, "fetch_refused" | "parser_unavailable" | "content_unavailable");
        self.settings.tavily_extract == TavilyExtract::Fallback && !is_pdf(url) && !is_refused
    }

    /// Returns the text of the page at `url`. The URL is sent to the service, so it must be public.
    ///
    /// # Errors
    /// [`FetchError`] with its stable code; `client_unavailable` if the key is missing.
    pub async fn text(&self, url: Public<&str>) -> Result<(Bytes, Parse), FetchError> {
        let url = url.into_inner();
        let text = self.client()?.text(url).await?;
        Ok((text, Parse { content_type: Some(DocumentFormat::Markdown.mime().to_owned()), name: url.to_owned() }))
    }

    fn client(&self) -> Result<&ExtractService, FetchError> {
        self.client.get_or_init(|| self.connect(|name| std::env::var(name).ok())).as_ref().map_err(Clone::clone)
    }

    fn connect(&self, read: impl Fn(&str) -> Option<String>) -> Result<ExtractService, FetchError> {
        let variable = &self.settings.tavily_api_key_env;
        let no_key = || {
            FetchError::unavailable(format!(
                "tavily needs its key in the environment variable {variable}, which is not set"
            ))
        };
        let key = key_from("tavily", variable, read).ok().flatten().ok_or_else(no_key)?;
        ExtractService::new(ExtractServiceConfig {
            base_url: self.settings.tavily_base_url.expose().to_owned(),
            key,
            policy: self.policy.clone().map_err(FetchError::unavailable)?,
            max_bytes: self.max_bytes,
            timeout: self.timeout,
        })
    }
}

/// Whether `url` looks like that of a PDF: PDFs are always read directly, page by page.
fn is_pdf(url: &str) -> bool {
    Hint { content_type: None, name: url }.is_pdf()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(when: TavilyExtract) -> TavilyReader {
        let mut settings = Settings::default();
        settings.extract_service.tavily_extract = when;
        TavilyReader::from_settings(&settings)
    }

    #[test]
    fn confirmation_is_asked_only_where_the_settings_say_when() {
        let (page, pdf) = ("https://example.org/a", "https://example.org/a.pdf?x=1");
        let table = [
            (TavilyExtract::Off, page, "timed_out", (false, false)),
            (TavilyExtract::Fallback, page, "timed_out", (false, true)),
            (TavilyExtract::Fallback, page, "empty", (false, true)),
            (TavilyExtract::Fallback, page, "fetch_refused", (false, false)),
            (TavilyExtract::Fallback, pdf, "timed_out", (false, false)),
            (TavilyExtract::First, page, "timed_out", (true, false)),
            (TavilyExtract::First, pdf, "timed_out", (false, false)),
        ];
        for (when, url, code, want) in table {
            let reader = reader(when);
            assert_eq!((reader.is_first(url), reader.is_fallback(url, code)), want, "{when:?} {url} {code}");
        }
    }

    #[test]
    fn without_a_key_no_request_is_sent() {
        let reader = reader(TavilyExtract::First);
        for key in [None, Some("  ".to_owned())] {
            let error = reader.connect(|_| key.clone()).expect_err("no key");
            assert_eq!((error.code, error.message.contains("TAVILY_API_KEY")), ("client_unavailable", true));
        }
        assert!(reader.connect(|_| Some("k".to_owned())).is_ok());
    }
}
