//! `precis dead`: lists, shows, redrives and drops dead letters. Listing returns them to the queue; redriving publishes a letter, waits
//! for the confirm, and only then acks it.

use bytes::Bytes;
use precis_proto::SessionId;
use precis_proto::envelope::Envelope;
use precis_runtime::broker::{Broker, BrokerError, Delivery, Outgoing, Route, names};
use precis_runtime::config::Settings;
use precis_runtime::content::ContentStore;
use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::fleet::{self, unreachable_broker};

/// Most dead letters handled at once: they are held unacked in memory while the command runs.
const MOST: usize = 10_000;

/// Largest body shown, in bytes; parsed as JSON it takes many times that in memory.
const MOST_SHOWN_BYTES: usize = 1024 * 1024;

/// Arguments of `precis dead`.
#[derive(Debug, clap::Args)]
pub struct DeadCommand {
    /// The subcommand.
    #[command(subcommand)]
    pub what: DeadWhat,
}

/// The subcommands of `precis dead`.
#[derive(Debug, clap::Subcommand)]
pub enum DeadWhat {
    /// List dead letters
    Ls(DeadArgs),
    /// Show dead letters with their bodies
    Show(DeadArgs),
    /// Put dead letters back into the queue they came from; a session that has ended continues under a new id
    Redrive(ChangeArgs),
    /// Delete dead letters for good
    Drop(ChangeArgs),
}

