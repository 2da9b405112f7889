//! A command-line tool as a provider: a child process that reads a prompt and writes an answer.
//!
//! No shell, a template of arguments, the prompt on standard input, an environment of named variables, a working directory of
//! its own that is gone afterwards. Whatever it started ends with it. It is one request and one answer like any other: tries,
//! permits, limits, memo and breaker are kept where they are kept for servers.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`template`] | how the known tools are called |
//! | `guard` | the process between: what ends a tool whose worker was killed |
//! | `paths` | which files of the user a tool reads and writes |
//! | `descendants` | all that a process started, wherever it went |
//! | `process` | one child and all it starts: fed, read within bounds, ended |
//! | `scratch` | its working directory |
//! | `answer` | what its output means |

mod answer;
mod descendants;
mod guard;
mod paths;
mod process;
mod scratch;
pub mod template;

use precis_proto::ids::sha256_hex;
use secrecy::{ExposeSecret, SecretString};
use tokio::process::Command;

use super::excerpt;
use super::failure::{Code, Failure};
use super::gate::PreparedPayload;
use super::reply::Reply;
pub use guard::{GuardConfig, guard};
pub use paths::has_fences;
use scratch::ScratchDirectory;

/// What stands for the model in arguments.
const MODEL: &str = "{model}";

/// How a tool is called.
#[derive(Debug, Clone)]
pub struct ToolConfig {
    /// A program by name, looked up in `PATH`, or by path.
    pub command: String,
    /// Its arguments, word by word; `{model}` is replaced by the model's name wherever it stands.
    pub args: Vec<String>,
    /// The whole environment it gets.
    pub env: Vec<(String, SecretString)>,
    /// What ends it when this process is killed; without one it goes on then.
    pub guard: Option<GuardConfig>,
}

/// A tool at work.
#[derive(Debug)]
pub(super) struct CommandTool(ToolConfig);

impl CommandTool {
    pub(super) fn new(config: &ToolConfig) -> Self {
        Self(config.clone())
    }

    /// Runs the tool once on one payload. Dropping the future ends it with all it started.
    ///
    /// # Errors
    /// A [`Failure`] that repeats nothing of prompt or output.
    pub(super) async fn send(&self, model: &str, prepared: &PreparedPayload) -> Result<Reply, Failure> {
        let place = ScratchDirectory::new()
            .map_err(|e| Failure::new(Code::Internal, format!("working directory of a tool: {e}")))?;
        let mut command = match &self.0.guard {
            Some(guard) => guard.before(&self.0.command),
            None => Command::new(&self.0.command),
        };
        command.args(self.args(model)).env_clear().current_dir(place.path());
        for (name, value) in &self.0.env {
            command.env(name, value.expose_secret());
        }
        let ended = process::run(command, prompt(prepared)).await.map_err(|failure| self.named(failure))?;
        if self.0.guard.is_some() && ended.status.code() == Some(guard::MISSING) && ended.stdout.is_empty() {
            return Err(self.named(Failure::new(Code::ToolMissing, "its guard cannot start it")));
        }
        answer::read(&ended).map_err(|failure| {
            let sent = prepared.messages.iter().map(|message| message.text.as_str());
            let said = failure.said.as_deref().map(|said| excerpt::without_documents(said, sent));
            Failure { said, ..failure }
        })
    }

    /// The failure of a tool that is not there says which one is looked for, and where.
    fn named(&self, failure: Failure) -> Failure {
        if failure.code != Code::ToolMissing {
            return failure;
        }
        // A path says where on this machine tools lie; the program's name is enough.
        let name = self.0.command.rsplit('/').next().unwrap_or_default();
        let place = if self.0.command.contains('/') { "where `command` says" } else { "in PATH" };
        Failure { said: Some(format!("there is no program `{name}` {place}")), ..failure }
    }

    /// What of a call decides its answer: how the tool is called and what it reads, hashed.
    pub(super) fn fingerprint(&self, model: &str, prepared: &PreparedPayload) -> String {
        let call = [vec![self.0.command.clone()], self.args(model), vec![prompt(prepared)]].concat();
        sha256_hex(call.join("\n").as_bytes())
    }

    fn args(&self, model: &str) -> Vec<String> {
        self.0.args.iter().map(|arg| arg.replace(MODEL, model)).collect()
    }
}

/// The payload as one text: messages in order, then the shape of the answer.
fn prompt(prepared: &PreparedPayload) -> String {
    let mut parts: Vec<String> = prepared.messages.iter().map(|m| m.text.clone()).collect();
    if let Some(schema) = &prepared.schema {
        parts.push(format!("Answer with JSON that follows this schema and with nothing else:\n{}", schema.schema));
    }
    parts.join("\n\n")
}
