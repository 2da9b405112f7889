//! Fetches pages through the guarded client, which is created at the first page, so that a run without pages needs no network setup.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use precis_proto::label::Public;
use precis_runtime::config::{FetchSettings, Settings};
use precis_runtime::fetch::{FetchError, Fetcher, PageVersion, RefetchResult};
use precis_runtime::store::Store;

use crate::documents::parse::Parse;

/// Failure code of a page that the fetch policy forbids.
pub(crate) const FETCH_REFUSED: &str = "fetch_refused";

/// Fetches pages; clones share one client and its limits per host.
#[derive(Debug, Clone)]
pub struct PageFetcher {
    settings: FetchSettings,
    max_bytes: u64,
    /// The store shared by the fleet.
    fleet: Option<Store>,
    /// Created on first use; a failure to create it is kept.
    client: Arc<OnceLock<Result<Fetcher, FetchError>>>,
}

/// The result of fetching a page.
#[derive(Debug)]
pub enum PageState {
    /// The page was read.
    Read {
        /// Its bytes, decompressed.
        bytes: Bytes,
        /// Type and name.
        parse: Parse,
        /// Its version, if the server reports one.
        version: Option<PageVersion>,
    },
    /// The known version is current.
    Unchanged,
}

impl PageFetcher {
    /// Creates a fetcher with the policy and limits of the settings.
    #[must_use]
    pub fn from_settings(settings: &Settings) -> Self {
        Self {
            settings: settings.fetch.clone(),
            max_bytes: settings.extraction.max_bytes,
            fleet: None,
            client: Arc::default(),
        }
    }

    /// Shares the limits per host with all workers on `store`; an in-memory store changes nothing.
    #[must_use]
    pub fn of_fleet(self, store: &Store) -> Self {
        let is_shared = matches!(store, Store::Redis(_));
        Self { fleet: is_shared.then(|| store.clone()), ..self }
    }

    /// Fetches a page. Name servers and the page's server learn the URL, so it must be public: every page fetch passes through here.
    ///
    /// # Errors
    /// [`FetchError`] with its stable code.
    pub async fn get(&self, url: Public<&str>) -> Result<(Bytes, Parse), FetchError> {
        let page = self.client()?.get(url.into_inner()).await?;
        Ok((page.bytes, Parse { content_type: page.content_type, name: page.final_url }))
    }

    /// Fetches the page at `url` unless the version `known` is current; the URL must be public, as for [`Self::get`].
    ///
    /// # Errors
    /// [`FetchError`] with its stable code.
    pub async fn get_unless(&self, url: Public<&str>, known: Option<&PageVersion>) -> Result<PageState, FetchError> {
        Ok(match self.client()?.get_unless(url.into_inner(), known).await? {
            RefetchResult::Unchanged => PageState::Unchanged,
            RefetchResult::Page(page) => PageState::Read {
                bytes: page.bytes,
                parse: Parse { content_type: page.content_type, name: page.final_url },
                version: page.version,
            },
        })
    }

    fn client(&self) -> Result<&Fetcher, FetchError> {
        let make = || {
            let fetcher = self.settings.client(self.max_bytes)?;
            Ok(match &self.fleet {
                Some(store) => fetcher.of_fleet(store.clone()),
                None => fetcher,
            })
        };
        self.client.get_or_init(make).as_ref().map_err(Clone::clone)
    }
}
