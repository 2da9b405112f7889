//! Models in the files of others, as ours. Each is read with the same care as our own: see [`crate::container`].

mod e5s1;
mod folder;

pub use e5s1::{E5S1_MAGIC, from_e5s1};
pub use folder::{
    FolderError, FolderFiles, MAX_HEADER_BYTES, from_folder, licence_of_card, tokenizer_of, weights_are_whole,
};
