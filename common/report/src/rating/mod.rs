//! Rates a whole report by a model in eight dimensions: the material the model is shown, and which of its scores count.
//!
//! The rating is an opinion and is kept apart from all measured values. It is requested twice, with the material in two orders, because a
//! judge favours what it saw first and the score it gave last. The sections of the report keep their order, which is part of what is rated.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `material` | the material a judge is shown, within limits |
//! | `scores` | which scores count, and the result of both orders |

mod material;
mod scores;

pub use material::{NOTES_CHARS, REPORT_CHARS, RatingMaterial, SOURCE_CHARS, SOURCES_SHOWN, material};
pub use scores::{OrderAnswer, SAME_SCORES_LEAST, judgement};
