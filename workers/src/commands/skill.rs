//! `precis skill`: tells agents of a project how to use this program, in the open format of Agent Skills.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueHint};
use precis_runtime::files::{FileLimits, Links, ReadError, read_regular};

use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;

/// What agents are told.
const SKILL: &str = include_str!("../../../docs/skills/precis/SKILL.md");
/// Where agents look for the skills of a project.
const PROJECT_DIR: &str = ".agents/skills";
/// Folder of the skill, which must have its name, and its file.
const NAME: &str = "precis";
const FILE: &str = "SKILL.md";
/// Largest file that is compared with ours, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Arguments of `precis skill`.
#[derive(Debug, Args)]
pub struct SkillCommand {
    /// What to do.
    #[command(subcommand)]
    pub what: SkillAction,
}

/// What to do with the skill.
#[derive(Debug, Subcommand)]
pub enum SkillAction {
    /// Write the skill where agents of a project look for it
    #[command(after_help = "\
Examples:
  precis skill install                               # .agents/skills/precis/SKILL.md of this project
  precis skill install --dir .claude/skills          # where another program looks
  precis skill install --dir ~/.agents/skills        # for all projects")]
    Install(InstallArgs),
}

/// Arguments of `precis skill install`.
#[derive(Debug, Args)]
pub struct InstallArgs {
    /// Folder of skills
    #[arg(long, value_name = "DIR", default_value = PROJECT_DIR, value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Replace a file with other contents
    #[arg(long)]
    pub force: bool,
}

/// Carries out the action.
#[must_use]
pub fn run(action: &SkillAction) -> Exit {
    let SkillAction::Install(args) = action;
    super::finish(install(args))
}

fn install(args: &InstallArgs) -> Result<(), CommandFailure> {
    let dir = args.dir.join(NAME);
    let file = dir.join(FILE);
    let failed = |error: &dyn std::fmt::Display| {
        CommandFailure::new(Exit::Failed, "install_failed", format!("write {}: {error}", file.display()))
    };
    match present(&file).map_err(|error| failed(&error))? {
        Present::Same => return terminal::print(&format!("{} is there already\n", file.display())),
        Present::Other if !args.force => {
            let message = format!("{} has other contents", file.display());
            return Err(CommandFailure::new(Exit::Refused, "file_exists", message)
                .with_remedy("look at it, and replace it with --force"));
        }
        Present::Other | Present::Nothing => {}
    }
    write(&dir, &file).map_err(|error| failed(&error))?;
    terminal::print(&format!("{}\n", file.display()))
}

/// What is at the place of the skill.
enum Present {
    Nothing,
    Same,
    Other,
}

fn present(file: &Path) -> Result<Present, std::io::Error> {
    match read_regular(file, Links::OnTheWay, FileLimits::bytes(MAX_BYTES)) {
        Ok(bytes) if bytes == SKILL.as_bytes() => Ok(Present::Same),
        Ok(_) | Err(ReadError::TooLarge { .. }) => Ok(Present::Other),
        Err(ReadError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => Ok(Present::Nothing),
        Err(ReadError::Io(error)) => Err(error),
    }
}

/// Writes the whole file, or none of it.
fn write(dir: &Path, file: &Path) -> Result<(), std::io::Error> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::create_dir_all(dir)?;
    let mut new = tempfile::NamedTempFile::new_in(dir)?;
    new.write_all(SKILL.as_bytes())?;
    // A file of the project, which others may read.
    new.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    new.persist(file)?;
    Ok(())
}
