//! What this machine has: walls around parsers and tools, and a clock.

use std::time::Duration;

use precis_proto::task::Role;
use precis_runtime::clock::unix_time;
use precis_runtime::config::{ProviderKind, SandboxMode, Settings};
use precis_runtime::own_process;

use super::check::{CheckResult, DoctorCheck};
use crate::documents::parse::Parser;

/// A clock further off than this confuses deadlines.
const CLOCK_OFF: Duration = Duration::from_secs(5);
/// When this program was made, as time since 1970: November 2025.
const PROGRAM_MADE: Duration = Duration::from_secs(1_763_000_000);

/// What stands around the processes that parse documents, asked of one of them.
pub(super) async fn sandbox(settings: &Settings) -> DoctorCheck {
    let walls = match Parser::for_run(settings).walls().await {
        Ok(walls) => walls,
        Err(error) => return DoctorCheck::new("sandbox", CheckResult::Fault, error.to_string()),
    };
    let told =
        |holds: bool| walls.all().into_iter().filter(|wall| wall.1 == holds).map(|wall| wall.0).collect::<Vec<_>>();
    let (standing, missing) = (told(true).join(", "), told(false).join(", "));
    if !walls.filter {
        let refused = settings.extraction.sandbox == SandboxMode::Required;
        let (finding, then) = match refused {
            true => (CheckResult::Fault, "no document is read, as sandbox = \"required\" demands"),
            false => (CheckResult::Warning, "a document that takes its parser over could do what this user can"),
        };
        return DoctorCheck::new("sandbox", finding, format!("parsers have no filter of system calls: {then}"));
    }
    let but = if missing.is_empty() { String::new() } else { format!("; this machine has no {missing}") };
    DoctorCheck::new("sandbox", CheckResult::Ok, format!("parsers are confined by {standing}{but}"))
}

/// What stands around command-line tools, where a role uses one.
pub(super) fn tools(settings: &Settings) -> DoctorCheck {
    let links = Role::ALL.into_iter().flat_map(|role| settings.chain(role));
    let providers = links.filter_map(|link| settings.models.provider(link.split_once(':')?.0));
    let tools: Vec<bool> = providers.filter(|p| p.kind == ProviderKind::Tool).map(|p| p.fenced).collect();
    let (closed, fences) = (own_process::is_closed(), precis_runtime::model::has_fences());
    if tools.is_empty() {
        return DoctorCheck::new("tools", CheckResult::Ok, "none is used");
    }
    if !closed {
        let detail = "tools can read the environment of this program, and every key in it";
        return DoctorCheck::new("tools", CheckResult::Warning, detail);
    }
    match (fences, tools.iter().all(|fenced| *fenced)) {
        (true, true) => DoctorCheck::new(
            "tools",
            CheckResult::Ok,
            "run without this program's environment, fenced (Landlock), and end with it",
        ),
        (true, false) => {
            DoctorCheck::new("tools", CheckResult::Warning, "one runs without a fence, as fenced = false says")
        }
        (false, _) => DoctorCheck::new(
            "tools",
            CheckResult::Warning,
            "this machine has no Landlock: tools read and write what this user can",
        ),
    }
}

/// A clock before this program was made is wrong; one behind its own past as well.
pub(super) fn clock() -> DoctorCheck {
    match unix_time() {
        now if now + CLOCK_OFF > PROGRAM_MADE => DoctorCheck::new("clock", CheckResult::Ok, "plausible"),
        _ => DoctorCheck::new(
            "clock",
            CheckResult::Warning,
            "this machine's clock is wrong: deadlines and retention will be too",
        ),
    }
}
