//! `precis standing add`.

use std::path::{Path, PathBuf};

use precis_proto::ids::sha256_hex;
use precis_proto::privacy::Privacy;
use precis_proto::standing::{STANDING_VERSION, StandingQuestion};
use precis_runtime::clock::Clock;

use super::args::AddArgs;
use super::ask::{Asked, ask};
use super::own_records::{records, unknown};
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::commands::settings::load_settings;
use crate::commands::{block_on, research};
use crate::input::{QueryFrom, read_query};

/// Digits of an id: enough for any number of questions of one person.
const ID_DIGITS: usize = 12;

/// Keeps the question, then makes its first report: later runs are compared with it.
pub(super) fn add(args: &AddArgs) -> Result<Exit, CommandFailure> {
    if args.lanes.is_empty() && args.collection.is_empty() {
        return Err(research::nothing_to_search("no folder, collection or search provider is given"));
    }
    args.lanes.check_counts()?;
    let settings = load_settings(&args.config, Vec::new())?.settings;
    let question = question(args, settings.privacy.is_strict)?;
    let records = records()?;
    let id = &question.id;
    if !block_on(records.add(&question))? {
        let stands = block_on(records.get(id))?.ok_or_else(|| unknown(id))?;
        terminal::print_warning(&format!("{id} stands already, with its report in {}", stands.out));
        return Ok(Exit::Ok);
    }
    if !args.quiet {
        terminal::print(&format!("{id} stands, every {}; its report is in {}\n", args.every, question.out))?;
    }
    let asked = ask(&records, id, &settings, &args.config, true);
    match asked? {
        Asked::Busy | Asked::NotDue | Asked::Unchanged | Asked::Answered | Asked::Notice(_) => Ok(Exit::Ok),
        Asked::Failed(exit) => {
            terminal::print_warning(&format!("{id} stands all the same; `precis standing run` asks it again"));
            Ok(exit)
        }
    }
}

fn question(args: &AddArgs, strict_privacy: bool) -> Result<StandingQuestion, CommandFailure> {
    let query = read_query(&QueryFrom::Text(args.question.clone()))?;
    let lanes = &args.lanes;
    let corpora = lanes.corpus.iter().map(|dir| folder(dir)).collect::<Result<Vec<_>, _>>()?;
    let mut about = vec![vec![query.clone()], corpora.clone(), lanes.web.clone(), lanes.academic.clone()];
    if !args.collection.is_empty() {
        about.push(args.collection.iter().map(ToString::to_string).chain(args.tenant.clone()).collect());
    }
    let digits = sha256_hex(format!("{about:?}").as_bytes());
    let id = format!("q-{}", &digits[..ID_DIGITS]);
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("precis-standing-{}", &id[2..])));
    Ok(StandingQuestion {
        schema_version: STANDING_VERSION,
        id,
        query,
        corpora,
        collections: args.collection.clone(),
        tenant: args.tenant.clone(),
        web: lanes.web.clone(),
        academic: lanes.academic.clone(),
        allow_domains: lanes.allow_domain.clone(),
        deny_domains: lanes.deny_domain.clone(),
        since: lanes.since.clone(),
        privacy: Privacy { strict_privacy, ..lanes.privacy() },
        every_seconds: args.every.into(),
        out: utf8(&std::path::absolute(&out).unwrap_or(out))?,
        asked_at: Clock::system().now(),
        checked_at: None,
        last: None,
        notice: None,
        keeps: Vec::new(),
    })
}

/// Returns the absolute path of a folder: a run may start in another directory.
fn folder(dir: &Path) -> Result<String, CommandFailure> {
    let shown = terminal::printable(&dir.display().to_string());
    match dir.canonicalize() {
        Ok(path) if path.is_dir() => utf8(&path),
        Ok(_) => Err(CommandFailure::new(Exit::Refused, "not_a_folder", format!("`{shown}` is a file"))
            .with_remedy("pass the folder that contains the file")),
        Err(error) => Err(CommandFailure::new(Exit::Refused, "no_such_folder", format!("`{shown}`: {error}"))
            .with_remedy("check the path")),
    }
}

fn utf8(path: &Path) -> Result<String, CommandFailure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        let message = format!("`{}`: expected a path in UTF-8", terminal::printable(&path.display().to_string()));
        CommandFailure::new(Exit::Refused, "invalid_path", message).with_remedy("rename the folder")
    })
}