/// The filter for dead letters.
#[derive(Debug, clap::Args)]
pub struct DeadArgs {
    /// Only dead letters with this reason, such as undecodable, delivery_limit, attempts_exhausted
    #[arg(long, value_name = "REASON")]
    pub reason: Option<String>,
    /// Only dead letters from this queue
    #[arg(long, value_name = "QUEUE")]
    pub queue: Option<String>,
    /// Only dead letters of this session
    #[arg(long, value_name = "SESSION")]
    pub session: Option<String>,
    /// Only the dead letter with this message id
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// Print one JSON object per dead letter
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// The arguments of a subcommand that changes dead letters.
#[derive(Debug, clap::Args)]
pub struct ChangeArgs {
    /// The filter.
    #[command(flatten)]
    pub which: DeadArgs,
    /// Show what would be done, without doing it
    #[arg(long)]
    pub dry_run: bool,
    /// All dead letters; required if no filter is given
    #[arg(long)]
    pub all: bool,
    /// Delete without asking; without a terminal nothing is asked
    #[arg(long)]
    pub yes: bool,
}

/// A dead letter as printed; `body` is set by `show` only.
#[derive(Debug, Serialize)]
struct DeadLetterRow {
    message_id: String,
    reason: String,
    queue: String,
    #[serde(rename = "type")]
    message_type: String,
    session_id: String,
    schema_version: u32,
    attempt: u32,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Value>,
}

/// Runs the subcommand.
#[must_use]
pub fn run(what: &DeadWhat) -> Exit {
    super::finish(match what {
        DeadWhat::Ls(args) => look(args, false),
        DeadWhat::Show(args) => look(args, true),
        DeadWhat::Redrive(args) => change(args, DeadLetterChange::Redrive),
        DeadWhat::Drop(args) => change(args, DeadLetterChange::Drop),
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeadLetterChange {
    Redrive,
    Drop,
}

impl DeadLetterChange {
    fn past_tense(self) -> &'static str {
        match self {
            Self::Redrive => "redriven",
            Self::Drop => "dropped",
        }
    }
}

fn look(args: &DeadArgs, with_body: bool) -> Result<(), CommandFailure> {
    with_letters(args, with_body, async |settings, _, letters| {
        let content = if with_body { Some(fleet::content(settings)?) } else { None };
        for letter in &letters {
            let mut shown = row(letter);
            if let Some(content) = &content {
                shown.body = Some(body(&letter.delivery.envelope, content).await);
            }
            terminal::print_as(args.json || with_body, &line(args.json || with_body, &shown))?;
        }
        if letters.is_empty() && !args.json {
            terminal::print("no dead letters\n")?;
        }
        Ok(())
    })
}

fn change(args: &ChangeArgs, change: DeadLetterChange) -> Result<(), CommandFailure> {
    let which = &args.which;
    let is_filtered = [&which.reason, &which.queue, &which.session, &which.id].iter().any(|f| f.is_some());
    if !is_filtered && !args.all {
        let failure = CommandFailure::new(Exit::Usage, "no_filter", "no filter is given");
        return Err(failure.with_remedy("pass --reason, --queue, --session or --id, or --all for all dead letters"));
    }
    with_letters(which, change == DeadLetterChange::Redrive, async |settings, broker, letters| {
        // Only a redrive needs the content store, to check whether the session of the letter has ended.
        let content = match change {
            DeadLetterChange::Redrive => Some(fleet::content(settings)?),
            DeadLetterChange::Drop => None,
        };
        let asks = change == DeadLetterChange::Drop && !args.dry_run && !args.yes && !letters.is_empty();
        if asks && !terminal::agrees(&format!("delete {} dead letters for good?", letters.len())) {
            terminal::print("nothing was deleted\n")?;
            return Ok(());
        }
        let mut done = 0;
        for letter in letters {
            let shown = row(&letter);
            let mut word =
                if args.dry_run { format!("would be {}", change.past_tense()) } else { change.past_tense().to_owned() };
            if !args.dry_run
                && let Some(name) = apply(broker, letter.delivery, content.as_ref()).await?
            {
                word.push_str(&format!(" as {name}"));
            }
            done += 1;
            match which.json {
                true => terminal::print_json(&format!("{}\n", json!({ "outcome": word, "letter": shown })))?,
                false => terminal::print(&format!("{word}: {}", line(false, &shown)))?,
            }
        }
        if !which.json {
            terminal::print(&format!("{done} dead letters\n"))?;
        }
        Ok(())
    })
}

/// Redrives the letter if a content store is given, else drops it. The message is published and confirmed before the letter is acked: a
/// crash in between leaves two copies, never none. Returns the new id of the session, if it has one.
async fn apply(
    broker: &Broker,
    letter: Delivery,
    content: Option<&ContentStore>,
) -> Result<Option<SessionId>, CommandFailure> {
    let mut renamed = None;
    if let Some(content) = content {
        let failed = |message: String| CommandFailure::new(Exit::Failed, "redrive_failed", message);
        let id = &letter.envelope.header.message_id;
        let made = fleet::redriven(&letter.envelope, content).await;
        let made = made.map_err(|e| failed(format!("redrive {id}: {e}")))?;
        let sent = broker.publish(Outgoing { route: Route::queue(made.queue.clone()), envelope: made.envelope }).await;
        sent.map_err(|e| failed(format!("redrive into {}: {e}", made.queue)))?;
        renamed = made.renamed;
    }
    let failed = |_| {
        CommandFailure::new(
            Exit::Unreachable,
            "broker_unreachable",
            "the connection to the broker was lost; the remaining dead letters are unchanged",
        )
    };
    letter.ack().await.map_err(failed)?;
    Ok(renamed)
}

/// A dead letter, and the size of its body.
struct Letter {
    delivery: Delivery,
    bytes: usize,
}

/// Gets all dead letters and passes those that match to `work`, with their bodies only if `keeps_bodies`: there may be gigabytes of them.
/// Letters that are not acked return to their queue, whole, when the connection closes.
fn with_letters<F>(args: &DeadArgs, keeps_bodies: bool, work: F) -> Result<(), CommandFailure>
where
    F: AsyncFnOnce(&Settings, &Broker, Vec<Letter>) -> Result<(), CommandFailure>,
{
    let settings = super::operator_settings(&args.config)?;
    super::block_on(async {
        let broker = fleet::broker(&settings, "dead").await?;
        let unreachable = |e: BrokerError| unreachable_broker(&settings, &e);
        // Letters that do not match stay unacked until the end: returned earlier, they would be delivered again in this loop.
        let mut others = Vec::new();
        let mut letters = Vec::new();
        // The last queue comes first: an older topology lacks it, and the refusal closes the channel, which returns every letter got so
        // far.
        for queue in [names::LAST, names::DEAD] {
            while others.len() + letters.len() < MOST {
                let letter = match broker.get(queue).await {
                    Ok(Some(letter)) => fleet::with_reason(letter),
                    Err(BrokerError::Refused(_)) if queue == names::LAST => break,
                    Ok(None) => break,
                    Err(error) => return Err(unreachable(error)),
                };
                let (bytes, is_wanted) = (letter.envelope.body.len(), matches(args, &letter));
                let mut letter = Letter { delivery: letter, bytes };
                if !(keeps_bodies && is_wanted) {
                    letter.delivery.envelope.body = Bytes::new();
                }
                if is_wanted { letters.push(letter) } else { others.push(letter) }
            }
        }
        let ended = work(&settings, &broker, letters).await;
        broker.close().await;
        ended
    })
}

fn matches(args: &DeadArgs, letter: &Delivery) -> bool {
    let header = &letter.envelope.header;
    let is = |filter: &Option<String>, value: &str| filter.as_ref().is_none_or(|f| f == value);
    is(&args.reason, header.dead_reason.as_deref().unwrap_or_default())
        && is(&args.queue, &header.subject)
        && is(&args.session, &header.correlation_id)
        && is(&args.id, &header.message_id)
}

/// Returns the body of a dead letter, or the reason why it is not shown.
async fn body(letter: &Envelope, content: &ContentStore) -> Value {
    let opened = match fleet::open_letter(letter, content).await {
        Ok(opened) => opened,
        Err(error) => return Value::String(format!("not shown: {error}")),
    };
    let plain = match opened.plain_body_within(MOST_SHOWN_BYTES) {
        Ok(plain) => plain,
        Err(error) => return Value::String(format!("not shown: {error}")),
    };
    let text = || Value::String(String::from_utf8_lossy(&plain).into_owned());
    serde_json::from_slice(&plain).unwrap_or_else(|_| text())
}

fn row(letter: &Letter) -> DeadLetterRow {
    let header = &letter.delivery.envelope.header;
    DeadLetterRow {
        message_id: header.message_id.clone(),
        reason: header.dead_reason.clone().unwrap_or_default(),
        queue: header.subject.clone(),
        message_type: header.message_type.clone(),
        session_id: header.correlation_id.clone(),
        schema_version: header.schema_version,
        attempt: header.attempt,
        bytes: letter.bytes,
        body: None,
    }
}

fn line(as_json: bool, row: &DeadLetterRow) -> String {
    if as_json {
        return format!("{}\n", json!(row));
    }
    let text = format!("{:18}  {:28}  {}  {} bytes", row.reason, row.queue, row.message_id, row.bytes);
    format!("{}\n", terminal::printable(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_cannot_steer_the_terminal_it_is_shown_on() {
        let hostile = "x\u{9b}2J\u{1b}[0m\u{202e}\u{7f}";
        let row = DeadLetterRow {
            message_id: hostile.to_owned(),
            reason: hostile.to_owned(),
            queue: hostile.to_owned(),
            message_type: hostile.to_owned(),
            session_id: hostile.to_owned(),
            schema_version: 2,
            attempt: 1,
            bytes: 9,
            body: Some(Value::String(hostile.to_owned())),
        };
        let line = line(false, &row);
        assert!(!line.trim_end().chars().any(|c| c.is_control() || c == '\u{202e}'), "{line:?}");
    }
}
