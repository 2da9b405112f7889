//! What is known of human languages: the one place with words of them, and with rules about scripts and words.
//!
//! The ground floor: it imports no other crate of ours. Each file owns one fact, as a table with one row per language; other crates
//! ask by functions and never see a list. A word that is something else in another language is marked in its row (`table`): it counts only
//! in a text of its own language, so that the Spanish eleven is no number in "once a year".
//!
//! ```
//! use precis_language::detect;
//!
//! assert_eq!(detect("Wann wurde die Brücke über den Fluss gebaut?").tag, "de");
//! assert_eq!(detect("When was the bridge over the river built?").tag, "en");
//! ```
//!
//! | file | the fact |
//! | --- | --- |
//! | `tag` | the languages |
//! | `script` | the script of a character; which scripts have no spaces between words |
//! | `words` | the words of a text |
//! | `detect`, `asking_words` | the language of a text, and the words by which short questions show it |
//! | `table` | rows of words, and how they are looked up |
//! | `function_words` | the commonest words |
//! | `negation`, `nothing` | words and parts of words that deny; those that deny their whole clause |
//! | `limiting` | words that exclude, except, forbid or set a condition |
//! | `quantifier` | all, some, only |
//! | `unit`, `scale` | units of measure and money; thousand, million |
//! | `number_words` | numbers and amounts in words |
//! | `attached` | words that are written together with the word behind them |
//! | `calendar` | months, days of the week, words for a time |
//! | `question_words`, `question_shape` | words that ask, and what they ask for; words that join, open and narrow questions |
//! | `comparing`, `definition`, `amount`, `history` | words around comparisons, definitions, quantities and events |
//! | `circumstance` | bounds, times, approximation, attribution, reasons |
//! | `citation_word` | words before the number of a citation |
//! | `aggregate` | words that ask for something computed over rows |
//! | `labels` | the fixed texts of a report |
//! | `overview` | questions for an overview of documents |
//! | `permission` | words that allow and words that forbid |
//! | `measure` | what figures measure, by unit and by the words that ask |
//! | `header_field` | names of header fields, and words that ask for them |
//! | `polar_question` | questions for yes or no |
//! | `relation`, `status`, `version` | words about documents: what they replace, whether they hold, which version |
//! | `related` | labels above links to other articles |
//! | `abbreviation`, `opener`, `heading` | stops that end no sentence, words that open one, words of headings and labels |
//! | `placeholder` | titles and names that programs write where nobody gave one |
//! | `inflection` | forms of one word that do not share their letters |
//! | `index_words` | the function words that no index term is; part of the digest format |
//! | `sets` | short forms for sets of words |

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read, wait and print"))]

pub mod abbreviation;
pub mod aggregate;
pub mod amount;
mod asking_words;
pub mod attached;
pub mod calendar;
pub mod circumstance;
pub mod citation_word;
pub mod comparing;
pub mod definition;
mod detect;
mod function_words;
pub mod header_field;
pub mod heading;
pub mod history;
pub mod index_words;
pub mod inflection;
pub mod labels;
pub mod limiting;
pub mod measure;
pub mod negation;
pub mod nothing;
pub mod number_words;
#[cfg(test)]
mod only_here;
pub mod opener;
pub mod overview;
pub mod permission;
pub mod placeholder;
pub mod polar_question;
pub mod quantifier;
pub mod question_shape;
pub mod question_words;
pub mod related;
pub mod relation;
pub mod scale;
pub mod script;
mod sets;
pub mod silence;
pub mod status;
mod table;
mod tag;
pub mod unit;
pub mod version;
pub mod words;

pub use detect::{TextLanguage, detect};
pub use function_words::is_function_word;
pub use table::FoundWord;
pub use tag::Language;
