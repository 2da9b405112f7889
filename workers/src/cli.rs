//! The command line as typed, and which command it is. What a command does is in [`commands`](crate::commands).

use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgGroup, Args, CommandFactory, Parser, Subcommand, ValueHint};

use crate::commands;
use crate::exit::Exit;
use crate::known::KnownArgs;
use crate::terminal;
use crate::typo;

const EXAMPLES: &str = "\
Examples:
  precis run \"What are the main risks?\" papers/
  precis run --query-file question.txt --docs a.pdf b.html --url https://example.org/c --out report
  precis verify precis-out/report.json
  precis config show

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused input, 4 broker or store unreachable,
5 report with something missing (the answer, a named document, the named models), 130 interrupted.";

const RUN_EXAMPLES: &str = "\
Examples:
  precis run \"What are the main risks?\" papers/
  precis run \"Who pays?\" *.pdf --out who-pays --report-tokens 800
  pdftotext scan.pdf - | precis run \"Who signed?\" -
  echo \"Who pays?\" | precis run --query - --docs contracts/ --json | jq .data.report
  precis run --query \"Who pays?\" --docs contracts/ --provider ollama:qwen3:4b

Nothing leaves this machine unless --url or a provider other than local:extractive asks for it.";

/// Turns a question and a pile of documents into a short, cited report, and proves every quote in it.
#[derive(Debug, Parser)]
#[command(name = "precis", version, styles = terminal::styles(), after_help = EXAMPLES, max_term_width = 100)]
#[command(arg_required_else_help = true, infer_subcommands = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Answer a question from documents: writes report.json, report.md, report.html and archive/
    Run(Box<RunArgs>),
    /// Ask a further question on a finished session
    Ask(Box<commands::ask::AskArgs>),
    /// Prove a report offline: every quote, hash, citation and ledger row
    Verify(VerifyArgs),
    /// Get the text behind a quote back, or remove old texts
    Archive(commands::archive::ArchiveCommand),
    /// From a question alone to a report: searches folders, then reads what it found
    Research(Box<commands::research::ResearchArgs>),
    /// Index a folder, and find passages in it
    Corpus(commands::corpus::CorpusCommand),
    /// Search the web or the literature with a provider that is named
    Search(commands::search::SearchArgs),
    /// Read one document as a session would: its canonical text, pages and hash
    Extract(commands::extract::ExtractArgs),
    /// Digest one document for a question: summary, key points, evidence
    Digest(commands::digest::DigestArgs),
    /// Count a document for a model: what it takes of the window, and what is left
    Tokens(commands::tokens::TokensArgs),
    /// Show the settings in force and where each comes from
    Config(ConfigCommand),
    /// Let the precis.toml of a folder count, as it is now
    Trust(commands::trust::TrustArgs),
    /// Print the JSON Schemas of the messages and the report, and the AsyncAPI document
    Schema(SchemaArgs),
    /// Print a completion script for a shell
    Completions(CompletionArgs),
    /// Say which pages would be fetched, or fetch them
    Fetch(commands::fetch::FetchArgs),
    /// Serve a fleet's queues until told to stop
    Worker(Box<commands::worker::WorkerArgs>),
    /// Ask a fleet for a session
    Submit(Box<commands::submit::SubmitArgs>),
    /// Watch a session of a fleet until it ends
    Watch(commands::watch::WatchArgs),
    /// Print or write the result of a session of a fleet
    Result(commands::result::ResultArgs),
    /// End sessions now; their results say `cancelled`
    Cancel(commands::control::ControlArgs),
    /// End sessions early, with a report of what there is
    Stop(commands::control::ControlArgs),
    /// List sessions of a fleet and how they stand
    Sessions(commands::sessions::SessionsArgs),
    /// Print, make or check the exchanges and queues of a fleet
    Topology(commands::topology::TopologyCommand),
    /// Look at messages a fleet gave up on, put them back, or forget them
    Dead(commands::dead::DeadCommand),
    /// Check broker, cache, content store, keys, search providers and clock
    Doctor(commands::doctor::DoctorArgs),
    /// Ask a worker whether it takes work; for container probes
    Healthcheck(commands::healthcheck::HealthcheckArgs),
    /// Parse documents for another process of this program
    #[command(hide = true, name = crate::parse::CHILD_COMMAND)]
    ParseChild,
    /// Start a tool for another process of this program, and end it with that process
    #[command(hide = true, name = crate::pipeline::GUARD_COMMAND)]
    GuardTool(GuardArgs),
}

