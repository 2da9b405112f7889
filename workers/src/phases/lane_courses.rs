//! Rebuilds the courses of a session's lanes from its rounds, for gathering, which continues them, and for refinement, which looks for
//! gaps.

use std::collections::BTreeSet;
use std::sync::Arc;

use precis_evidence::question::follow_up::words_to_search_with;
use precis_proto::Timestamp;
use precis_proto::account::Spent;
use precis_proto::failure_code::FailureCode;
use precis_proto::label::Label;
use precis_proto::prior::Prior;
use precis_proto::research::{Lane, Plan, ReadDocument, ResearchOptions, RoundLog, Stop};
use precis_proto::source::{Origin, Source};
use precis_proto::state::SessionState;
use precis_research::refinement::{refinements, rounds_kept, sources_allowed};
use precis_research::{
    Elapsed, Investigation, KeptForLater, KnownDocuments, NoVocabulary, ResearchCourse, ResearchLimits, Reserved,
    TermFrequencies, directives_for_lanes, stop_reason,
};
use precis_runtime::runner::{PhaseContext, PhaseError};

use super::planning::get;
use super::{give_up, known_sources};
use crate::documents::texts;
use crate::lanes::{Folders, lanes_of};

/// A lane with the results of its rounds.
pub(super) struct LaneCourse {
    pub(super) lane: Lane,
    /// Whether it may be searched; a lane that occurs only in kept rounds may not.
    pub(super) is_open: bool,
    pub(super) course: ResearchCourse,
    pub(super) stop: Option<Stop>,
    pub(super) logs: Vec<RoundLog>,
}

impl LaneCourse {
    /// Returns the documents its researchers read, with the texts of pages.
    pub(super) fn read(&self) -> Vec<ReadDocument> {
        self.logs.iter().flat_map(|log| &log.gathered).flat_map(|one| one.read.clone()).collect()
    }

    /// Returns the lane's result; `held` are the documents that are sources already, by path or URL.
    pub(super) fn into_investigation(self, held: &BTreeSet<String>) -> Investigation {
        self.course.settle_holding(self.stop.unwrap_or(Stop::NoDirectives), held)
    }
}

/// Returns the term frequencies of the documents a lane searches.
pub(super) fn vocabulary(lane: Lane, folders: &Folders) -> &dyn TermFrequencies {
    match lane {
        Lane::Local if !folders.is_empty() => folders,
        Lane::Local | Lane::Web | Lane::Academic => &NoVocabulary,
    }
}

/// Whether web lanes take no part in further iterations, because the gaps of a report, or that there are any, would reveal what private
/// texts say. If privacy `is_strict`, they take no part in any session, so that nobody can tell which ones have private texts.
pub(super) fn web_ends_with_first_report(session: &SessionState, options: &ResearchOptions, is_strict: bool) -> bool {
    is_strict || holds_private(session, options)
}

/// Whether the session has private content that must not reach a search provider: a searched folder, a given document, prior context.
pub(super) fn holds_private(session: &SessionState, options: &ResearchOptions) -> bool {
    // A page found by a search is public; a given text may be private, even if a search found it again.
    let is_page = |source: &Source| matches!(source.origin, Origin::Url(_)) && !source.found_by.is_empty();
    let has_files = lanes_of(options).contains(&Lane::Local) || !session.sources.iter().all(is_page);
    let files = if has_files { options.files_label() } else { Label::Public };
    let all = files.join(options.question_label());
    session.prior.is_some() || !all.is_public()
}

/// What the courses of a session are rebuilt for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CoursesFor {
    /// Its first rounds: a part of the searches and rounds is kept for refinement.
    FirstRounds,
    /// Further iterations, this number of which have begun.
    Iterations(u32),
}

/// Rebuilds the courses of the session's lanes from its rounds. Each further iteration that has begun adds one round, unless the request
/// sets their number, and documents to read, except for web lanes that take no part in iterations. If privacy `is_strict`, web lanes have a fixed share of what is read too.
pub(super) async fn courses(
    session: &SessionState,
    options: &ResearchOptions,
    folders: &Arc<Folders>,
    (purpose, is_strict): (CoursesFor, bool),
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
    let web_is_ended = web_ends_with_first_report(session, options, is_strict);
    let (begun, is_kept) = match purpose {
        CoursesFor::FirstRounds => (0, refinements(options) > 0 && !web_is_ended),
        CoursesFor::Iterations(begun) => (begun, false),
    };
    // Web lanes that take no part in iterations have all rounds from the start, and no other lane would wait for them.
    let keeps_rounds = begun == 0 && !(web_is_ended && open.iter().any(|lane| lane.is_public()));
    let inputs = CourseInputs {
        limits: ResearchLimits::for_options(options),
        is_kept,
        rounds_kept: if keeps_rounds { rounds_kept(options) } else { 0 },
        kept: research.forked.as_ref().map_or(0, |forked| forked.round as usize),
        known: known_sources::known_documents(session, content).await?,
        named: known_sources::named_alone(session),
        prior: ctx.prior().await?,
        query: session.query.clone(),
        folders: Arc::clone(folders),
        web_is_ended,
        options: options.clone(),
        plan,
        rounds,
        open,
        begun,
        is_strict,
    };
    // Comparing passages takes long: run it on a blocking thread.
    Ok(texts::compute(move || inputs.courses()).await)
}

