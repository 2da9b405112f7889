//! Collections: documents that a tenant keeps in the fleet, so that any number of questions may be asked about them.
//!
//! All that there is of a collection stands in the content store, under names, and nothing of it is changed in place: a change of files is a
//! new version, which is written only if no other has its number. Of two that change a collection at once, the later one builds on the
//! version of the earlier one, so neither is lost. Workers index versions ([`CollectionIndex`]); sessions search indexed versions.
//!
//! | kind | id | what |
//! | --- | --- | --- |
//! | `collections` | the collection | [`Collection`] |
//! | `collections-of-TENANT` | time, counted backwards, and the collection | nothing: the list of a tenant, newest first |
//! | `collection-versions-ID` | the version, counted backwards | [`CollectionVersion`] |
//! | `collection-indexes-ID` | the version, counted backwards | [`CollectionIndex`] |
//! | `collections-removed` | the collection | nothing: it was removed |
//!
//! | module | what it owns |
//! | --- | --- |
//! | `record` | what is kept, and under which names |
//! | `catalogue` | making, finding, listing and removing collections |
//! | `change` | what becomes of a list of files; pure |
//! | `versions` | the versions of a collection, and their indexes |
//! | `bind` | the versions that a request searches |
//! | `wake` | the message that makes workers look at a collection |
//! | `sweep` | what retention keeps for collections, and what it removes |

mod bind;
mod catalogue;
mod change;
mod record;
mod sweep;
mod versions;
mod wake;

pub use bind::{BindFault, bind};
pub use catalogue::{
    Created, ListedCollections, collection_ids, create_collection, is_collection_removed, list_collections,
    read_collection, remove_collection,
};
pub use change::{FileChange, TooManyFiles};
pub use record::{Collection, CollectionFile, CollectionIndex, CollectionVersion, UnreadFile};
pub use sweep::sweep_collections;
pub use versions::{
    ChangeError, change_files, index_before, index_of, keep_index, latest_version, replace_index, version,
};
pub(crate) use wake::lease_key;
pub use wake::{INDEX_WAKE, IndexWake, is_being_indexed, wake_message};

/// Most collections of a tenant, unless configured otherwise. Chosen, not measured.
pub const MAX_COLLECTIONS: usize = 1_000;
/// Most files of a collection. A version lists all its files, and is read and written whole. Chosen, not measured.
pub const MAX_COLLECTION_FILES: usize = 10_000;
/// Longest name of a collection, in characters.
pub const MAX_COLLECTION_NAME_CHARS: usize = 200;
