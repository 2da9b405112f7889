//! The language of a report: that of its question.

pub(crate) use crate::language::detect;
