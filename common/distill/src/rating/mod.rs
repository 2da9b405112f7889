//! A report as a whole, judged by a model in eight dimensions: what it is shown, and what of its answers counts.
//!
//! It is an opinion and is kept apart from all that is counted. It is asked for twice, with what it judges by in two orders: a judge
//! leans towards what it saw first and towards the score it gave last. The sections of the report keep their order, as it is judged, too.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `material` | what a judge is shown of a report, within limits |
//! | `scores` | which scores count, and what two orders come to |

mod material;
mod scores;

pub use material::{NOTES_CHARS, REPORT_CHARS, RatingMaterial, SOURCE_CHARS, SOURCES_SHOWN, material};
pub use scores::{OrderAnswer, SAME_SCORES_LEAST, judgement};
