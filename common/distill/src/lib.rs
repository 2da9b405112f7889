//! Pure decisions about text: text and numbers in, text and records out.
//!
//! Nothing in this crate waits, or reads a clock, the environment, the network or a file. Equal inputs give equal results. Offsets count
//! Unicode scalar values from 0, end exclusive; they are carried along and never found again by searching.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`text`] | canonical text: the one form that is hashed, archived, sliced and cited |
//! | `language` | words of human languages, scripts, and the words of a text |
//! | [`extract`] | converts the bytes of a document to canonical text |
//! | [`chunk`] | splits a text into chunks that can be quoted |
//! | [`terms`] | the words a query and a text are compared by |
//! | [`sentences`] | finds sentences, and rates how complete each is |
//! | [`equal_words`] | whether two texts are the same words: only these share a citation |
//! | [`evidence`] | ranks chunks by how well they match a query |
//! | [`passage`] | chunks widened to whole sentences, with the units that may be quoted |
//! | [`relevance`] | rates the relevance of whole texts to a query |
//! | [`tokens`] | counts tokens, and manages budgets of them |
//! | [`digest`] | the payload `digest/v1`: building, checking, keys, eligibility |
//! | [`prompt`] | turns tasks into messages that fit, and reads answers from a model's text |
//! | [`models`] | limits and prices of each model |
//! | [`extractive`] | the built-in model: verbatim sentences, ranked, chosen, reported |
//! | [`answered`] | whether a report, as it is written, answers its question |
//! | [`allocate`] | decides which sources are carried whole, reduced or left out within a budget |
//! | [`compared`] | quotes side by side, and values on which sources differ |
//! | [`compress`] | the passages a call carries, and the quotes its findings rest on |
//! | [`reduction`] | prose and passages of a source within a token limit |
//! | [`short_texts`] | groups short texts for one summarizing call |
//! | [`map_reduce`] | summarizes texts too long for one call, part by part |
//! | [`fold`] | combines the outcomes of a phase's jobs |
//! | [`ledger`], [`fidelity_audit`] | tokens through each phase, balanced; each source followed through the phases |
//! | [`locate`] | finds the characters of a locator in an archived text |
//! | [`claims`] | checks each statement of a report against its quotes |
//! | [`rating`] | a model's judgement of a whole report |
//! | [`groundedness`] | the share of a sentence's words found in the quotes it cites |
//! | [`report`] | citations, Markdown and HTML of a report |
//! | [`research`] | what to search for, round by round, and when to stop |
//! | [`response`] | turns a finished session into its response |
//! | [`verify`] | proves a report against its archive |

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read, wait and print"))]

pub mod allocate;
pub mod answered;
pub mod changes;
pub mod chunk;
pub mod claims;
pub mod compared;
pub mod compress;
pub mod digest;
pub mod equal_words;
pub mod evidence;
pub mod extract;
pub mod extractive;
pub mod fidelity_audit;
pub mod fold;
pub mod follow_up;
pub mod groundedness;
pub mod heading_paths;
mod language;
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
mod tie_break;
pub mod tokens;
pub mod verify;
mod wording;

#[cfg(test)]
mod sample;
