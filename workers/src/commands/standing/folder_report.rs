//! The report of a question about folders: made in this process.

use std::path::PathBuf;

use precis_proto::response::ReportData;
use precis_proto::source::ContentRef;
use precis_proto::standing::StandingQuestion;

use super::made::{Made, is_current};
use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::commands::lane_args::LaneArgs;
use crate::commands::limit_args::LimitArgs;
use crate::commands::local_session::LocalSession;
use crate::commands::refresh;
use crate::commands::research::{self, SearchArgs};
use crate::commands::session_args::SessionArgs;
use crate::input::QueryFrom;
use crate::report::follow_up::FollowUpInputs;

/// Brings the indexes of the folders up to date, and makes the report if they changed since the last one.
///
/// # Errors
/// [`CommandFailure`] if a folder cannot be searched.
pub(super) fn make(
    question: &StandingQuestion,
    earlier: Option<&ReportData>,
    config: &ConfigArgs,
) -> Result<Made, CommandFailure> {
    let lanes = lanes(question);
    let how = SessionArgs { quiet: true, config: config.clone(), ..SessionArgs::default() };
    let session = LocalSession::new(QueryFrom::Text(question.query.clone()), PathBuf::from(&question.out), &how);
    let loaded = session.settings()?;
    let plan = earlier.and_then(|data| data.research.as_ref()).map(refresh::plan_of);
    let search = SearchArgs { lanes: &lanes, limits: &LimitArgs::default(), quiet: true };
    let follows = research::follow_up_inputs(search, &loaded, plan)?;
    let corpora = follows.options.research.iter().flat_map(|research| &research.corpus);
    let manifests: Vec<ContentRef> = corpora.map(|corpus| corpus.manifest.clone()).collect();
    if earlier.is_some() && is_current(question, &manifests) {
        return Ok(Made::Unchanged);
    }
    let follows = FollowUpInputs { earlier: earlier.cloned().map(Box::new), privacy: question.privacy, ..follows };
    match crate::commands::run::run_after(&session, loaded, follows) {
        Exit::Ok | Exit::Partial => Ok(Made::Report { manifests }),
        exit @ (Exit::Failed | Exit::Usage | Exit::Refused | Exit::Unreachable | Exit::Changed | Exit::Interrupted) => {
            Ok(Made::Failed(exit))
        }
    }
}

fn lanes(question: &StandingQuestion) -> LaneArgs {
    LaneArgs {
        corpus: question.corpora.iter().map(PathBuf::from).collect(),
        web: question.web.clone(),
        academic: question.academic.clone(),
        public: question.privacy.public,
        confidential_query: question.privacy.confidential_query,
        allow_domain: question.allow_domains.clone(),
        deny_domain: question.deny_domains.clone(),
        since: question.since.clone(),
    }
}