/// Arguments of the guard of a tool.
#[derive(Debug, Args)]
pub struct GuardArgs {
    /// Puts no fence around the tool's files
    #[arg(long)]
    unfenced: bool,
    /// Number of the process that started it
    parent: u32,
    /// The tool
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<std::ffi::OsString>,
}

/// Arguments of `precis run`.
#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
#[command(group(ArgGroup::new("asked").required(true).multiple(true).args(["question", "query", "query_file"])))]
#[command(group(ArgGroup::new("sources").required(true).multiple(true).args(["paths", "question", "docs", "url"])))]
pub struct RunArgs {
    /// The question, unless --query or --query-file gives it; then this is a path too
    #[arg(value_name = "QUESTION")]
    pub question: Option<String>,
    /// Documents, folders and patterns of them; `-` is a document on standard input
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// The question; `-` reads it from standard input
    #[arg(long, value_name = "Q", allow_hyphen_values = true, conflicts_with = "query_file")]
    pub query: Option<String>,
    /// A file with the question; `-` for standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub query_file: Option<PathBuf>,
    /// Documents, folders and patterns of them; `-` is a document on standard input
    #[arg(long, short, value_name = "PATH", num_args = 1.., value_hint = ValueHint::AnyPath)]
    pub docs: Vec<PathBuf>,
    /// A page to fetch
    #[arg(long, value_name = "URL", num_args = 1.., value_hint = ValueHint::Url)]
    pub url: Vec<String>,
    /// A text file with background that holds for the whole project
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub project: Option<PathBuf>,
    /// Directory for the report; an older report in it is replaced
    #[arg(long, short, value_name = "DIR", default_value = "precis-out", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Write into a directory that holds other files too, and over a report.md that is not ours
    #[arg(long)]
    pub force: bool,
    /// The model for every role, as NAME:MODEL, or a vendor alone for a cheap and a strong one: anthropic, gemini, openai
    /// [default: local:extractive, built in, no network, no key]
    #[arg(long, value_name = "NAME[:MODEL]")]
    pub provider: Option<String>,
    /// Tokens the report aims for at most
    #[arg(long, value_name = "N")]
    pub report_tokens: Option<String>,
    /// Print the response envelope on standard output, and nothing else there
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print what each phase put into its model calls, in tokens per prompt layer
    #[arg(long, short)]
    pub verbose: bool,
    /// Neither use nor keep answers of other runs
    #[arg(long)]
    pub no_cache: bool,
    /// What is known of single documents.
    #[command(flatten)]
    pub known: KnownArgs,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Arguments of `precis verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The report, or the directory it lies in
    #[arg(value_name = "report.json", value_hint = ValueHint::AnyPath)]
    pub report: PathBuf,
    /// Directory of the archived texts [default: archive/ beside the report]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub archive: Option<PathBuf>,
    /// Also compare the documents at these paths with what was read: one that has changed is a mismatch
    #[arg(long, value_name = "PATH", num_args = 1.., value_hint = ValueHint::AnyPath)]
    pub docs: Vec<PathBuf>,
    /// Print what was found as JSON
    #[arg(long)]
    pub json: bool,
    /// Print nothing; the exit code says it
    #[arg(long, short)]
    pub quiet: bool,
}

/// Arguments of `precis config`.
#[derive(Debug, Args)]
pub struct ConfigCommand {
    /// What to print.
    #[command(subcommand)]
    pub what: ConfigWhat,
}

/// What `precis config` prints.
#[derive(Debug, Subcommand)]
pub enum ConfigWhat {
    /// Every setting in force, with the layer it comes from: flag, environment, file or default
    Show {
        /// Print it as JSON
        #[arg(long)]
        json: bool,
        /// Where settings come from.
        #[command(flatten)]
        config: ConfigArgs,
    },
    /// A precis.toml to start from: every value is commented out, so that it changes nothing as it is
    Sample,
    /// The table of all keys, as Markdown
    Reference,
}

/// Where settings come from.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Settings")]
pub struct ConfigArgs {
    /// The configuration file [default: precis/precis.toml in the user's configuration directory; ./precis.toml counts above it once
    /// you trust the folder: `precis trust .`]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// One setting, such as digest_policy=always; see `precis config show`
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// Arguments of `precis schema`.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// One schema, such as `response`; without it all of them, as one object
    pub name: Option<String>,
}

/// Arguments of `precis completions`.
#[derive(Debug, Args)]
pub struct CompletionArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Reads the command line of this process and does what it says.
#[must_use]
pub fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => dispatch(&cli.command).into(),
        Err(mut error) => {
            suggest(&mut error);
            // Help and version come this way too; a reader that is gone has read enough.
            let _ = error.print();
            u8::try_from(error.exit_code()).unwrap_or(Exit::Usage.code()).into()
        }
    }
}

/// Says which command a word was meant for that is none.
fn suggest(error: &mut clap::Error) {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return };
    let command = Cli::command();
    let names = command.get_subcommands().filter(|known| !known.is_hide_set()).map(clap::Command::get_name);
    let meant: Vec<String> = typo::nearest(word, names).map(str::to_owned).into_iter().collect();
    // In any case: what is suggested otherwise is like the word in its letters, not in what was typed.
    error.remove(ContextKind::SuggestedSubcommand);
    if !meant.is_empty() {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(meant));
    }
}

fn dispatch(command: &Command) -> Exit {
    // A parser closes itself, and does more than this; it must first say that it is the one to end where memory ends.
    if !matches!(command, Command::ParseChild) {
        precis_runtime::own_process::close_to_others();
    }
    match command {
        Command::Run(args) => commands::run::run(args),
        Command::Ask(args) => commands::ask::run(args),
        Command::Verify(args) => commands::verify::run(args),
        Command::Archive(command) => commands::archive::run(&command.what),
        Command::Research(args) => commands::research::run(args),
        Command::Corpus(command) => commands::corpus::run(&command.what),
        Command::Search(args) => commands::search::run(args),
        Command::Extract(args) => commands::extract::run(args),
        Command::Digest(args) => commands::digest::run(args),
        Command::Tokens(args) => commands::tokens::run(args),
        Command::Config(args) => commands::config::run(&args.what),
        Command::Trust(args) => commands::trust::run(args),
        Command::Schema(args) => commands::schema::run(args),
        Command::Completions(args) => commands::completions::run(args),
        Command::Fetch(args) => commands::fetch::run(args),
        Command::Worker(args) => commands::worker::run(args),
        Command::Submit(args) => commands::submit::run(args),
        Command::Watch(args) => commands::watch::run(args),
        Command::Result(args) => commands::result::run(args),
        Command::Cancel(args) => commands::control::run(args, commands::control::End::Cancel),
        Command::Stop(args) => commands::control::run(args, commands::control::End::Stop),
        Command::Sessions(args) => commands::sessions::run(args),
        Command::Topology(command) => commands::topology::run(&command.what),
        Command::Dead(command) => commands::dead::run(&command.what),
        Command::Doctor(args) => commands::doctor::run(args),
        Command::Healthcheck(args) => commands::healthcheck::run(args),
        Command::ParseChild => crate::parse::serve_child().map_or(Exit::Failed, |()| Exit::Ok),
        Command::GuardTool(args) => guard_tool(args),
    }
}

/// Guards a tool; its exit code is the tool's.
fn guard_tool(args: &GuardArgs) -> Exit {
    match precis_runtime::model::guard(args.parent, !args.unfenced, &args.command) {
        Ok(code) => std::process::exit(code),
        Err(error) => {
            eprintln!("error: guard a tool: {error}");
            Exit::Failed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn documents_and_addresses_may_come_together_or_one_by_one() {
        let parse = |words: &str| Cli::try_parse_from(words.split(' '));
        for fine in [
            "precis run --query why --docs a b --docs c",
            "precis run --query why --url http://a http://b",
            "precis run --query -why? --docs a",
            "precis run --query-file q.txt --docs a",
            "precis run why? a b",
            "precis run why? a --url http://b",
            "precis run why? --docs a",
            "precis run --query why a b",
            "precis run why? -",
        ] {
            assert!(parse(fine).is_ok(), "{fine}");
        }
        for wrong in [
            "precis run --query why",
            "precis run --docs a",
            "precis run --query why --query-file q --docs a",
            "precis run --query why --docs a --no-such-flag",
        ] {
            assert_eq!(parse(wrong).expect_err(wrong).exit_code(), 2, "{wrong}");
        }
    }
}
