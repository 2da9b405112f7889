//! The courses of a session's lanes, as its rounds have made them: the same for gathering, which goes on with them, and for refinement,
//! which looks for what is thin.

use std::collections::BTreeSet;
use std::sync::Arc;

use precis_distill::follow_up::words_to_search_with;
use precis_distill::research::refinement::sources_allowed;
use precis_distill::research::{
    Elapsed, Investigation, KnownDocuments, NoVocabulary, ResearchCourse, ResearchLimits, TermFrequencies,
    directives_for_lane, exhausted,
};
use precis_proto::Timestamp;
use precis_proto::account::Spent;
use precis_proto::failure_code::FailureCode;
use precis_proto::prior::Prior;
use precis_proto::research::{Lane, Plan, ReadDocument, ResearchOptions, RoundLog, Stop};
use precis_proto::state::SessionState;
use precis_runtime::runner::{PhaseContext, PhaseError};

use super::planning::get;
use super::{give_up, known_sources};
use crate::documents::texts;
use crate::lanes::{Folders, lanes_of};

/// A lane with what its rounds have found.
pub(super) struct LaneCourse {
    pub(super) lane: Lane,
    /// Whether it may be searched: a lane of kept rounds alone is not.
    pub(super) is_open: bool,
    pub(super) course: ResearchCourse,
    pub(super) stop: Option<Stop>,
    pub(super) logs: Vec<RoundLog>,
}

impl LaneCourse {
    /// What its researchers read, with the texts of pages.
    pub(super) fn read(&self) -> Vec<ReadDocument> {
        self.logs.iter().flat_map(|log| &log.gathered).flat_map(|one| one.read.clone()).collect()
    }

    /// What it ends with; `held` are the documents that are sources already, by path or address.
    pub(super) fn settled(self, held: &BTreeSet<String>) -> Investigation {
        self.course.settle_holding(self.stop.unwrap_or(Stop::NoDirectives), held)
    }
}

/// How often terms stand in what a lane searches.
pub(super) fn vocabulary(lane: Lane, folders: &Folders) -> &dyn TermFrequencies {
    match lane {
        Lane::Local if !folders.is_empty() => folders,
        Lane::Local | Lane::Web | Lane::Academic => &NoVocabulary,
    }
}

/// The courses of the session's lanes, as its rounds have made them, of which further iterations have `begun` so many: each has a round
/// of its own. Where privacy `is_strict`, lanes of the web beside private texts have the same part of everything whatever these hold, and
/// none in further iterations.
pub(super) async fn courses(
    session: &SessionState,
    options: &ResearchOptions,
    folders: &Arc<Folders>,
    (begun, is_strict): (u32, bool),
    ctx: &PhaseContext,
) -> Result<Vec<LaneCourse>, PhaseError> {
    let content = &ctx.services().content;
    let Some(research) = &session.research else {
        return Err(give_up(session, FailureCode::NoPlan, "the session has no plan", "submit the request again"));
    };
    let plan: Plan = get(&research.plan, content).await?;
    let mut rounds: Vec<Vec<RoundLog>> = Vec::new();
    for round in &research.rounds {
        rounds.push(get(round, content).await?);
    }
    let open = lanes_of(options);
    let inputs = CourseInputs {
        limits: ResearchLimits::for_options(&plan, options),
        kept: research.forked.as_ref().map_or(0, |forked| forked.round as usize),
        known: known_sources::known(session, content).await?,
        named: known_sources::named_alone(session),
        prior: ctx.prior().await?,
        query: session.query.clone(),
        folders: Arc::clone(folders),
        is_apart: is_strict && open.contains(&Lane::Local) && !options.files_label().is_public(),
        options: options.clone(),
        plan,
        rounds,
        open,
        begun,
        is_strict,
    };
    // Comparing passages is work for a thread that may wait.
    Ok(texts::compute(move || inputs.courses()).await)
}

/// What the courses of all lanes are made from.
struct CourseInputs {
    plan: Plan,
    options: ResearchOptions,
    rounds: Vec<Vec<RoundLog>>,
    /// How many of the rounds are those of the research it is a fork of.
    kept: usize,
    /// Lanes that may be searched.
    open: Vec<Lane>,
    limits: ResearchLimits,
    folders: Arc<Folders>,
    known: KnownDocuments,
    /// Of these, what a lane may know that is told nothing of texts that were given.
    named: KnownDocuments,
    prior: Arc<Prior>,
    query: String,
    /// Further iterations that have begun.
    begun: u32,
    is_strict: bool,
    /// Whether lanes of the web lie beside private texts.
    is_apart: bool,
}

impl CourseInputs {
    /// A course for each open lane, and for each that has rounds.
    fn courses(&self) -> Vec<LaneCourse> {
        let mut lanes = self.open.clone();
        for log in self.rounds.iter().flatten() {
            if !lanes.contains(&log.lane) {
                lanes.push(log.lane);
            }
        }
        lanes.into_iter().enumerate().map(|(n, lane)| self.course(n, lane)).collect()
    }

    /// The course of `lane`, the `n`th.
    fn course(&self, n: usize, lane: Lane) -> LaneCourse {
        let is_open = self.open.contains(&lane);
        let is_strange = self.is_strict && lane.is_public();
        let begun = if self.is_apart && is_strange { 0 } else { self.begun };
        let limits = ResearchLimits {
            rounds: self.limits.rounds.saturating_add(begun),
            sources: sources_allowed(&self.options, begun),
            ..self.limits
        };
        let limits = match is_open {
            true if self.is_apart => limits.for_lane_apart(n, self.open.len()),
            true => limits.for_lane(n, self.open.len()),
            false => ResearchLimits { rounds: 0, searches: 0, sources: 0 },
        };
        let words = vocabulary(lane, &self.folders);
        let course = ResearchCourse::new(self.plan.clone(), lane, limits, words);
        let said = words_to_search_with(&self.query, &self.prior, lane.is_public());
        let held = if is_strange { self.named.clone() } else { self.known.clone() };
        let course = course.in_conversation(said, words).holding(held).keeping(self.kept);
        let mut course = course.with_directives(directives_for_lane(n, self.open.len()));
        let mut stop = (!is_open).then_some(Stop::NoDirectives);
        let logs: Vec<RoundLog> = self.rounds.iter().flatten().filter(|log| log.lane == lane).cloned().collect();
        for log in &logs {
            // The last word is that of the last round: an iteration goes on behind the first end.
            stop = course.fold(log.clone()).or(stop);
        }
        LaneCourse { lane, is_open, course, stop, logs }
    }
}

/// Why no further round may begin, where something is spent.
pub(super) fn spent(session: &SessionState, now: Timestamp) -> Option<Stop> {
    let whole = session.deadline.map(|deadline| deadline.0.saturating_sub(session.created_at.0));
    let elapsed = Elapsed { used: now.0.saturating_sub(session.created_at.0), whole };
    exhausted(&session.account, Spent::from_calls(&session.calls), elapsed)
}

/// Why a session ends that was stopped.
pub(super) fn stopped(session: &SessionState, ctx: &PhaseContext) -> Stop {
    match session.deadline.is_some_and(|deadline| deadline <= ctx.now()) {
        true => Stop::Time,
        false => Stop::Asked,
    }
}
