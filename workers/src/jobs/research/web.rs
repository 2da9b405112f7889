//! Searches through providers, and reads pages through the guarded client and the sandbox.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use precis_proto::job::{Extraction, ExtractionJob, JobOutcome, Research as Kind, ResearchJob};
use precis_proto::label::{Label, Labelled};
use precis_proto::research::{CompletedSearch, Hit, Lane, PlannedSearch, ReadDocument, Served, Stop};
use precis_proto::source::Origin;
use precis_proto::warning::{Warning, WarningCode};
use precis_proto::{CharRange, SourceId};
use precis_research::researcher::{DocumentPage, document_page};
use precis_runtime::model::BillingContext;
use precis_runtime::runner::{JobContext, JobError};
use precis_runtime::search::{PublicQuery, SearchCall, SearchCode, SearchPayment as Paid, Searches, WebHit, identity};
use url::Url;

use crate::documents::texts;
use crate::lanes::{LaneError, Lanes};

/// Most results of one search, and the longest wait for them.
const RESULTS: usize = 10;
const PATIENCE: Duration = Duration::from_secs(60);
/// Answer to a researcher who opens a page that the session already has.
const ALREADY_READ: &str = "it is among the documents of the session already, and need not be read again";

pub(super) struct WebLane {
    searches: Arc<Searches>,
    /// The search call without its query.
    form: SearchCall,
    /// Pages that the session already has.
    known: BTreeSet<String>,
    /// The label of this lane's queries, which decides whether they may be sent.
    label: Label,
}

impl WebLane {
    /// The lane with the providers that the request names for it.
    pub(super) fn new(lanes: &Lanes, lane: Lane, job: &ResearchJob) -> Result<Self, LaneError> {
        let names = if lane == Lane::Academic { &job.options.academic } else { &job.options.web };
        let searches = lanes.searches()?;
        let form = SearchCall {
            max_results: RESULTS,
            allow_domains: job.options.allow_domains.clone(),
            deny_domains: job.options.deny_domains.clone(),
            since: job.options.since.as_deref().and_then(|day| day.parse().ok()),
            ..SearchCall::new(PublicQuery::of_user(""), names.clone())
        };
        let known = job.known.iter().cloned().collect();
        Ok(Self { searches, form, known, label: job.label() })
    }

    /// Makes a search; returns it with a warning if a provider failed.
    pub(super) async fn search(
        &self,
        wanted: &PlannedSearch,
        ctx: &JobContext<Kind>,
    ) -> (CompletedSearch, Option<Warning>) {
        let billing = ctx.billing();
        let mut made = CompletedSearch {
            text: wanted.text.clone(),
            provider: self.form.providers.first().cloned().unwrap_or_default(),
            served: Served::None,
            hits: Vec::new(),
            usd: 0.0,
            failure: None,
            ended: None,
            withheld: None,
        };
        // The privacy gate: a query is sent only if everything its lane has seen is public.
        let query = match Labelled::new(self.label, wanted.text.as_str()).public() {
            Ok(text) => PublicQuery::of_public(text),
            Err(why) => return (CompletedSearch { withheld: Some(why), ..made }, None),
        };
        let call = SearchCall { query, max_results: RESULTS.min(wanted.hits as usize), ..self.form.clone() };
        let failed = match self.ask_provider(&billing, &call, ctx).await {
            Ok(answer) => {
                let failed = answer.failed_over.first().map(|first| {
                    let (name, code, by) = (&first.provider, first.code.as_str(), &answer.provider);
                    format!("search provider `{name}` failed ({code}); `{by}` answered")
                });
                made.served = if answer.served == Paid::Paid { Served::Paid } else { Served::Memo };
                made.usd = answer.usd;
                made.hits = answer.hits.into_iter().map(hit).collect();
                made.provider = answer.provider;
                failed
            }
            Err(failure) => {
                let named = failure.tried.iter().map(|one| format!("`{}` ({})", one.provider, one.code.as_str()));
                let message = format!("no search provider answered: {}", named.collect::<Vec<_>>().join(", "));
                made.ended = stop_reason(failure.code());
                made.failure = Some(failure.to_string());
                Some(message)
            }
        };
        let warning = |message| Warning::new(WarningCode::SearchProviderFailed, ctx.phase(), message);
        (made, failed.map(warning))
    }

    async fn ask_provider(
        &self,
        billing: &BillingContext,
        call: &SearchCall,
        ctx: &JobContext<Kind>,
    ) -> Result<precis_runtime::search::SearchAnswer, precis_runtime::search::SearchFailure> {
        Box::pin(self.searches.search(billing, call, PATIENCE.min(ctx.time_left()))).await
    }

    pub(super) async fn read(
        &self,
        address: &str,
        (topic, wanted): (&str, Option<u32>),
        ctx: &JobContext<Kind>,
    ) -> Result<(ReadDocument, Option<DocumentPage>), JobError> {
        if Url::parse(address).is_ok_and(|url| self.known.contains(&identity(&url))) {
            let failure = Some(ALREADY_READ.to_owned());
            return Ok((ReadDocument { document: address.to_owned(), answer: None, failure }, None));
        }
        let id = SourceId::new("read").map_err(|e| JobError::permanent("invalid_id", e.to_string()))?;
        let job = ExtractionJob {
            source_id: id,
            origin: Origin::Url(address.to_owned()),
            content_type: None,
            title: String::new(),
        };
        let outcomes = ctx.scatter::<Extraction>(vec![(format!("read\u{1f}{address}"), job)]).await?;
        let mut read = ReadDocument { document: address.to_owned(), answer: None, failure: None };
        let answer = match outcomes.into_iter().next() {
            Some(JobOutcome::Done(answer)) => answer,
            Some(JobOutcome::Failed(failure)) => {
                read.failure = Some(failure.message);
                return Ok((read, None));
            }
            None => {
                read.failure = Some("it was not read".to_owned());
                return Ok((read, None));
            }
        };
        let text = texts::load(&ctx.services().content, &answer.text).await;
        let text = text.map_err(|e| JobError::transient("content_unavailable", e.to_string()))?;
        let topic = topic.to_owned();
        let page = texts::compute(move || document_page(&text, &topic, wanted)).await;
        read.answer = Some(answer);
        Ok((read, Some(page)))
    }
}

/// Converts a result to a passage with the text of its snippet; the page itself was not read.
fn hit(found: WebHit) -> Hit {
    let text = found.text.filter(|text| !text.trim().is_empty()).unwrap_or(found.snippet);
    Hit {
        address: (found.identity != found.url).then_some(found.url),
        document: found.identity,
        title: found.title,
        published: found.published,
        headings: Vec::new(),
        range: CharRange::new(0, text.chars().count()),
        text,
        // Keeps the provider's order.
        score: 1.0 / f64::from(found.rank.max(1)),
        source_text_hash: String::new(),
        links: Vec::new(),
    }
}

/// Returns why no further search is possible after a failure with this code; `None` if another query may still be answered.
fn stop_reason(code: SearchCode) -> Option<Stop> {
    match code {
        SearchCode::CeilingReached => Some(Stop::Money),
        SearchCode::OutOfTime | SearchCode::Stopped => Some(Stop::Time),
        _ => None,
    }
}
