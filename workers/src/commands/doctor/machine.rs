//! Checks of this machine: the confinement of parsers and tools.

use precis_proto::task::Role;
use precis_runtime::config::{ProviderKind, SandboxMode, Settings};
use precis_runtime::ocr::PROFILE;
use precis_runtime::own_process;

use super::check::{CheckResult, DoctorCheck};
use crate::documents::parse::Parser;
use crate::documents::recognition::Recognizer;
use crate::meaning::{ModelOfMeaning, ServedModel};

/// Reports how the processes that parse documents are confined, as measured in one of them.
pub(super) async fn sandbox(settings: &Settings) -> DoctorCheck {
    let walls = match Parser::for_run(settings).walls().await {
        Ok(walls) => walls,
        Err(error) => return DoctorCheck::new("sandbox", CheckResult::Fault, error.to_string()),
    };
    let names =
        |holds: bool| walls.all().into_iter().filter(|wall| wall.1 == holds).map(|wall| wall.0).collect::<Vec<_>>();
    let (active, missing) = (names(true).join(", "), names(false).join(", "));
    if !walls.filter {
        let refused = settings.extraction.sandbox == SandboxMode::Required;
        let (finding, then) = match refused {
            true => (CheckResult::Fault, "no document is read, because sandbox = \"required\""),
            false => (CheckResult::Warning, "a document that exploits its parser gets the rights of this user"),
        };
        return DoctorCheck::new("sandbox", finding, format!("parsers run without a system call filter: {then}"));
    }
    let but = if missing.is_empty() { String::new() } else { format!("; not available on this machine: {missing}") };
    DoctorCheck::new("sandbox", CheckResult::Ok, format!("parsers are confined by {active}{but}"))
}

/// Reports which program recognizes the text of pages that are pictures, as it answers in its sandbox.
pub(super) async fn recognition(settings: &Settings) -> DoctorCheck {
    let Some(recognizer) = Recognizer::from_settings(settings) else {
        return DoctorCheck::new("ocr", CheckResult::Ok, "off: pages that are pictures have no text");
    };
    match recognizer.engine().await {
        Ok(engine) => {
            let detail =
                format!("{} recognizes pages that are pictures, in the sandbox profile \"{PROFILE}\"", engine.name);
            DoctorCheck::new("ocr", CheckResult::Ok, detail)
        }
        Err(error) => DoctorCheck::new("ocr", CheckResult::Fault, error.to_string()),
    }
}

/// Reports which model finds what is said in other words, read as a worker reads it.
pub(super) fn meaning(settings: &Settings) -> DoctorCheck {
    let what = "meaning";
    match ModelOfMeaning::from_settings(settings) {
        Ok(None) if ServedModel::is_kept_out(settings) => {
            let detail = "roles.embedding names a foreign server, and strict_privacy keeps private texts from it; evidence is found by words";
            DoctorCheck::new(what, CheckResult::Warning, detail)
        }
        Ok(None) => DoctorCheck::new(what, CheckResult::Ok, "off: evidence is found by words"),
        Ok(Some(ModelOfMeaning::Served(model))) => {
            let (link, dimensions) = (model.link(), model.dimensions());
            let detail = format!(
                "{link} of roles.embedding, a server: {dimensions} numbers a vector, not reproducible; it was not called"
            );
            DoctorCheck::new(what, CheckResult::Ok, detail)
        }
        Ok(Some(ModelOfMeaning::Loaded(model))) => {
            let (kept, kernel) = (model.kept_model(), model.kernel());
            let name = &kept.description.name;
            DoctorCheck::new(what, CheckResult::Ok, format!("{name}, SHA-256 {}, with {kernel}", kept.hash))
        }
        Err(error) => {
            let detail = format!("{error}; evidence is found by words alone; try: precis model add");
            DoctorCheck::new(what, CheckResult::Warning, detail)
        }
    }
}

/// Reports how command-line tools are confined, if a role uses one.
pub(super) fn tools(settings: &Settings) -> DoctorCheck {
    let links = Role::ALL.into_iter().flat_map(|role| settings.chain(role));
    let providers = links.filter_map(|link| settings.models.provider(link.split_once(':')?.0));
    let tools: Vec<bool> = providers.filter(|p| p.kind == ProviderKind::Tool).map(|p| p.fenced).collect();
    let (closed, fences) = (own_process::is_closed(), precis_runtime::model::has_fences());
    if tools.is_empty() {
        return DoctorCheck::new("tools", CheckResult::Ok, "none is used");
    }
    if !closed {
        let detail = "tools can read the environment of this program, including all keys in it";
        return DoctorCheck::new("tools", CheckResult::Warning, detail);
    }
    match (fences, tools.iter().all(|fenced| *fenced)) {
        (true, true) => DoctorCheck::new(
            "tools",
            CheckResult::Ok,
            "run without the environment of this program, with limited file access (Landlock), and end with this program",
        ),
        (true, false) => DoctorCheck::new(
            "tools",
            CheckResult::Warning,
            "a tool runs without file access limits, because fenced = false",
        ),
        (false, _) => DoctorCheck::new(
            "tools",
            CheckResult::Warning,
            "this machine has no Landlock: tools can read and write every file this user can",
        ),
    }
}
