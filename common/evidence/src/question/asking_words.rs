//! The kind of answer a question asks for, by its words.

pub use precis_language::question_words::AnswerKind;
