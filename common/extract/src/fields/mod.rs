//! Header fields: what a document says about itself as name and value, at the top of its text, where readers and searches find it.
//!
//! | file | what it reads |
//! | --- | --- |
//! | `field` | one field as a leaf |
//! | `front_matter` | the block between lines of `---` or `+++` at the top of a text, as fields |
//! | `code_header` | code at the top of a text whose lines are all fields |
//! | `properties` | what programs saved about the file, as fields |
//! | `first_page` | which of that the first page says too |
//! | `made_up` | which of that nobody wrote |
//! | `top` | fields of a form with which a text begins |
//! | `yaml`, `toml_text` | that block in YAML or TOML, as names and values |

mod code_header;
mod field;
mod first_page;
mod front_matter;
mod made_up;
mod properties;
mod toml_text;
mod top;
mod yaml;

pub(super) use code_header::code_header;
pub(super) use field::{MAX_FIELDS, leaf};
pub(super) use front_matter::{FrontMatter, front_matter};
pub(super) use made_up::{day, is_author as is_author_made_up, is_title as is_title_made_up};
pub(super) use properties::{Properties, remark as properties_remark};
pub(super) use top::at_the_top;
