//! Claims: each statement of a report against the quotes it cites, and what becomes of those that fail.
//!
//! The checks are deterministic and without a model: a statement and its quotes are aligned word by word, and what differs decides. Numbers,
//! dates, names, units and negations must stand in the quotes; the rest of the words may be the model's own, as long as enough
//! of them are about the same. It judges wording, no meaning: what two different words have in common it does not know.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `wording` | a text as words that can be compared |
//! | `lexicon` | negations, months, units, words that speak of all |
//! | `evidence` | a quote with what stands around it, and how much a word weighs |
//! | `align` | which words of a statement are which words of its quotes |
//! | `differences` | what the alignment leaves over, as checks |
//! | `verdict` | checks and shared words to a verdict |
//! | `judge` | one sentence against its quotes |
//! | `opinion` | what a model is asked beside the checks, and which of its answers count |
//! | `settle` | all statements of a draft, and what stands in their place |

mod align;
mod differences;
mod evidence;
mod judge;
mod lexicon;
mod opinion;
mod settle;
mod settled;
mod verdict;
mod wording;

pub use evidence::CONTEXT_CHARS;
pub use judge::{MOST_QUOTES, MOST_WORDS};
pub use opinion::{
    CALL_TOKENS, JudgeQuestion, JudgingUse, MOST_JUDGED, Opinion, Opinions, SAME_LEAST, SHARE_PERCENT, UNANSWERED_MOST,
    counted, counts, may_ask, questions,
};
pub(crate) use opinion::{points_somewhere, verbatim};
pub use settle::{settle, settle_with};
pub use settled::{MOST_CLAIMS, SettledDraft, SourceTexts};
