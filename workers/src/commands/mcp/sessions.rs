//! Sessions that calls open: begun, kept on disk until they are submitted, waited for.

use std::sync::Arc;
use std::time::Duration;

use precis_proto::SessionId;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::answers::SessionAnswer;
use super::desk::{Desk, Prepared};
use super::failure::ToolFailure;
use super::kept_call::KeptCall;
use super::preparing::prepare_request;
use super::progress::Progress;
use super::results::{check_owner, submit_failure, unknown};
use super::session_answer::{ended_answer, unfinished_answer};
use crate::fleet::SessionMessage;

/// How often it is looked whether the fleet has taken a request.
const LOOK: Duration = Duration::from_millis(50);
/// Longest time to look. A call that is still kept then is submitted again by the next start, which changes nothing.
const TAKEN_WITHIN: Duration = Duration::from_secs(60);

/// Goes on with all calls of the tenant whose sessions were not submitted when the last process ended. Those that failed are kept as long as sessions.
pub(super) fn resume(desk: &Arc<Desk>) {
    let archive = &desk.settings.archive;
    let hours = archive.session_ttl_hours.unwrap_or(archive.ttl_hours);
    KeptCall::remove_failed(&desk.data, Duration::from_secs(hours.saturating_mul(3_600)));
    for call in KeptCall::all(&desk.data) {
        if call.failure.is_none() && call.tenant.as_deref() == desk.tenant() {
            begin(desk, call);
        }
    }
}

/// Opens the session of `call` and waits for its report, `within` at most.
///
/// # Errors
/// [`ToolFailure`] if it cannot be opened.
pub(super) async fn open(
    desk: &Arc<Desk>,
    call: KeptCall,
    within: Duration,
    progress: &Progress,
) -> Result<SessionAnswer, ToolFailure> {
    let deadline = Instant::now() + within;
    // First: a handle is given for what this folder has only.
    desk.fleet().await?;
    let session = call.session.clone();
    let (kept, data) = (call.clone(), desk.data.clone());
    let keeping = tokio::task::spawn_blocking(move || kept.keep(&data)).await;
    keeping.map_err(|error| ToolFailure::new("folder_failed", error.to_string()))??;
    begin(desk, call);
    let answer = answer(desk, &session, deadline, progress).await;
    if answer.is_err() {
        // The caller has been told: nobody will ask for this session again.
        KeptCall::forget(&desk.data, &session);
        desk.has_ended(&session);
    }
    answer
}

/// Returns how the session `id` stands, after waiting for its end, `within` at most.
///
/// # Errors
/// [`ToolFailure`] if there is no such session, or it could not be submitted.
pub(super) async fn standing(
    desk: &Desk,
    id: &str,
    within: Duration,
    progress: &Progress,
) -> Result<SessionAnswer, ToolFailure> {
    let deadline = Instant::now() + within;
    let session = SessionId::new(id).map_err(|_| unknown(id))?;
    desk.fleet().await?;
    answer(desk, &session, deadline, progress).await
}

/// Prepares and submits the session of `call`, however long its caller waits.
fn begin(desk: &Arc<Desk>, call: KeptCall) {
    let (tell, told) = watch::channel(None);
    desk.prepares(call.session.clone(), told);
    let desk = Arc::clone(desk);
    tokio::spawn(async move {
        let submitted = submit_call(&desk, &call).await;
        let has_failed = submitted.is_err();
        if let Err(failure) = &submitted {
            let (call, data) = (KeptCall { failure: Some(failure.clone()), ..call.clone() }, desk.data.clone());
            // Before anybody is told: who asks after a restart gets the same answer.
            let _ = tokio::task::spawn_blocking(move || call.keep(&data)).await;
        }
        tell.send_replace(Some(submitted));
        if !has_failed && is_taken(&desk, &call.session).await {
            KeptCall::forget(&desk.data, &call.session);
        }
    });
}

async fn submit_call(desk: &Desk, call: &KeptCall) -> Result<Vec<String>, ToolFailure> {
    let caller = desk.fleet().await?.caller();
    let prepared = prepare_request(desk, &caller, call).await?;
    caller
        .submit(&prepared.request, None, desk.allowed.tenant.clone())
        .await
        .map_err(|error| submit_failure(&error))?;
    Ok(prepared.warnings)
}

/// Waits until the fleet has taken the request of `session`.
async fn is_taken(desk: &Desk, session: &SessionId) -> bool {
    let Ok(fleet) = desk.fleet().await else { return false };
    let caller = fleet.caller();
    let taken = async {
        while !(caller.is_known(session).await.unwrap_or(false) || matches!(caller.result(session).await, Ok(Some(_))))
        {
            tokio::time::sleep(LOOK).await;
        }
    };
    tokio::time::timeout(TAKEN_WITHIN, taken).await.is_ok()
}

async fn answer(
    desk: &Desk,
    session: &SessionId,
    deadline: Instant,
    progress: &Progress,
) -> Result<SessionAnswer, ToolFailure> {
    let mut warnings = Vec::new();
    let preparation = desk.preparation(session);
    let is_ours = preparation.is_some();
    if let Some(mut preparation) = preparation {
        if preparation.borrow().is_none() {
            progress.say("preparing: documents are read".to_owned());
        }
        let outcome: Prepared = match timeout_at(deadline, preparation.wait_for(Option::is_some)).await {
            Ok(Ok(outcome)) => outcome.clone(),
            Ok(Err(_)) | Err(_) => None,
        };
        match outcome {
            None => return Ok(unfinished_answer(session, "preparing", warnings)),
            Some(outcome) => warnings = outcome?,
        }
    }
    let caller = desk.fleet().await?.caller();
    check_owner(&caller, desk.tenant(), session).await?;
    // Before the first look, so that an end between the two is not missed.
    let listener = caller.listen(session).await;
    let mut listener = listener.map_err(|error| ToolFailure::new("fleet_failed", error.to_string()))?;
    if let Some(response) = caller.result(session).await.map_err(|error| submit_failure(&error))? {
        desk.has_ended(session);
        return Ok(ended_answer(session, &response, warnings));
    }
    if !is_ours && !caller.is_known(session).await.map_err(|error| submit_failure(&error))? {
        let kept = KeptCall::of(&desk.data, session).filter(|call| call.tenant.as_deref() == desk.tenant());
        return Err(kept.and_then(|call| call.failure).unwrap_or_else(|| unknown(session.as_str())));
    }
    loop {
        match timeout_at(deadline, listener.next()).await {
            Err(_) => return Ok(unfinished_answer(session, "running", warnings)),
            Ok(Ok(SessionMessage::Event(event))) => progress.say_event(&event.kind),
            Ok(Ok(SessionMessage::Result(response))) => {
                desk.has_ended(session);
                return Ok(ended_answer(session, &response, warnings));
            }
            Ok(Err(error)) => return Err(submit_failure(&error)),
        }
    }
}
