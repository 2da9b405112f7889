//! The report of a question about collections: made by a fleet, and written here.

use std::path::Path;
use std::time::Duration;

use precis_proto::SessionId;
use precis_proto::ids::sha256_hex;
use precis_proto::request::{RequestOptions, ResearchRequest};
use precis_proto::research::{CollectionRef, ResearchOptions};
use precis_proto::response::{ErrorInfo, ReportData, Response, Status};
use precis_proto::source::ContentRef;
use precis_proto::standing::StandingQuestion;
use precis_runtime::collections::{BindFault, bind};
use precis_runtime::config::Settings;

use super::made::{Made, is_current, made_by};
use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::commands::submit::{self, SubmitOptions, Submitted};
use crate::commands::upload::Uploads;
use crate::commands::{self, block_on, refresh, result};
use crate::fleet::Caller;
use crate::report::outcome::failure_of;

/// Digits of the part of a session's id that names what is searched.
const PLACE_DIGITS: usize = 32;

/// Looks for the newest versions of the collections, and has the report made if they changed since the last one.
///
/// # Errors
/// [`CommandFailure`] if the fleet cannot be reached, or a collection is not there or not indexed.
pub(super) fn make(
    question: &StandingQuestion,
    earlier: Option<&ReportData>,
    config: &ConfigArgs,
) -> Result<Made, CommandFailure> {
    let settings = commands::operator_settings(config)?;
    block_on(async {
        let caller = commands::caller(&settings, "standing").await?;
        let made = asked(question, earlier, &settings, &caller).await;
        caller.broker.close().await;
        made
    })
}

async fn asked(
    question: &StandingQuestion,
    earlier: Option<&ReportData>,
    settings: &Settings,
    caller: &Caller,
) -> Result<Made, CommandFailure> {
    let mut options = options(question, earlier);
    let failed = |e: precis_runtime::content::ContentError| commands::fleet_failed("read the collections", &e.into());
    let bound = bind(&caller.content, question.tenant.as_deref(), &mut options, None).await.map_err(failed)?;
    let corpora = bound.map_err(|BindFault { code, message, .. }| {
        let fault = ErrorInfo::new(Status::Failed, code, format!("{}: {message}", question.id));
        failure_of(&fault)
    })?;
    let manifests: Vec<ContentRef> = corpora.into_iter().map(|corpus| corpus.manifest).collect();
    if earlier.is_some() && is_current(question, &manifests) {
        return Ok(Made::Unchanged);
    }
    let session_id = session(question, &options, caller).await?;
    let (query, options) =
        (question.query.clone(), RequestOptions { research: Some(options), ..RequestOptions::default() });
    let schema_version = options.request_version();
    let request = ResearchRequest { schema_version, session_id, query, sources: Vec::new(), options };
    let how = SubmitOptions {
        wait: true,
        quiet: true,
        tenant: question.tenant.clone(),
        privacy: question.privacy,
        ..SubmitOptions::default()
    };
    let wait = Duration::from_secs(settings.standing.wait_seconds);
    let uploads = Uploads::default();
    let Ok(submitted) = tokio::time::timeout(wait, submit::submitted(settings, caller, request, &uploads, &how)).await
    else {
        let (id, seconds) = (&question.id, wait.as_secs());
        terminal::print_warning(&format!("{id}: the fleet has no result after {seconds} s; the next run looks again"));
        return Ok(Made::Failed(Exit::Failed));
    };
    match submitted? {
        Submitted::Ended(response) => written(question, &response, caller, manifests).await,
        Submitted::Interrupted | Submitted::Unwaited => Ok(Made::Failed(Exit::Interrupted)),
    }
}

/// Writes the report, if there is one.
async fn written(
    question: &StandingQuestion,
    response: &Response,
    caller: &Caller,
    manifests: Vec<ContentRef>,
) -> Result<Made, CommandFailure> {
    match (&response.data, &response.error) {
        (Some(data), _) => {
            result::write((Path::new(&question.out), true), response, data, &caller.content).await?;
            Ok(Made::Report { manifests })
        }
        (None, error) => {
            error.iter().for_each(|error| terminal::print_failure(&failure_of(error)));
            Ok(Made::Failed(result::exit_of(response)))
        }
    }
}

fn options(question: &StandingQuestion, earlier: Option<&ReportData>) -> ResearchOptions {
    ResearchOptions {
        collections: question.collections.iter().map(|id| CollectionRef { id: id.clone(), version: None }).collect(),
        web: question.web.clone(),
        academic: question.academic.clone(),
        public: question.privacy.public,
        confidential_query: question.privacy.confidential_query,
        allow_domains: question.allow_domains.clone(),
        deny_domains: question.deny_domains.clone(),
        since: question.since.clone(),
        plan: earlier.and_then(|data| data.research.as_ref()).map(refresh::plan_of),
        ..ResearchOptions::default()
    }
}

/// The session to submit: the same one while neither the versions nor the last report change, so that a run that was interrupted finds its
/// result instead of paying for another. One that failed is not asked for again.
async fn session(
    question: &StandingQuestion,
    options: &ResearchOptions,
    caller: &Caller,
) -> Result<SessionId, CommandFailure> {
    let last = question.last.as_ref().map(|last| last.report.to_string());
    let about = (&question.id, &options.collections, last, question.checked_at, made_by());
    let digits = sha256_hex(format!("{about:?}").as_bytes());
    let session = SessionId::new(format!("{}-{}", question.id, &digits[..PLACE_DIGITS]))
        .map_err(|e| CommandFailure::new(Exit::Refused, "invalid_session_id", format!("{}: {e}", question.id)))?;
    let known = caller.result(&session).await;
    match known.map_err(|e| commands::fleet_failed(&format!("read the result of {session}"), &e))? {
        Some(ended) if ended.data.is_none() => Ok(submit::new_session_id()),
        _ => Ok(session),
    }
}
