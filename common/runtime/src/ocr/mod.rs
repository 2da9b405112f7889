//! Runs a recognition program (OCR) on the picture of a page, in a sandbox profile of its own.
//!
//! The profile of parsers allows no file, no program and no thread; a recognition program is a foreign program that loads libraries and
//! models. So it has a second profile, [`PROFILE`]: it may execute one program, which may read the folders of the system and start
//! threads, and nothing else. A helper process of our own executable puts itself into the profile and then becomes the tool; where the
//! profile cannot be had, it ends instead, and nothing is recognized.
//!
//! | file | what it owns |
//! | --- | --- |
//! | [`limits`] | how much time, memory and output a page may take, and how many pages a document |
//! | [`error`] | why a page was not recognized |
//! | [`tool`] | which program it is, how it is called, and what it calls itself |
//! | [`profile`] | the helper's side: what it gives up before it becomes the tool |
//! | `calls` | the system calls that the tool may make (Linux) |
//! | [`run`] | our side: the picture in, the bounded text out, the end of the tool |

#[cfg(target_os = "linux")]
mod calls;
pub mod error;
pub mod limits;
pub mod profile;
pub mod run;
pub mod tool;

pub use error::OcrError;
pub use limits::OcrLimits;
pub use profile::{HELPER_COMMAND, become_tool};
pub use run::{recognize, version};
pub use tool::{OcrTool, RecognitionEngine};

/// The name of the profile, in messages and documentation.
pub const PROFILE: &str = "ocr";
