//! Results of ended sessions, and why there is none.

use precis_proto::SessionId;
use precis_proto::response::{ReportData, Response};
use precis_runtime::records::read_accepted;

use super::failure::ToolFailure;
use crate::cli::terminal::printable;
use crate::fleet::{Caller, SubmitError};

/// Returns the report of the session `id` of `tenant`.
///
/// # Errors
/// [`ToolFailure`] if there is no such session, it has not ended, or it ended without a report.
pub(super) async fn report_of(caller: &Caller, tenant: Option<&str>, id: &str) -> Result<ReportData, ToolFailure> {
    let data = response_of(caller, tenant, id).await?.data;
    data.ok_or_else(|| ToolFailure::new("no_report", "this session ended without a report"))
}

/// Returns the result of the session `id` of `tenant`.
///
/// # Errors
/// [`ToolFailure`] if there is no such session, or it has not ended.
pub(super) async fn response_of(caller: &Caller, tenant: Option<&str>, id: &str) -> Result<Response, ToolFailure> {
    let session = SessionId::new(id).map_err(|_| unknown(id))?;
    check_owner(caller, tenant, &session).await?;
    if let Some(response) = caller.result(&session).await.map_err(|error| submit_failure(&error))? {
        return Ok(response);
    }
    match caller.is_known(&session).await.map_err(|error| submit_failure(&error))? {
        true => Err(ToolFailure::new("not_ended", "this session has not ended")
            .with_remedy("call get_report with it until it has ended")),
        false => Err(unknown(id)),
    }
}

/// Checks that no other tenant than `tenant` has the session. One without a record is not accepted yet, and nobody's.
///
/// # Errors
/// [`ToolFailure`], the same as for a session that is not there.
pub(super) async fn check_owner(caller: &Caller, tenant: Option<&str>, session: &SessionId) -> Result<(), ToolFailure> {
    let record = read_accepted(&caller.content, session.as_str()).await;
    let record = record.map_err(|error| submit_failure(&SubmitError::Content(error)))?;
    match record {
        Some(record) if record.tenant.as_deref() != tenant => Err(unknown(session.as_str())),
        Some(_) | None => Ok(()),
    }
}

/// The failure of the fleet, as tools tell it.
pub(super) fn submit_failure(error: &SubmitError) -> ToolFailure {
    let code = match error {
        SubmitError::TooLarge(_) => "request_too_large",
        SubmitError::Broker(_) | SubmitError::Content(_) | SubmitError::Unreadable(_) => "fleet_failed",
    };
    ToolFailure::new(code, error.to_string())
}

/// The failure of a call about a session that is not there.
pub(super) fn unknown(id: &str) -> ToolFailure {
    let shown = printable(id);
    ToolFailure::new("unknown_session", format!("the data folder of this server has no session `{shown}`"))
        .with_remedy("pass the `session` of an answer of `ask` or `research`, as it is")
}