/// The inputs of the courses of all lanes.
struct CourseInputs {
    plan: Plan,
    options: ResearchOptions,
    rounds: Vec<Vec<RoundLog>>,
    /// Number of rounds kept from the research it forks.
    kept: usize,
    /// Lanes that may be searched.
    open: Vec<Lane>,
    limits: ResearchLimits,
    /// Whether a part of the searches is kept for refinement.
    is_kept: bool,
    /// Number of rounds kept for refinement.
    rounds_kept: u32,
    folders: Arc<Folders>,
    known: KnownDocuments,
    /// Those of them that a web lane may know if privacy is strict.
    named: KnownDocuments,
    prior: Arc<Prior>,
    query: String,
    /// Further iterations that have begun.
    begun: u32,
    is_strict: bool,
    /// Whether web lanes take no part in further iterations.
    web_is_ended: bool,
}

impl CourseInputs {
    /// Returns a course for each open lane, and for each lane with rounds.
    fn courses(&self) -> Vec<LaneCourse> {
        let mut lanes = self.open.clone();
        for log in self.rounds.iter().flatten() {
            if !lanes.contains(&log.lane) {
                lanes.push(log.lane);
            }
        }
        lanes.into_iter().enumerate().map(|(n, lane)| self.course(n, lane)).collect()
    }

    /// Returns the course of `lane`, the `n`th.
    fn course(&self, n: usize, lane: Lane) -> LaneCourse {
        let is_open = self.open.contains(&lane);
        let is_strange = self.is_strict && lane.is_public();
        let begun = if self.web_is_ended && lane.is_public() { 0 } else { self.begun };
        let limits = ResearchLimits {
            rounds: self.limits.rounds.saturating_add(if self.options.max_rounds.is_some() { 0 } else { begun }),
            sources: sources_allowed(&self.options, begun),
            ..self.limits
        };
        let shares = limits.for_lanes(&self.open, self.is_strict);
        let first = limits.before_refinement().for_lanes(&self.open, self.is_strict);
        let (limits, kept) = match (shares.get(n), first.get(n)) {
            (Some(share), Some(first)) if is_open => (*share, share.searches - first.searches),
            _ => (ResearchLimits { rounds: 0, searches: 0, sources: 0 }, 0),
        };
        let words = vocabulary(lane, &self.folders);
        let course = ResearchCourse::new(self.plan.clone(), lane, limits, words);
        let searches = if self.is_kept { kept } else { 0 };
        let course = course.keeping_for_later(KeptForLater { rounds: self.rounds_kept, searches });
        let said = words_to_search_with(&self.query, &self.prior, lane.is_public());
        let held = if is_strange { self.named.clone() } else { self.known.clone() };
        let course = course.in_conversation(said, words).holding(held).keeping(self.kept);
        let directives = directives_for_lanes(&self.open).get(n).copied().unwrap_or(1);
        let mut course = course.with_directives(directives);
        let mut stop = (!is_open).then_some(Stop::NoDirectives);
        let logs: Vec<RoundLog> = self.rounds.iter().flatten().filter(|log| log.lane == lane).cloned().collect();
        for log in &logs {
            // The last round's stop reason wins: a further iteration continues after the first stop.
            stop = course.fold(log.clone()).or(stop);
        }
        LaneCourse { lane, is_open, course, stop, logs }
    }
}

/// Returns why no further round may begin, if money, tokens or time are used up but for what is `reserved`.
pub(super) fn budget_stop(session: &SessionState, now: Timestamp, reserved: Reserved) -> Option<Stop> {
    let whole = session.deadline.map(|deadline| deadline.0.saturating_sub(session.created_at.0));
    let elapsed = Elapsed { used: now.0.saturating_sub(session.created_at.0), whole };
    stop_reason(&session.account, Spent::from_calls(&session.calls), elapsed, reserved)
}

/// Returns why a stopped session ends.
pub(super) fn session_stop(session: &SessionState, ctx: &PhaseContext) -> Stop {
    match session.deadline.is_some_and(|deadline| deadline <= ctx.now()) {
        true => Stop::Time,
        false => Stop::Asked,
    }
}
