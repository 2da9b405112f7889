//! Tells the configured program and the configured address of a notice. Text of documents reaches them as JSON only: on standard input or
//! as a body, never as an argument, a variable or a part of the address.

use std::process::Stdio;
use std::time::Duration;

use bytes::Bytes;
use precis_proto::webhook::{WebhookEvent, WebhookPayload, WebhookTarget};
use precis_runtime::clock::Clock;
use precis_runtime::config::Settings;
use precis_runtime::webhooks::{Verdict, event_id};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::Notice;
use crate::assembly::webhooks;

/// Longest time the hook may take.
const HOOK_TIME: Duration = Duration::from_secs(60);
/// The variables of this process that the hook gets: it needs no key of a provider.
const HOOK_ENVIRONMENT: [&str; 2] = ["PATH", "HOME"];
/// Largest answer of the webhook that the fetch client would read; its body is not read.
const ANSWER_BYTES: u64 = 64 * 1024;

/// Gives the notice to everyone who is configured; nobody need be.
///
/// # Errors
/// What failed, one line for each who did not get it. The notice is then given again to all.
pub(crate) async fn deliver(notice: &Notice, settings: &Settings) -> Result<(), Vec<String>> {
    let json = format!("{}\n", notice.json());
    let mut failures = Vec::new();
    if let Some((program, args)) = settings.standing.hook.split_first()
        && let Err(why) = hook(program, args, &json).await
    {
        failures.push(format!("standing_hook `{program}`: {why}"));
    }
    if let Some(url) = &settings.standing.webhook {
        let posted = match settings.fetch.client(ANSWER_BYTES) {
            Ok(client) => client.post(url.expose(), Bytes::from(json)).await,
            Err(error) => Err(error),
        };
        failures.extend(posted.err().map(|why| format!("standing_webhook {url}: {why}")));
    }
    if let Some(name) = &settings.standing.endpoint {
        let told = endpoint(notice, name, settings).await;
        failures.extend(told.err().map(|why| format!("standing_endpoint `{name}`: {why}")));
    }
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

/// Tells an endpoint after Standard Webhooks that statements changed, without any text. Given again, it has the same id.
async fn endpoint(notice: &Notice, name: &str, settings: &Settings) -> Result<(), String> {
    let webhooks = webhooks::of_endpoint(settings, name).map_err(|failure| failure.message)?;
    let receiver = webhooks.receiver(&WebhookTarget::Endpoint(name.to_owned()), None).map_err(|e| e.message)?;
    let (question_id, statements) = notice.changed_count();
    let id = event_id(&["standing.changed", &question_id, &notice.json().to_string()]);
    let now = Clock::system().now();
    let payload = WebhookPayload { event: WebhookEvent::StandingChanged { question_id, statements }, timestamp: now };
    match Verdict::of(&webhooks.send(&receiver, &id, &payload, now).await) {
        Verdict::Delivered => Ok(()),
        Verdict::Again { reason, .. } | Verdict::Failed { reason } => Err(reason),
    }
}

/// Starts the hook without a shell, and waits for its end.
async fn hook(program: &str, args: &[String], json: &str) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(args).env_clear().stdin(Stdio::piped()).stdout(Stdio::null()).kill_on_drop(true);
    for name in HOOK_ENVIRONMENT {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    let mut child = command.spawn().map_err(|e| format!("start it: {e}"))?;
    let mut stdin = child.stdin.take();
    let work = async {
        if let Some(stdin) = stdin.as_mut() {
            // Ignored: a program may end without reading everything. Its exit code tells whether it has what it needs.
            let _ = stdin.write_all(json.as_bytes()).await;
        }
        drop(stdin);
        child.wait().await
    };
    match tokio::time::timeout(HOOK_TIME, work).await {
        Err(_) => Err(format!("expected it to end within {} s", HOOK_TIME.as_secs())),
        Ok(Err(error)) => Err(format!("wait for its end: {error}")),
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => Err(format!("expected exit code 0, got {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_hook_that_fails_or_is_missing_is_an_error() {
        for (program, args, is_told) in [
            ("cat", &[][..], true),
            ("true", &[], true),
            ("false", &[], false),
            ("no-such-program-here", &[], false),
            ("cat", &["no-such-file"], false),
        ] {
            let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
            assert_eq!(hook(program, &args, "{}").await.is_ok(), is_told, "{program} {args:?}");
        }
    }
}
