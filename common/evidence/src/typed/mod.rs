//! Typed evidence: what a question wants, and whether a text about the named thing holds it.
//!
//! Words that question and text share tell what a text is about. Whether it answers is told by what it holds: a person where the question
//! says who, a figure where it says how many. Pure functions of question and text.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `wanted` | the kind of thing that a question wants, and whether a text holds one |
//! | `figure` | figures that may answer a question for one |
//! | `field_question` | questions that a header field answers, and the fields that do |
//! | `premise` | what a question takes for granted, and fields that say the opposite |
//! | `favoured` | passages with the wanted figure or date before others |
//! | `named_thing` | whose value a passage gives |

pub mod favoured;
pub mod field_question;
mod figure;
pub mod named_thing;
pub mod premise;
pub mod wanted;
