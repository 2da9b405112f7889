//! A command-line tool as a provider: a child process that reads a prompt and writes an answer.
//!
//! No shell, a template of arguments, the prompt on standard input, an environment of named variables, and a temporary working
//! directory that is removed afterwards. Every process it started is killed with it. Retries, permits, limits, memo and breaker apply as
//! for servers.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`template`] | the arguments of the known tools |
//! | `guard` | the process in between: ends a tool whose worker was killed |
//! | `paths` | which of the user's files a tool may read and write |
//! | `descendants` | finds and kills all descendants of a process |
//! | `process` | runs one child: input, bounded output, end |
//! | `scratch` | its working directory |
//! | `answer` | reads its output |

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

/// Placeholder of the model's name in arguments.
const MODEL: &str = "{model}";

/// How a tool is called.
#[derive(Debug, Clone)]
pub struct ToolConfig {
    /// A program by name, looked up in `PATH`, or by path.
    pub command: String,
    /// Its arguments, one per element; each `{model}` is replaced by the model's name.
    pub args: Vec<String>,
    /// Its whole environment.
    pub env: Vec<(String, SecretString)>,
    /// The guard that ends it if this process is killed; without one it keeps running.
    pub guard: Option<GuardConfig>,
}

/// A command-line tool at run time.
#[derive(Debug)]
pub(super) struct CommandTool(ToolConfig);

impl CommandTool {
    pub(super) fn new(config: &ToolConfig) -> Self {
        Self(config.clone())
    }

    /// Runs the tool once on one payload. Dropping the future kills it with all it started.
    ///
    /// # Errors
    /// A [`Failure`] whose detail contains nothing of prompt or output.
    pub(super) async fn run_payload(&self, model: &str, prepared: &PreparedPayload) -> Result<Reply, Failure> {
        // Declared before the process is started, so dropped after it: nothing runs in the directory when it is removed.
        let place = ScratchDirectory::new()
            .map_err(|e| Failure::new(Code::Internal, format!("working directory of a tool: {e}")))?;
        let mut command = match &self.0.guard {
            Some(guard) => guard.before(&self.0.command),
            None => Command::new(&self.0.command),
        };
        // Only the variables that the configuration names: our own environment holds every key.
        command.args(self.args(model)).env_clear().current_dir(place.path());
        for (name, value) in &self.0.env {
            command.env(name, value.expose_secret());
        }
        let ended = process::run(command, prompt(prepared)).await.map_err(|failure| self.name_program(failure))?;
        if self.0.guard.is_some() && ended.status.code() == Some(guard::MISSING) && ended.stdout.is_empty() {
            return Err(self.name_program(Failure::new(Code::ToolMissing, "the guard cannot start it")));
        }
        answer::read(&ended).map_err(|failure| {
            let sent = prepared.messages.iter().map(|message| message.text.as_str());
            let said = failure.said.as_deref().map(|said| excerpt::without_documents(said, sent));
            Failure { said, ..failure }
        })
    }

    /// Adds to the failure of a missing tool which program was looked for, and where.
    fn name_program(&self, failure: Failure) -> Failure {
        if failure.code != Code::ToolMissing {
            return failure;
        }
        // Name only the program: a path would reveal where tools are installed on this machine.
        let name = self.0.command.rsplit('/').next().unwrap_or_default();
        let place = if self.0.command.contains('/') { "at the path in `command`" } else { "in PATH" };
        Failure { said: Some(format!("there is no program `{name}` {place}")), ..failure }
    }

    /// Returns the hash of everything that decides the answer of a call: the tool's command line and its input.
    pub(super) fn fingerprint(&self, model: &str, prepared: &PreparedPayload) -> String {
        let call = [vec![self.0.command.clone()], self.args(model), vec![prompt(prepared)]].concat();
        sha256_hex(call.join("\n").as_bytes())
    }

    fn args(&self, model: &str) -> Vec<String> {
        self.0.args.iter().map(|arg| arg.replace(MODEL, model)).collect()
    }
}

/// Returns the payload as one text: the messages in order, then the schema of the answer.
fn prompt(prepared: &PreparedPayload) -> String {
    let mut parts: Vec<String> = prepared.messages.iter().map(|m| m.text.clone()).collect();
    if let Some(schema) = &prepared.schema {
        parts.push(format!("Answer with JSON that follows this schema and with nothing else:\n{}", schema.schema));
    }
    parts.join("\n\n")
}
