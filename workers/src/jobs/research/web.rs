//! Searches by providers, and pages read through the guarded client, in the sandbox, like any other page.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use precis_distill::evidence::{Ranker, rank};
use precis_proto::job::{Extraction, ExtractionJob, JobOutcome, Research as Kind, ResearchJob};
use precis_proto::label::{Label, Labelled};
use precis_proto::research::{CompletedSearch, Hit, Lane, PlannedSearch, ReadDocument, Served, Stop};
use precis_proto::source::Origin;
use precis_proto::warning::{Warning, WarningCode};
use precis_proto::{CharRange, SourceId};
use precis_runtime::model::BillingContext;
use precis_runtime::runner::{JobContext, JobError};
use precis_runtime::search::{PublicQuery, SearchCall, SearchCode, SearchPayment as Paid, Searches, WebHit, identity};
use url::Url;

use crate::documents::texts;
use crate::lanes::{LaneError, Lanes};

/// Results of one search, and longest wait for them.
const RESULTS: usize = 10;
const PATIENCE: Duration = Duration::from_secs(60);
/// Passages of a page that is read, and about how long they are, in characters.
const PASSAGES: usize = 6;
const PASSAGE_CHARS: usize = 500;
/// What a researcher is told who would open a page that the session holds.
const ALREADY_READ: &str = "it is among the documents of the session already, and need not be read again";

pub(super) struct WebLane {
    searches: Arc<Searches>,
    /// A search without its words.
    form: SearchCall,
    /// Pages that the session holds already.
    known: BTreeSet<String>,
    /// Who may be told what is searched here.
    label: Label,
}

impl WebLane {
    /// The providers that the request names for `lane`.
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

    pub(super) async fn search(&self, wanted: &PlannedSearch, ctx: &JobContext<Kind>) -> CompletedSearch {
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
        // The gate: words that the lane planned are told to a provider where all that it has seen may be.
        let query = match Labelled::new(self.label, wanted.text.as_str()).public() {
            Ok(text) => PublicQuery::of_public(text),
            Err(why) => return CompletedSearch { withheld: Some(why), ..made },
        };
        let call = SearchCall { query, max_results: RESULTS.min(wanted.hits as usize), ..self.form.clone() };
        match self.asked(&billing, &call, ctx).await {
            Ok(answer) => {
                if let Some(first) = answer.failed_over.first() {
                    let message = format!(
                        "search provider `{}` failed ({}); `{}` answered",
                        first.provider,
                        first.code.as_str(),
                        answer.provider
                    );
                    ctx.warn(Warning::new(WarningCode::SearchProviderFailed, ctx.phase(), message));
                }
                made.served = if answer.served == Paid::Paid { Served::Paid } else { Served::Memo };
                made.usd = answer.usd;
                made.hits = answer.hits.into_iter().map(hit).collect();
                made.provider = answer.provider;
            }
            Err(failure) => {
                let named = failure.tried.iter().map(|one| format!("`{}` ({})", one.provider, one.code.as_str()));
                let message = format!("no search provider answered: {}", named.collect::<Vec<_>>().join(", "));
                ctx.warn(Warning::new(WarningCode::SearchProviderFailed, ctx.phase(), message));
                made.ended = ended(failure.code());
                made.failure = Some(failure.to_string());
            }
        }
        made
    }

    async fn asked(
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
        topic: &str,
        ctx: &JobContext<Kind>,
    ) -> Result<(ReadDocument, Vec<String>), JobError> {
        if Url::parse(address).is_ok_and(|url| self.known.contains(&identity(&url))) {
            let failure = Some(ALREADY_READ.to_owned());
            return Ok((ReadDocument { document: address.to_owned(), answer: None, failure }, Vec::new()));
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
                return Ok((read, Vec::new()));
            }
            None => {
                read.failure = Some("it was not read".to_owned());
                return Ok((read, Vec::new()));
            }
        };
        let text = texts::load(&ctx.services().content, &answer.text).await;
        let text = text.map_err(|e| JobError::transient("content_unavailable", e.to_string()))?;
        let topic = topic.to_owned();
        let passages = texts::compute(move || {
            let mut ranked = rank(&text, &topic, Ranker::Bm25, PASSAGE_CHARS, PASSAGES);
            ranked.sort_by_key(|chunk| chunk.range.start);
            ranked.into_iter().map(|chunk| chunk.text).collect()
        })
        .await;
        read.answer = Some(answer);
        Ok((read, passages))
    }
}

/// A result as a passage: its snippet is seen, not read.
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
        // The provider's own order.
        score: 1.0 / f64::from(found.rank.max(1)),
        source_text_hash: String::new(),
    }
}

/// Why nothing more may be searched after a failure with this code; absent where another query may still be answered.
fn ended(code: SearchCode) -> Option<Stop> {
    match code {
        SearchCode::CeilingReached => Some(Stop::Money),
        SearchCode::OutOfTime | SearchCode::Stopped => Some(Stop::Time),
        _ => None,
    }
}
