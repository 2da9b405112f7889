//! Carries out what a researcher asks for in a turn: its searches at once, then its reads.

use precis_proto::job::{Research as Kind, ResearchJob};
use precis_proto::research::{CompletedSearch, PlannedSearch, ReadDocument};
use precis_research::researcher::{Action, ActionOutcome, SearchResults, SeenResults};
use precis_runtime::runner::{JobContext, JobError};

use super::lane::ResearchLane;

/// Hits requested for a search that a model asks for.
const HITS: u32 = 10;

/// Carries out the actions a researcher asks for.
pub(super) struct TurnActions<'w> {
    pub(super) reach: &'w ResearchLane,
    pub(super) job: &'w ResearchJob,
    pub(super) made: Vec<CompletedSearch>,
    pub(super) read: Vec<ReadDocument>,
    /// Documents by number, and the passages shown of them.
    pub(super) seen: SeenResults,
    pub(super) ctx: &'w JobContext<Kind>,
}

impl TurnActions<'_> {
    /// Carries out the actions of a turn, its searches at once; returns their outcomes by key.
    pub(super) async fn perform(&mut self, actions: &[Action]) -> Result<Vec<(u32, ActionOutcome)>, JobError> {
        let queries = actions.iter().filter_map(|action| match action {
            Action::Search { query, .. } => Some(query),
            Action::Read { .. } => None,
        });
        let before = self.made.len();
        let wanted: Vec<PlannedSearch> = queries.map(|query| own(query)).collect();
        self.made.extend(self.reach.search_all(&wanted, self.ctx).await);
        let mut outcomes = Vec::new();
        let mut next = before;
        for action in actions {
            outcomes.push(match action {
                Action::Search { key, query } => {
                    next += 1;
                    (*key, self.search_outcome(next - 1, query))
                }
                Action::Read { key, number, address, page } => (*key, self.open(number, address, *page).await?),
            });
        }
        Ok(outcomes)
    }

    /// Makes the first `most` searches that were planned without a model.
    pub(super) async fn search_planned(&mut self, most: usize) {
        let planned = &self.job.assignment.queries;
        let few = &planned[..planned.len().min(most)];
        self.made.extend(self.reach.search_all(few, self.ctx).await);
    }

    /// Returns what the researcher is shown of the `n`th search of the directive.
    fn search_outcome(&mut self, n: usize, query: &str) -> ActionOutcome {
        let Some(made) = self.made.get(n) else { return ActionOutcome::Failed("not made".to_owned()) };
        match &made.failure {
            Some(failure) => ActionOutcome::Failed(failure.clone()),
            None => ActionOutcome::Results(SearchResults {
                provider: made.provider.clone(),
                served: made.served,
                results: self.seen.show(query, &made.hits, HITS as usize),
            }),
        }
    }

    async fn open(&mut self, number: &str, address: &str, wanted: Option<u32>) -> Result<ActionOutcome, JobError> {
        let (mut read, page) = self.reach.read(address, (&self.job.assignment.topic, wanted), self.ctx).await?;
        let outcome = match page {
            Some(page) => ActionOutcome::Text { number: number.to_owned(), page },
            None => ActionOutcome::Failed(read.failure.clone().unwrap_or_default()),
        };
        // Record the read under the identity of the document the search found, however its URL is written.
        if let Some(document) = self.seen.document(number) {
            document.clone_into(&mut read.document);
        }
        self.read.push(read);
        Ok(outcome)
    }
}

/// A search that a model asks for.
fn own(query: &str) -> PlannedSearch {
    PlannedSearch { text: query.to_owned(), hits: HITS, sub_question: String::new(), lead: None }
}
