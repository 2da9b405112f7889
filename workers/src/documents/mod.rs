//! Documents as text: fetching, parsing, token counts and storage.
//!
//! | file | contents |
//! | --- | --- |
//! | [`pages`] | pages from the guarded client, which is created at the first page |
//! | [`extract_service`] | pages through Tavily, if it is configured |
//! | [`parse`] | parses bytes to canonical text, in a child process |
//! | `parse_exchange` | the messages exchanged with that child |
//! | `archived_type` | the content type of a text read back from an archive, with its structure |
//! | `texts` | loads canonical texts from the content store; runs CPU-bound work on blocking threads |
//! | [`recognition`] | recognizes the text of pages that are pictures, if it is configured |
//! | [`reductions`] | stores reductions in the content store |
//! | `page_versions` | the cached version of a page and the text extracted from it |
//! | [`token_counts`] | cached token counts |

pub(crate) mod archived_type;
pub mod extract_service;
pub(crate) mod page_versions;
pub mod pages;
pub mod parse;
mod parse_exchange;
pub mod recognition;
pub mod reductions;
pub(crate) mod texts;
pub mod token_counts;
