//! What a question asks: the one room that knows.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `analysis`, `clause` | its kind and parts |
//! | `entity`, `field` | the things a text names, and the fields at the head of a document |
//! | `relation`, `named_field` | relations between documents, asked for and stated |
//! | `own_identifier` | the identifier of a document |
//! | `history` | whether it asks how something came about |
//! | `comparing_words`, `elements`, `aspect` | whether it compares, which things, and in which aspect |
//! | `query`, `definition` | the question as weighted terms; questions for a definition |
//! | `asked`, `asking_words` | the kind of answer it asks for, and the words that show it |
//! | `said_time` | whether a text tells a time |
//! | `asked_quantity` | questions for the amount of something, and the sentences that state it |
//! | `follow_up` | the words that a question inherits from the conversation |
//! | `normal_query` | normalized queries, for comparison |

pub mod analysis;
pub mod asked;
pub mod asked_quantity;
pub mod asking_words;
pub mod aspect;
pub mod clause;
pub mod comparing_words;
pub mod definition;
pub mod elements;
pub mod entity;
pub mod field;
pub mod follow_up;
pub mod history;
pub mod named_field;
pub mod normal_query;
pub mod own_identifier;
pub mod query;
pub mod relation;
mod said_time;
