//! What is known of human languages: the one place with words of them, and with rules about scripts and words.
//!
//! The room is the floor of the crate: it imports nothing of it. Each file owns one fact, as a table with one row per language; other rooms
//! ask by functions and never see a list.
//!
//! | file | the fact |
//! | --- | --- |
//! | `tag` | the languages |
//! | `script` | the script of a character; which scripts have no spaces between words |
//! | `words` | the words of a text |
//! | `detect` | the language of a text |
//! | `function_words` | the commonest words |

mod detect;
mod function_words;
pub(crate) mod script;
mod tag;
pub(crate) mod words;

pub(crate) use detect::{TextLanguage, detect};
