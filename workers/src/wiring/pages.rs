//! Pages through the guarded client, which is set up when the first page is asked for: a run without pages needs no network
//! set-up at all.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use precis_proto::label::Public;
use precis_runtime::config::{FetchSettings, Settings};
use precis_runtime::fetch::{FetchError, Fetcher, PageVersion, RefetchResult};
use precis_runtime::store::Store;

use crate::documents::parse::Parse;

/// Fetches pages; clones share one client and its limits per host.
#[derive(Debug, Clone)]
pub struct PageFetcher {
    settings: FetchSettings,
    max_bytes: u64,
    /// What the fleet shares.
    fleet: Option<Store>,
    /// Made on first use; a failure to make it stays.
    client: Arc<OnceLock<Result<Fetcher, FetchError>>>,
}

/// A page as it is now.
#[derive(Debug)]
pub enum PageState {
    /// Its bytes, and what its server says of them.
    Read {
        /// As they came, decoded from compression.
        bytes: Bytes,
        /// Type and name.
        parse: Parse,
        /// Which version they are, where the server says so.
        version: Option<PageVersion>,
    },
    /// Still the version that was known.
    Unchanged,
}

impl PageFetcher {
    /// Pages under the settings' policy and limits.
    #[must_use]
    pub fn from_settings(settings: &Settings) -> Self {
        Self {
            settings: settings.fetch.clone(),
            max_bytes: settings.extraction.max_bytes,
            fleet: None,
            client: Arc::default(),
        }
    }

    /// The same pages, under limits per host that hold for all workers that share `store`; a store of one process changes nothing.
    #[must_use]
    pub fn of_fleet(self, store: &Store) -> Self {
        let is_shared = matches!(store, Store::Redis(_));
        Self { fleet: is_shared.then(|| store.clone()), ..self }
    }

    /// A page's bytes, and what its server says of them. Whoever looks its name up and whoever serves it reads its address, so that it is
    /// one that anybody may be told: this is the one gate to a page.
    ///
    /// # Errors
    /// [`FetchError`] with its stable code.
    pub async fn get(&self, url: Public<&str>) -> Result<(Bytes, Parse), FetchError> {
        let page = self.client()?.get(url.into_inner()).await?;
        Ok((page.bytes, Parse { content_type: page.content_type, name: page.final_url }))
    }

    /// The page at `url`, unless it is still the version `known`; the gate is that of [`Self::get`].
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
            let fetcher = Fetcher::from_settings(&self.settings, self.max_bytes)?;
            Ok(match &self.fleet {
                Some(store) => fetcher.of_fleet(store.clone()),
                None => fetcher,
            })
        };
        self.client.get_or_init(make).as_ref().map_err(Clone::clone)
    }
}
