//! Rebuilds the courses of a session's lanes from its rounds, for gathering, which continues them, and for refinement, which looks for
//! gaps.

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
    pub(super) fn settled(self, held: &BTreeSet<String>) -> Investigation {
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

/// Rebuilds the courses of the session's lanes from its rounds. Each of the `begun` further iterations adds one round and documents to
/// read, except for web lanes that take no part in iterations. If privacy `is_strict`, web lanes have a fixed share of what is read too.
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
    // Comparing passages takes long: run it on a blocking thread.
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
                // The last round's stop reason wins: a further iteration continues after the first stop.
                stop = course.fold(log.clone()).or(stop);
            }
            LaneCourse { lane, is_open, course, stop, logs }
        };
        lanes.iter().copied().enumerate().map(course).collect()
    })
    .await)
}

/// Returns why no further round may begin, if money, tokens or time are used up.
pub(super) fn spent(session: &SessionState, now: Timestamp) -> Option<Stop> {
    let whole = session.deadline.map(|deadline| deadline.0.saturating_sub(session.created_at.0));
    let elapsed = Elapsed { used: now.0.saturating_sub(session.created_at.0), whole };
    exhausted(&session.account, Spent::from_calls(&session.calls), elapsed)
}

/// Returns why a stopped session ends.
pub(super) fn stopped(session: &SessionState, ctx: &PhaseContext) -> Stop {
    match session.deadline.is_some_and(|deadline| deadline <= ctx.now()) {
        true => Stop::Time,
        false => Stop::Asked,
    }
}
