//! What is known of human languages: the one place with words of them, and with rules about scripts and words.
//!
//! The room is the floor of the crate: it imports nothing of it. Each file owns one fact, as a table with one row per language; other rooms
//! ask by functions and never see a list. A word that is something else in another language is marked in its row (`table`): it counts only
//! in a text of its own language, so that the Spanish eleven is no number in "once a year".
//!
//! | file | the fact |
//! | --- | --- |
//! | `tag` | the languages |
//! | `script` | the script of a character; which scripts have no spaces between words |
//! | `words` | the words of a text |
//! | `detect` | the language of a text |
//! | `table` | rows of words, and how they are looked up |
//! | `function_words` | the commonest words |
//! | `negation` | words and parts of words that deny |
//! | `quantifier` | all, some, only |
//! | `unit`, `scale` | units of measure and money; thousand, million |
//! | `number_words` | numbers and amounts in words |
//! | `calendar` | months, days of the week, words for a time |
//! | `question_words`, `question_shape` | words that ask, and what they ask for; words that join, open and narrow questions |
//! | `comparing`, `definition`, `amount`, `history` | words around comparisons, definitions, quantities and events |
//! | `circumstance` | bounds, times, approximation, attribution, reasons |
//! | `relation`, `status`, `version` | words about documents: what they replace, whether they hold, which version |
//! | `abbreviation`, `opener`, `heading` | stops that end no sentence, words that open one, words of headings and labels |
//! | `index_words` | the function words that no index term is; part of the digest format |
//! | `sets` | short forms for sets of words |

pub(crate) mod abbreviation;
pub(crate) mod amount;
pub(crate) mod calendar;
pub(crate) mod circumstance;
pub(crate) mod comparing;
pub(crate) mod definition;
mod detect;
mod function_words;
pub(crate) mod heading;
pub(crate) mod history;
pub(crate) mod index_words;
pub(crate) mod negation;
pub(crate) mod number_words;
#[cfg(test)]
mod only_here;
pub(crate) mod opener;
pub(crate) mod quantifier;
pub(crate) mod question_shape;
pub(crate) mod question_words;
pub(crate) mod relation;
pub(crate) mod scale;
pub(crate) mod script;
mod sets;
pub(crate) mod status;
mod table;
mod tag;
pub(crate) mod unit;
pub(crate) mod version;
pub(crate) mod words;

pub(crate) use detect::{TextLanguage, detect};
pub(crate) use function_words::is_function_word;
pub(crate) use table::FoundWord;
pub(crate) use tag::Language;
