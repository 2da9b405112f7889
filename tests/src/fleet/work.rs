//! What the sessions of a trial are asked to do, and the servers beside the broker that they need for it.

use precis_proto::request::ResearchRequest;
use precis_runtime::search::SearchKind;

use super::fleet_under_test::{FleetOptions, KEY};
use super::ledger::Call;
use super::requests;
use super::research_mind;
use super::stories::{self, Reach, STORIES, Story};
use crate::page_site::PageSite;
use crate::provider::{Reply, Seen};
use crate::search::ScriptedSearch;

/// The provider that research asks. Its key is the name of the worker that asks.
const PROVIDER: SearchKind = SearchKind::Tavily;

/// What is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Work {
    /// A report on five documents.
    #[default]
    Documents,
    /// Research over the web: two rounds, of one directive each.
    Research,
    /// The same; every other session has one round, and a further iteration for what its report lacks.
    RefinedResearch,
    /// Research over the web: one round of five directives.
    WideResearch,
}

/// Servers of a trial that do research.
#[derive(Debug)]
struct Web {
    work: Work,
    mind: fn(&Seen) -> Reply,
    search: ScriptedSearch,
    site: PageSite,
}

/// Work with the servers it needs. Ends with the value.
#[derive(Debug)]
pub struct Workplace {
    web: Option<Web>,
}

impl Workplace {
    /// Starts what `work` needs.
    ///
    /// # Panics
    /// Where no port is free.
    pub async fn open(work: Work) -> Self {
        if work == Work::Documents {
            return Self { web: None };
        }
        let html: Vec<(String, String)> = (0..STORIES).flat_map(|number| Story::new(number).html()).collect();
        let site = PageSite::open(&html.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>());
        let pages = (0..STORIES).flat_map(|number| Story::new(number).pages(|path| site.url(path))).collect();
        let mind = if work == Work::WideResearch { research_mind::answer_widely } else { research_mind::answer };
        Self { web: Some(Web { work, mind, search: ScriptedSearch::start(pages, []).await, site }) }
    }

    /// What its fleet is set to.
    #[must_use]
    pub fn options(&self, with_redis: bool) -> FleetOptions {
        let options = FleetOptions { with_redis, ..FleetOptions::default() };
        let Some(web) = &self.web else { return options };
        let provider = format!(
            "[search.providers.{PROVIDER}]\nbase_url = \"{}\"\napi_key_env = \"{KEY}\"\nrequests_per_minute = 60000\n",
            web.search.base_url(PROVIDER)
        );
        FleetOptions {
            roles: &["supervision", "research", "compression", "synthesis", "evaluation"],
            settings: format!("{}fetch_host_interval = 0.01\n{provider}", web.site.settings()),
            mind: web.mind,
            ..options
        }
    }

    /// The request of session `number`.
    #[must_use]
    pub fn request(&self, number: usize) -> ResearchRequest {
        match &self.web {
            Some(Web { work: Work::RefinedResearch, .. }) if number % 2 == 1 => {
                stories::request(number, PROVIDER.as_str(), Reach::Iteration)
            }
            Some(_) => stories::request(number, PROVIDER.as_str(), Reach::Rounds),
            None => requests::request(number),
        }
    }

    /// The searches that were paid.
    #[must_use]
    pub fn searches(&self) -> Vec<Call> {
        self.web.iter().flat_map(|web| web.search.seen()).map(|seen| Call::searched(&seen)).collect()
    }
}
