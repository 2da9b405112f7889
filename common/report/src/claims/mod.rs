//! Claims: each statement of a report with its verdict, and what becomes of it.
//!
//! Comparing words can prove a statement (it is verbatim in a passage) and can doubt it (a figure, a name, a negation that the passages do
//! not show); it never refutes one. Meaning is judged by a model that sees the passages, and counts with words that stand in them; only
//! that repairs or removes. What nobody judged stays and says so.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `wording` | a text as comparable words |
//! | `known_words` | what a text tells about its words: its language, what it denies, words in scripts without spaces |
//! | `identity` | words by which documents are known, which are never a doubt |
//! | `derived` | figures that follow from others, which are never a doubt |
//! | `evidence` | a quote with its surrounding text, and word weights |
//! | `align` | aligns the words of a statement with those of its quotes |
//! | `differences` | turns unmatched words into checks |
//! | `verdict` | checks and matched share to a verdict |
//! | `judge` | compares one sentence with its quotes |
//! | `open_statements`, `batch`, `controls` | what a model is asked to judge, in calls of several, with sentences whose verdict is known |
//! | `opinion` | which of its answers count |
//! | `remembered` | verdicts kept by statement and passages |
//! | `judging_use` | how much may be spent on judging |
//! | `repair` | statements that failed given back to their writer, and what comes of the answer |
//! | `doubt_warnings` | warnings of doubts in what nobody judged |
//! | `settle`, `outcome` | settles all statements of a draft |

mod align;
mod batch;
mod controls;
mod derived;
mod differences;
mod doubt_warnings;
mod evidence;
mod identity;
mod judge;
mod judging_use;
mod known_words;
mod open_statements;
mod opinion;
mod outcome;
mod remembered;
mod repair;
mod settle;
mod settled;
mod unsettled;
mod verdict;
mod wording;

pub use batch::{BatchOutcome, HeardVerdict, JudgeBatch, MOST_STATEMENTS, STATEMENTS_EACH, batches, most_calls};
pub use doubt_warnings::{MOST_DOUBT_WARNINGS, doubt_warnings};
pub use evidence::CONTEXT_CHARS;
pub use judge::{MOST_QUOTES, MOST_WORDS};
pub use judging_use::{JudgingUse, SHARE_PERCENT, may_ask};
pub use open_statements::{CitablePieces, OpenStatement, open_statements};
pub use opinion::{Opinion, Opinions, counts};
pub(crate) use opinion::{points_somewhere, verbatim};
pub use outcome::Fate;
pub(crate) use outcome::doubts;
pub use repair::{RepairRequest, Repaired, repair_request};
pub use settle::{settle, settle_with};
pub use settled::{ComparedWith, MOST_CLAIMS, SettledDraft, SourceTexts};
pub use unsettled::UnsettledDraft;
