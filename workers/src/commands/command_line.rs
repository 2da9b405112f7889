//! Parses the command line and dispatches to the command, each of which is implemented in [`commands`].

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::cli::exit::Exit;
use crate::cli::{suggestion, terminal};
use crate::commands;
use precis_runtime::ocr;

const EXAMPLES: &str = "\
Examples:
  precis run \"What are the main risks?\" papers/
  precis run --query-file question.txt --docs a.pdf b.html --url https://example.org/c --out report
  precis verify precis-out/report.json
  precis config show

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused input, 4 broker or store unreachable,
5 incomplete report (no answer, a missing document, or the configured models did not answer), 6 a statement changed (`standing run`), 130 interrupted.";

/// Turns a question and a set of documents into a short, cited report in which every quote can be verified.
#[derive(Debug, Parser)]
#[command(name = "precis", version, styles = terminal::styles(), after_help = EXAMPLES, max_term_width = 100)]
#[command(arg_required_else_help = true, infer_subcommands = true)]
pub struct Cli {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Answer a question from documents: writes report.json, report.md, report.html and archive/
    Run(Box<commands::run::RunArgs>),
    /// Ask a follow-up question on a finished session
    Ask(Box<commands::ask::AskArgs>),
    /// Verify a report offline: every quote, hash, citation and ledger row
    Verify(commands::verify::VerifyArgs),
    /// Print an archived source text, or remove old texts
    Archive(commands::archive::ArchiveCommand),
    /// Write a report from a question alone: searches folders and the web, then reads what it found
    Research(Box<commands::research::ResearchArgs>),
    /// Run a finished report again and list what has changed since
    Refresh(Box<commands::refresh::RefreshArgs>),
    /// Keep a question open, and tell when a statement of its answer changed
    Standing(commands::standing::StandingCommand),
    /// Continue a finished research from one of its rounds with a different plan
    Fork(Box<commands::fork::ForkArgs>),
    /// Keep documents in a fleet, and ask about them by the name of the collection
    Collection(commands::collection::CollectionCommand),
    /// Index a folder and search it
    Corpus(commands::corpus::CorpusCommand),
    /// Search the web or the literature with the search providers you name
    Search(commands::search::SearchArgs),
    /// Read one document as a session would: its canonical text, pages and hash
    Extract(commands::extract::ExtractArgs),
    /// Digest one document for a question: summary, key points, evidence
    Digest(commands::digest::DigestArgs),
    /// Count the tokens of a document for a model: how much of the context window it takes, and how much is left
    Tokens(commands::tokens::TokensArgs),
    /// Show the settings in force and where each comes from
    Config(commands::config::ConfigCommand),
    /// Add, list or remove models that find what is said in other words
    Model(commands::model::ModelCommand),
    /// Trust the precis.toml of a folder, as it is now
    Trust(commands::trust::TrustArgs),
    /// Print the JSON Schemas of the messages and the report, and the AsyncAPI and OpenAPI documents
    Schema(commands::schema::SchemaArgs),
    /// Print a completion script for a shell
    Completions(commands::completions::CompletionArgs),
    /// Fetch pages, or show which pages would be fetched
    Fetch(commands::fetch::FetchArgs),
    /// Serve the queues of a fleet until stopped
    Worker(Box<commands::worker::WorkerArgs>),
    /// Serve a fleet over HTTP until stopped
    Serve(commands::serve::ServeArgs),
    /// Serve the tools of Precis to an agent, over the Model Context Protocol on standard input and output
    Mcp(commands::mcp::McpArgs),
    /// Tell agents of a project how to use this program
    Skill(commands::skill::SkillCommand),
    /// Make tokens for the HTTP door
    Token(commands::token::TokenCommand),
    /// Submit a session to a fleet
    Submit(Box<commands::submit::SubmitArgs>),
    /// Watch a session of a fleet until it ends
    Watch(commands::watch::WatchArgs),
    /// Print or write the result of a session of a fleet
    Result(commands::result::ResultArgs),
    /// End sessions now, without a report; their status becomes `cancelled`
    Cancel(commands::control::ControlArgs),
    /// End sessions early, with a report on what they have so far
    Stop(commands::control::ControlArgs),
    /// List the sessions of a fleet and their status
    Sessions(commands::sessions::SessionsArgs),
    /// List webhooks, send them again, try out their endpoints
    Webhook(commands::webhook::WebhookCommand),
    /// Print, create or check the exchanges and queues of a fleet
    Topology(commands::topology::TopologyCommand),
    /// List, redrive or drop dead letters, the messages a fleet gave up on
    Dead(commands::dead::DeadCommand),
    /// Check broker, cache, content store, keys, search providers and clock
    Doctor(commands::doctor::DoctorArgs),
    /// Check whether a worker is ready; for container probes
    Healthcheck(commands::healthcheck::HealthcheckArgs),
    /// Parse documents for another process of this program
    #[command(hide = true, name = crate::documents::parse::CHILD_COMMAND)]
    ParseChild,
    /// Become the recognition program of another process of this program, in the sandbox profile "ocr"
    #[command(hide = true, name = precis_runtime::ocr::HELPER_COMMAND)]
    OcrChild(OcrChildArgs),
    /// Start a tool for another process of this program, and end it with that process
    #[command(hide = true, name = crate::assembly::pipeline::GUARD_COMMAND)]
    GuardTool(GuardArgs),
}

