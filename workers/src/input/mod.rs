//! What a run is given: the question, files, folders and addresses; checked, told apart, and named.
//!
//! Documents are not understood here, only found: what extraction would refuse at its first bytes is listed with that reason, and
//! everything else is for extraction to judge. No absolute path leaves this module except to open the file.

mod address;
mod apart;
mod collect;
mod folder;
mod given;
mod identity;
mod project;
mod query;
mod reading;
mod walk;

pub use address::check_url;
pub use collect::{Collected, Duplicate, Unread, collect};
pub use folder::{Folder, FolderFile, Seen, list_folder, see};
pub use project::read_project;
pub use query::{QueryFrom, read_query};
