//! Vectors of texts, from a server with `/embeddings`.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `call` | what is asked, and what the caller gets |
//! | `wire` | the JSON of a request and of its answer |
//! | `kept` | what is stored of an answer |
//! | `paid` | the steps of a paid request, and its repeats |

mod call;
mod kept;
mod paid;
mod wire;

pub(super) use call::EmbeddingOrder;
pub use call::{EmbeddedTexts, EmbeddingCall};
pub(super) use paid::EmbeddingCalls;
pub use wire::most_texts;
