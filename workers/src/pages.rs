//! Pages through the guarded client, which is set up when the first page is asked for: a run without pages needs no network
//! set-up at all.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use precis_runtime::config::Settings;
use precis_runtime::fetch::{FetchError, FetchLimits, FetchPolicy, Fetcher};

use crate::parse::Parse;

/// Fetches pages; clones share one client and its limits per host.
#[derive(Debug, Clone)]
pub struct Pages {
    limits: FetchLimits,
    /// Made on first use; a failure to make it stays.
    client: Arc<OnceLock<Result<Fetcher, FetchError>>>,
}

impl Pages {
    /// Pages under the settings' size and time.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        let limits = FetchLimits {
            max_bytes: usize::try_from(settings.extraction.max_bytes).unwrap_or(usize::MAX),
            total: Duration::from_secs_f64(settings.extraction.timeout_seconds),
            ..FetchLimits::default()
        };
        Self { limits, client: Arc::default() }
    }

    /// A page's bytes, and what its server says of them.
    ///
    /// # Errors
    /// [`FetchError`] with its stable code.
    pub async fn get(&self, url: &str) -> Result<(Bytes, Parse), FetchError> {
        let client = self.client.get_or_init(|| Fetcher::new(FetchPolicy::default(), self.limits.clone()));
        let page = client.as_ref().map_err(Clone::clone)?.get(url).await?;
        Ok((page.bytes, Parse { content_type: page.content_type, name: page.final_url }))
    }
}
