//! `precis webhook`: lists deliveries, sends them again, tries out endpoints.

use std::path::PathBuf;

use precis_proto::Timestamp;
use precis_proto::webhook::{WebhookEvent, WebhookPayload, WebhookTarget};
use precis_runtime::clock::Clock;
use precis_runtime::content::{ContentError, ContentStore};
use precis_runtime::runner::webhook_message;
use precis_runtime::webhooks::{DeliveryRecord, DeliveryState, Verdict, event_id, list_deliveries, read_delivery};
use serde::Serialize;

use crate::assembly::webhooks;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::{ConfigArgs, terminal};
use crate::fleet;

/// Most deliveries of a list.
const MAX_LIMIT: u64 = 10_000;
/// The names of the columns, with the usual widths.
const HEADER: &str = "STATE      ATTEMPTS  LAST                      SESSION                           TARGET\n";

/// Arguments of `precis webhook`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis webhook test billing                        # sends a `precis.test` event to [webhooks.billing]
  precis webhook list --state failed
  precis webhook redeliver SESSION
  precis webhook redeliver --failed                  # after a receiver was away for longer than a day

Over HTTP, also with --embedded: GET and POST /v1/sessions/SESSION/webhook.")]
pub struct WebhookCommand {
    /// The subcommand.
    #[command(subcommand)]
    pub what: WebhookWhat,
}

/// The subcommands of `precis webhook`.
#[derive(Debug, clap::Subcommand)]
pub enum WebhookWhat {
    /// List deliveries, the one that changed last first
    List(ListArgs),
    /// Send deliveries again, under the same id
    Redeliver(RedeliverArgs),
    /// Send an event of the type `precis.test` to an endpoint now, and tell what it answers
    Test(TestArgs),
}

/// Arguments of `precis webhook list`.
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// Only deliveries in this state
    #[arg(long, value_name = "STATE", value_parser = DeliveryState::ALL.map(DeliveryState::as_str))]
    pub state: Option<String>,
    /// Maximum number of deliveries to show
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=MAX_LIMIT))]
    pub limit: u64,
    /// Those in this data folder of `precis serve --embedded`, which may run meanwhile
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub data: Option<PathBuf>,
    /// Print one JSON object per delivery
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Arguments of `precis webhook redeliver`.
#[derive(Debug, clap::Args)]
pub struct RedeliverArgs {
    /// The sessions whose end is told again
    #[arg(value_name = "SESSION", required_unless_present = "failed", conflicts_with = "failed")]
    pub sessions: Vec<String>,
    /// All deliveries that were given up
    #[arg(long)]
    pub failed: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Arguments of `precis webhook test`.
#[derive(Debug, clap::Args)]
pub struct TestArgs {
    /// The name of the endpoint in the configuration
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// A delivery as printed.
#[derive(Debug, Serialize)]
struct DeliveryRow {
    session_id: String,
    webhook_id: String,
    target: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    state: &'static str,
    attempts: u32,
    last_at: Option<Timestamp>,
    reason: Option<String>,
    next_at: Option<Timestamp>,
}

impl DeliveryRow {
    fn of(record: DeliveryRecord) -> Self {
        let target = record.shown_target();
        let (last_at, reason) = record.last.map_or((None, None), |last| (Some(last.at), last.reason));
        Self {
            session_id: record.delivery.session_id.to_string(),
            webhook_id: record.delivery.webhook_id,
            target,
            tenant: record.delivery.tenant,
            state: record.state.as_str(),
            attempts: record.attempts,
            last_at,
            reason,
            next_at: record.next_at,
        }
    }

