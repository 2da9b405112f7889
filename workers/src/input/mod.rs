//! The input of a run: collects and checks the question, files, folders and addresses, and assigns ids.
//!
//! Documents are only found here, not parsed. Files that extraction would refuse by their first bytes are listed with the reason; all
//! others are left to extraction. Absolute paths leave this module only to open files.

mod address;
pub mod attributes;
mod collect;
mod distinct_names;
mod folder;
pub(crate) mod identity;
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
pub use query::{QueryFrom, check_subject, read_query};
