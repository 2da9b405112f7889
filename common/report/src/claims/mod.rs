//! Claims: checks each statement of a report against the quotes it cites, and corrects, marks or removes those that fail.
//!
//! The checks are deterministic and use no model: a statement and its quotes are aligned word by word, and the differences decide. Numbers,
//! dates, names, units and negations must occur in the quotes. Other words may be the model's own if enough of them match. The checks
//! compare wording, not meaning: they do not recognize synonyms.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `wording` | a text as comparable words |
//! | `known_words` | what a text tells about its words: its language, what it denies, words in scripts without spaces |
//! | `evidence` | a quote with its surrounding text, and word weights |
//! | `align` | aligns the words of a statement with those of its quotes |
//! | `differences` | turns unmatched words into checks |
//! | `verdict` | checks and matched share to a verdict |
//! | `judge` | judges one sentence against its quotes |
//! | `opinion` | questions to a model besides the checks, and which of its answers count |
//! | `settle` | settles all statements of a draft |

mod align;
mod differences;
mod evidence;
mod judge;
mod known_words;
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