    fn line(&self) -> String {
        let last = self.last_at.map_or_else(|| "-".to_owned(), |at| at.to_string());
        let reason = self.reason.as_deref().map_or(String::new(), |reason| format!("  {reason}"));
        let Self { state, attempts, session_id, target, .. } = self;
        format!("{state:<9}  {attempts:>8}  {last:<24}  {session_id:<32}  {target}{reason}\n")
    }
}

/// Runs the subcommand.
#[must_use]
pub fn run(what: &WebhookWhat) -> Exit {
    super::finish(match what {
        WebhookWhat::List(args) => list(args),
        WebhookWhat::Redeliver(args) => redeliver(args),
        WebhookWhat::Test(args) => test(args),
    })
}

fn list(args: &ListArgs) -> Result<(), CommandFailure> {
    let settings = super::operator_settings(&args.config)?;
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    super::block_on(async {
        let content = match &args.data {
            Some(data) => fleet::content_in(&settings, data)?,
            None => fleet::content(&settings)?,
        };
        let wanted = |record: &DeliveryRecord| args.state.as_deref().is_none_or(|state| record.state.as_str() == state);
        let records = records(&content, wanted, limit).await?;
        if records.is_empty() && !args.json {
            return terminal::print("no webhooks\n");
        }
        if !args.json {
            terminal::print(HEADER)?;
        }
        for row in records.into_iter().map(DeliveryRow::of) {
            let line = match args.json {
                true => format!("{}\n", serde_json::to_string(&row).expect("a row is plain data")),
                false => row.line(),
            };
            terminal::print_as(args.json, &line)?;
        }
        Ok(())
    })
}

/// Returns up to `limit` records that are `wanted`, the one that changed last first.
async fn records(
    content: &ContentStore,
    wanted: impl Fn(&DeliveryRecord) -> bool,
    limit: usize,
) -> Result<Vec<DeliveryRecord>, CommandFailure> {
    let mut records = Vec::new();
    for (session, _) in list_deliveries(content).await.map_err(|e| content_failure(&e))? {
        if records.len() == limit {
            break;
        }
        records.extend(read_delivery(content, &session).await.map_err(|e| content_failure(&e))?.filter(&wanted));
    }
    Ok(records)
}

fn content_failure(error: &ContentError) -> CommandFailure {
    CommandFailure::new(Exit::Unreachable, "content_unavailable", format!("read deliveries: {error}"))
}

fn redeliver(args: &RedeliverArgs) -> Result<(), CommandFailure> {
    let settings = super::operator_settings(&args.config)?;
    super::block_on(async {
        let caller = super::caller(&settings, "webhook").await?;
        let is_failed = |record: &DeliveryRecord| record.state == DeliveryState::Failed;
        let chosen = match args.failed {
            true => records(&caller.content, is_failed, usize::MAX).await?,
            false => find_records(&caller.content, &args.sessions).await?,
        };
        for record in &chosen {
            let mut message = webhook_message(&record.again(Clock::system().now()), 1);
            message.envelope.header.user = caller.broker.user().map(str::to_owned);
            let sent = caller.broker.publish(message).await;
            sent.map_err(|error| super::fleet_failed("send a webhook again", &fleet::SubmitError::Broker(error)))?;
            terminal::print(&format!("asked for {} of {}\n", record.delivery.webhook_id, record.delivery.session_id))?;
        }
        if chosen.is_empty() {
            terminal::print("no webhook was given up\n")?;
        }
        Ok(())
    })
}

/// Returns the records of all `sessions`, or none: nothing is sent if one of them is unknown.
async fn find_records(content: &ContentStore, sessions: &[String]) -> Result<Vec<DeliveryRecord>, CommandFailure> {
    let mut records = Vec::new();
    for text in sessions {
        let session = super::session_id(text)?;
        let record = read_delivery(content, &session).await.map_err(|e| content_failure(&e))?;
        let unknown = || {
            let message = format!("no webhook of session `{session}` was tried");
            CommandFailure::new(Exit::Refused, "unknown_webhook", message).with_remedy("precis webhook list")
        };
        records.push(record.ok_or_else(unknown)?);
    }
    Ok(records)
}

fn test(args: &TestArgs) -> Result<(), CommandFailure> {
    let settings = super::operator_settings(&args.config)?;
    super::block_on(async {
        let webhooks = webhooks::of_endpoint(&settings, &args.name)?;
        let receiver = webhooks.receiver(&WebhookTarget::Endpoint(args.name.clone()), None);
        let refused = |reason: String| CommandFailure::new(Exit::Failed, "webhook_not_delivered", reason);
        let receiver = receiver.map_err(|refusal| refused(refusal.message))?;
        let now = Clock::system().now();
        let payload = WebhookPayload { event: WebhookEvent::Test { endpoint: args.name.clone() }, timestamp: now };
        let id = event_id(&["precis.test", &args.name, &now.to_string(), &rand::random::<u64>().to_string()]);
        let sent = webhooks.send(&receiver, &id, &payload, now).await;
        match (Verdict::of(&sent), sent) {
            (Verdict::Delivered, Ok(answer)) => terminal::print(&format!("{id}: it answered {}\n", answer.status)),
            (Verdict::Again { reason, .. } | Verdict::Failed { reason }, _) => {
                Err(refused(format!("{}: {reason}", args.name)))
            }
            (Verdict::Delivered, Err(error)) => Err(refused(error.to_string())),
        }
    })
}
