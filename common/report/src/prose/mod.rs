//! What can be compared in prose without understanding it, and does most harm if it is wrong: words in quotation marks, and numbers.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `quoted` | the words in quotation marks of a text, and whether they occur in another |
//! | `figures` | the numbers of a text, in any of the usual notations |

pub(crate) mod figures;
pub(crate) mod quoted;
