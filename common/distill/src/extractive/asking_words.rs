//! The kind of answer a question asks for, by its words.

pub(crate) use crate::language::question_words::AnswerKind;
