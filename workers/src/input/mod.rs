//! What a run is given: the question, files, folders and addresses; checked, told apart, and named.
//!
//! Documents are not understood here, only found: what extraction would refuse at its first bytes is listed with that reason, and
//! everything else is for extraction to judge. No absolute path leaves this module except to open the file.

mod address;
pub mod attributes;
mod collect;
mod distinct_names;
mod folder;
pub mod follow_up;
mod identity;
mod input_paths;
mod project;
mod query;
mod reading;
pub mod source;
mod walk;
mod walked_file;

pub use address::check_url;
pub use collect::{CollectedInputs, Duplicate, UnusableDocument, collect};
pub use folder::{FileInspection, FolderContents, FolderFile, list_folder, see};
pub use project::read_project;
pub use query::{QueryFrom, read_query};
