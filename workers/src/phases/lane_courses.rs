//! The courses of a session's lanes, as its rounds have made them: the same for gathering, which goes on with them, and for refinement,
//! which looks for what is thin.

use std::collections::BTreeSet;
use std::sync::Arc;

use precis_distill::follow_up::words_to_search_with;
use precis_distill::research::refinement::sources_allowed;
use precis_distill::research::{
    Elapsed, Investigation, NoVocabulary, ResearchCourse, ResearchLimits, TermFrequencies, directives_for_lanes,
    exhausted,
};
use precis_proto::Timestamp;
use precis_proto::account::Spent;
use precis_proto::failure_code::FailureCode;
use precis_proto::label::Label;
use precis_proto::research::{Lane, Plan, ReadDocument, ResearchOptions, RoundLog, Stop};
use precis_proto::source::{Origin, Source};
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

/// Whether web lanes are left out of further iterations: they would be told by the report, or by the iteration itself, what private
/// texts say. If privacy `is_strict`, they are left out in every session, so that nobody can tell which ones hold private texts.
pub(super) fn web_ends_with_first_report(session: &SessionState, options: &ResearchOptions, is_strict: bool) -> bool {
    is_strict || holds_private(session, options)
}

/// Whether anything of the session may not be told to a search provider: a folder that is searched, a document that was given, earlier
/// questions and answers.
pub(super) fn holds_private(session: &SessionState, options: &ResearchOptions) -> bool {
    // A page that a search found was fetched; a text that was given may be anybody's, even if a search found it again.
    let is_page = |source: &Source| matches!(source.origin, Origin::Url(_)) && !source.found_by.is_empty();
    let has_files = lanes_of(options).contains(&Lane::Local) || !session.sources.iter().all(is_page);
    let files = if has_files { options.files_label() } else { Label::Public };
    let all = files.join(options.question_label());
    session.prior.is_some() || !all.is_public()
}

/// The courses of the session's lanes, folded from its rounds. Further iterations have `begun` so many times; each adds a round of its own
/// and documents to read, except for web lanes that take no part in them. If privacy `is_strict`, web lanes have a fixed part of what is
/// read too.
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
    let kept = research.forked.as_ref().map_or(0, |forked| forked.round as usize);
    let (open, limits, folders) = (lanes_of(options), ResearchLimits::for_options(options), Arc::clone(folders));
    let mut lanes = open.clone();
    for log in rounds.iter().flatten() {
        if !lanes.contains(&log.lane) {
            lanes.push(log.lane);
        }
    }
    let (known, prior, query) =
        (known_sources::known(session, content).await?, ctx.prior().await?, session.query.clone());
    let options = options.clone();
    let named = known_sources::named_alone(session);
    let web_is_ended = web_ends_with_first_report(session, &options, is_strict);
    let directives = directives_for_lanes(&open);
    // Comparing passages is work for a thread that may wait.
    Ok(texts::compute(move || {
        let course = |(n, lane): (usize, Lane)| {
            let is_open = open.contains(&lane);
            let is_strange = is_strict && lane.is_public();
            let begun = if web_is_ended && lane.is_public() { 0 } else { begun };
            let limits = ResearchLimits {
                rounds: limits.rounds.saturating_add(begun),
                sources: sources_allowed(&options, begun),
                ..limits
            };
            let shares = limits.for_lanes(&open, plan.brief.complexity, is_strict);
            let limits = match shares.get(n) {
                Some(share) if is_open => *share,
                _ => ResearchLimits { rounds: 0, searches: 0, sources: 0 },
            };
            let course = ResearchCourse::new(plan.clone(), lane, limits, vocabulary(lane, &folders));
            let said = words_to_search_with(&query, &prior, lane.is_public());
            let held = if is_strange { named.clone() } else { known.clone() };
            let course = course.in_conversation(said, vocabulary(lane, &folders)).holding(held).keeping(kept);
            let mut course = course.with_directives(directives.get(n).copied().unwrap_or(1));
            let mut stop = (!is_open).then_some(Stop::NoDirectives);
            let logs: Vec<RoundLog> = rounds.iter().flatten().filter(|log| log.lane == lane).cloned().collect();
            for log in &logs {
                // The last word is that of the last round: an iteration goes on behind the first end.
                stop = course.fold(log.clone()).or(stop);
            }
            LaneCourse { lane, is_open, course, stop, logs }
        };
        lanes.iter().copied().enumerate().map(course).collect()
    })
    .await)
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
