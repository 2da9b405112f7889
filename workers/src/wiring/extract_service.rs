//! Pages through somebody else: when Tavily is asked, and with which key. Nobody is asked unless it is configured.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use precis_distill::extract::Hint;
use precis_proto::DocumentFormat;
use precis_proto::label::Public;
use precis_runtime::config::{ExtractServiceSettings, Settings, TavilyExtract};
use precis_runtime::fetch::{ExtractService, ExtractServiceConfig, FetchError, FetchPolicy};
use precis_runtime::model::key_from;

use crate::documents::parse::Parse;

/// What a reader is told of such a text.
pub const READ_ELSEWHERE: &str = "the text is Tavily's reading of the page";

/// Reads pages elsewhere; clones share one client.
#[derive(Debug, Clone)]
pub struct TavilyReader {
    settings: ExtractServiceSettings,
    policy: Result<FetchPolicy, String>,
    max_bytes: usize,
    timeout: Duration,
    /// Made on first use; a failure to make it stays.
    client: Arc<OnceLock<Result<ExtractService, FetchError>>>,
}

impl TavilyReader {
    /// As the settings have it; the key is looked for in the environment when a page is first asked for.
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

    /// Whether the page at `url` is asked for there before it is fetched here.
    #[must_use]
    pub fn is_first(&self, url: &str) -> bool {
        self.settings.tavily_extract == TavilyExtract::First && !is_pdf(url)
    }

    /// Whether the page at `url` is asked for there after it failed here with `code`. What is refused here is told to nobody.
    #[must_use]
    pub fn is_fallback(&self, url: &str, code: &str) -> bool {
        let is_refused = matches!(code, "fetch_refused" | "parser_unavailable" | "content_unavailable");
        self.settings.tavily_extract == TavilyExtract::Fallback && !is_pdf(url) && !is_refused
    }

    /// The text of the page at `url`, which the service is told: one that anybody may be.
    ///
    /// # Errors
    /// [`FetchError`] with its stable code; `client_unavailable` where the key is missing.
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
        let no_key = || FetchError::unavailable(format!("tavily wants a key in {variable}"));
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

/// As far as its address tells: PDFs are read here, page by page.
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
    fn nobody_is_asked_unless_the_settings_say_when() {
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
    fn without_a_key_nobody_is_asked() {
        let reader = reader(TavilyExtract::First);
        for key in [None, Some("  ".to_owned())] {
            let error = reader.connect(|_| key.clone()).expect_err("no key");
            assert_eq!((error.code, error.message.contains("TAVILY_API_KEY")), ("client_unavailable", true));
        }
        assert!(reader.connect(|_| Some("k".to_owned())).is_ok());
    }
}