/// Arguments of the process that becomes a recognition program.
#[derive(Debug, Args)]
pub struct OcrChildArgs {
    /// Processor seconds it may take
    processor_seconds: u64,
    /// Its address space in bytes
    memory_bytes: u64,
    /// The program and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<std::ffi::OsString>,
}

/// Arguments of the process that guards a tool.
#[derive(Debug, Args)]
pub struct GuardArgs {
    /// Do not restrict which files the tool can access
    #[arg(long)]
    unfenced: bool,
    /// Process id of the process that started it
    parent: u32,
    /// The tool and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<std::ffi::OsString>,
}

/// Parses the command line of this process and runs the command.
#[must_use]
pub fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => dispatch(&cli.command).into(),
        Err(mut error) => {
            suggest(&mut error);
            // Help and version arrive here as well; a closed pipe is no reason to fail.
            let _ = error.print();
            u8::try_from(error.exit_code()).unwrap_or(Exit::Usage.code()).into()
        }
    }
}

/// Adds the most similar command to the error for an unknown one.
fn suggest(error: &mut clap::Error) {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return };
    let command = Cli::command();
    let names = command.get_subcommands().filter(|known| !known.is_hide_set()).map(clap::Command::get_name);
    let meant: Vec<String> = suggestion::nearest(word, names).map(str::to_owned).into_iter().collect();
    // clap's own suggestion is always dropped: it scores by shared letters, which suggests commands nobody meant to type.
    error.remove(ContextKind::SuggestedSubcommand);
    if !meant.is_empty() {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(meant));
    }
}

fn dispatch(command: &Command) -> Exit {
    // A parser child closes itself later: it must first mark itself as the process to kill when memory runs out.
    if !matches!(command, Command::ParseChild | Command::OcrChild(_)) {
        precis_runtime::own_process::close_to_others();
        precis_runtime::own_process::bound_heaps();
    }
    match command {
        Command::Run(args) => commands::run::run(args),
        Command::Ask(args) => commands::ask::run(args),
        Command::Verify(args) => commands::verify::run(args),
        Command::Archive(command) => commands::archive::run(&command.what),
        Command::Research(args) => commands::research::run(args),
        Command::Refresh(args) => commands::refresh::run(args),
        Command::Standing(command) => commands::standing::run(&command.what),
        Command::Fork(args) => commands::fork::run(args),
        Command::Collection(command) => commands::collection::run(&command.what),
        Command::Corpus(command) => commands::corpus::run(&command.what),
        Command::Search(args) => commands::search::run(args),
        Command::Extract(args) => commands::extract::run(args),
        Command::Digest(args) => commands::digest::run(args),
        Command::Tokens(args) => commands::tokens::run(args),
        Command::Config(args) => commands::config::run(&args.what),
        Command::Model(command) => commands::model::run(&command.what),
        Command::Trust(args) => commands::trust::run(args),
        Command::Schema(args) => commands::schema::run(args),
        Command::Completions(args) => commands::completions::run(args, Cli::command()),
        Command::Fetch(args) => commands::fetch::run(args),
        Command::Worker(args) => commands::worker::run(args),
        Command::Serve(args) => commands::serve::run(args),
        Command::Mcp(args) => commands::mcp::run(args),
        Command::Skill(command) => commands::skill::run(&command.what),
        Command::Token(command) => commands::token::run(&command.what),
        Command::Submit(args) => commands::submit::run(args),
        Command::Watch(args) => commands::watch::run(args),
        Command::Result(args) => commands::result::run(args),
        Command::Cancel(args) => commands::control::run(args, commands::control::EndRequest::Cancel),
        Command::Stop(args) => commands::control::run(args, commands::control::EndRequest::Stop),
        Command::Sessions(args) => commands::sessions::run(args),
        Command::Webhook(command) => commands::webhook::run(&command.what),
        Command::Topology(command) => commands::topology::run(&command.what),
        Command::Dead(command) => commands::dead::run(&command.what),
        Command::Doctor(args) => commands::doctor::run(args),
        Command::Healthcheck(args) => commands::healthcheck::run(args),
        Command::ParseChild => crate::documents::parse::serve_child().map_or(Exit::Failed, |()| Exit::Ok),
        Command::OcrChild(args) => become_tool(args),
        Command::GuardTool(args) => guard_tool(args),
    }
}

/// Becomes a recognition program, or exits with the code that says why not.
#[expect(
    clippy::disallowed_methods,
    reason = "the process that started it reads the code, and nothing is left to write"
)]
fn become_tool(args: &OcrChildArgs) -> Exit {
    let Some((program, arguments)) = args.command.split_first() else { return Exit::Usage };
    let code = ocr::become_tool(args.processor_seconds, args.memory_bytes, program.as_ref(), arguments);
    std::process::exit(code)
}

/// Guards a tool and exits with the exit code of the tool.
#[expect(clippy::disallowed_methods, reason = "a tool may exit with any code, and nothing is left to write")]
#[expect(clippy::disallowed_macros, reason = "the guard has no log; the process that started it reads its output")]
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
