//! Decisions about text, pure: text and numbers in, text and records out.
//!
//! Nothing here waits, reads a clock, the environment, the network or a file. Equal inputs give equal results.
//! Offsets count Unicode scalar values, from 0, end exclusive; they are carried along, never searched for again.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`text`] | canonical text: the one form that is hashed, archived, sliced and cited |
//! | [`extract`] | bytes of a document to canonical text |
//! | [`chunk`] | the partition of a text into pieces that can be quoted |
//! | [`terms`] | the words a query and a text are compared by |
//! | [`sentences`] | where sentences begin and end, and how whole each is |
//! | [`evidence`] | which chunks speak to a query |
//! | [`passage`] | chunks widened to whole sentences, with what may be quoted of them |
//! | [`relevance`] | how much whole texts have to do with a query |
//! | [`tokens`] | counting tokens |
//! | [`digest`] | the payload `digest/v1`: building, checking, keys, eligibility |
//! | [`prompt`] | tasks to messages that fit, and answers out of a model's text |
//! | [`models`] | what each model takes, and what it charges |
//! | [`extractive`] | the built-in model: verbatim sentences, ranked, chosen, reported |
//! | [`allocate`] | which sources are carried whole, reduced or left out, within a budget |
//! | [`compared`] | quotes side by side, and numbers on which sources differ |
//! | [`compress`] | which passages a call carries, and what its findings stand on |
//! | [`reduction`] | prose and passages of a source within a number of tokens |
//! | [`short_texts`] | which texts one call summarizes together |
//! | [`map_reduce`] | summaries of texts that no call can carry: the parts of a text, and what becomes of them |
//! | [`fold`] | what a phase makes of its jobs' outcomes |
//! | [`ledger`], [`fidelity_audit`] | tokens through each phase, balanced; each source followed through them |
//! | [`locate`] | a locator to its characters in an archived text |
//! | [`claims`] | each statement of a report against its quotes |
//! | [`rating`] | a report as a whole, judged by a model |
//! | [`groundedness`] | whether a sentence is carried by what it cites |
//! | [`report`] | citations, Markdown and HTML of a report |
//! | [`research`] | what to look for, round by round, and when to stop |
//! | [`response`] | a finished session to the data of its response |
//! | [`verify`] | the proof of a report against its archive |

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read, wait and print"))]

pub mod allocate;
pub mod changes;
pub mod chunk;
pub mod claims;
pub mod compared;
pub mod compress;
pub mod digest;
pub mod evidence;
pub mod extract;
pub mod extractive;
pub mod fidelity_audit;
pub mod fold;
pub mod follow_up;
pub mod groundedness;
pub mod ledger;
pub mod locate;
pub mod map_reduce;
pub mod models;
pub mod passage;
pub mod prompt;
pub mod prose;
pub mod rating;
pub mod reduction;
pub mod relevance;
mod repeats;
pub mod report;
pub mod research;
pub mod response;
pub mod sentences;
pub mod short_texts;
pub mod shortening_warning;
pub mod source_notes;
mod table_fill;
pub mod terms;
pub mod text;
pub mod tokens;
pub mod verify;
mod word_list;

#[cfg(test)]
mod sample;
