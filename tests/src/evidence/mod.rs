//! How well evidence is found: questions with known answers, and the share of them that a ranking finds.
//!
//! The questions are those of `tests/fixtures/evidence`, written for this. Everything is deterministic, so that figures can be
//! asserted. What is done with evidence is not known here.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`set`] | documents, questions and the passages that answer them, read and checked |
//! | [`recall`] | which of the answers a ranking finds |
//! | [`export`] | the same passages and terms for another program's ranking |

pub mod export;
pub mod recall;
pub mod set;
