//! A mismatch in words.

use std::fmt;

use precis_proto::FieldPlace;

use super::Mismatch;

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { message } => write!(f, "the file is not a report: {message}"),
            Self::Version { found } => {
                write!(f, "meta.version is {found:?}, not \"{}\"", precis_proto::response::RESPONSE_VERSION)
            }
            Self::NoReport => write!(f, "the response contains no report"),
            Self::NotArchived { hex } => write!(f, "archived text {hex} is not in the archive"),
            Self::TextHash { hex, actual } => write!(f, "archived text {hex}: its bytes hash to {actual}"),
            Self::CitationSource { n, source_id } => {
                write!(f, "citation {n}: its text hash differs from that of source {:?}", source_id.as_str())
            }
            Self::NoPlace { n, locator } => write!(f, "citation {n} {locator}: the archived text has no such place"),
            Self::Text { n, locator, archived, reported } => {
                write!(
                    f,
                    "citation {n} {locator}: archived text reads \"{archived}\", but the report says \"{reported}\""
                )
            }
            Self::AnswerOutside { n, locator } => {
                write!(f, "citation {n}: the answer {locator} is not within its quote or the context of it")
            }
            Self::WithoutLeadIn { n, locator, missing } => {
                write!(f, "citation {n} {locator}: the quote stands without \"{missing}\", which turns its meaning")
            }
            Self::NotAtCell { n, locator } => {
                write!(f, "citation {n}: the head of a column {locator} does not stand in front of a cell of the quote")
            }
            Self::Computed { n } => write!(f, "computed answer {n}: it does not follow from the cells it rests on"),
            Self::ComputedCell { n, locator } => {
                write!(f, "computed answer {n} {locator}: the archived text has no such cell there")
            }
            Self::HeadingNotAbove { n, locator, heading } => {
                write!(f, "citation {n} {locator}: the archived text has no heading {heading:?} above it")
            }
            Self::FieldPlace { n, locator, archived } => {
                let found = match archived {
                    Some(FieldPlace::Properties) => "in the properties of its file",
                    Some(FieldPlace::Metadata) => "in the metadata of its page",
                    Some(FieldPlace::FrontMatter) | None => "in the text of its document",
                };
                write!(f, "citation {n} {locator}: the quote is {found}, which the citation does not say")
            }
            Self::Recognized { n, locator, archived } => {
                let found = match archived {
                    Some(by) => format!("was recognized in a picture by {:?}", by.engine),
                    None => "is text that its document has".to_owned(),
                };
                write!(f, "citation {n} {locator}: the quote {found}, which the citation does not say")
            }
            Self::CodeLines { n, locator } => {
                write!(f, "citation {n} {locator}: the lines of the quoted code are not those of the archived text")
            }
            Self::NoCitation { n } => write!(f, "the report cites [{n}], which is not among its citations"),
            Self::Unused { n } => write!(f, "citation {n}: not used in the report"),
            Self::Numbering { n, want } => write!(f, "found citation {n}, expected {want}"),
            Self::Ledger(fault) => fault.fmt(f),
            Self::SourceHash { source_id, said, archived } => {
                let said = said.as_deref().unwrap_or("no hash");
                write!(
                    f,
                    "source {:?}: its row states {said}, the list of archived texts {archived}",
                    source_id.as_str()
                )
            }
            Self::Unaccounted { source_id, phase } => {
                write!(f, "source {:?}: no record of what {phase} did to it", source_id.as_str())
            }
            Self::Record { source_id, phase, fault } => {
                write!(f, "record of {phase} for {:?}: it {fault}", source_id.as_str())
            }
            Self::ListedDropped { source_id } => {
                write!(f, "dropped_content_ids lists {:?}, but no record drops it", source_id.as_str())
            }
            Self::UnlistedDropped { source_id } => {
                write!(f, "dropped_content_ids does not list {:?}, but it was dropped", source_id.as_str())
            }
            Self::NoSeal => write!(f, "the report has no seal"),
            Self::Seal { said, actual } => write!(f, "the seal is {said:?}, but the data seals to {actual:?}"),
            Self::Statement { n, quote, reported } => {
                write!(f, "statement of [{n}]: its quote reads \"{quote}\", but the report says \"{reported}\"")
            }
            Self::Uncited { sentence } => write!(f, "no citation follows \"{sentence}\""),
            Self::CrossesBlock { n, locator } => {
                write!(f, "citation {n} {locator}: the quote runs past the end of its paragraph, item or cell")
            }
            Self::StartsInside { n, locator, before } => {
                write!(f, "citation {n} {locator}: the quote starts inside a sentence, behind \"{before}\"")
            }
            Self::Derived { field } => {
                write!(f, "{field} does not follow from the question and the citations")
            }
            Self::Evaluation { what } => write!(f, "evaluation: {what}"),
            Self::Digest { source_id, fault } => write!(f, "digest of {:?}: {fault}", source_id.as_str()),
            Self::Standing { done, text } => {
                write!(f, "a statement that was {} is still in the report: \"{text}\"", done.as_str())
            }
            Self::Unmarked { verdict, text } => {
                write!(f, "a statement that is {} has no mark: \"{text}\"", verdict.as_str())
            }
            Self::RestsOn { locator, text } => {
                write!(f, "the verdict on \"{text}\" rests on {locator}, but the archived text differs there")
            }
            Self::Unlisted { n, text } => {
                write!(
                    f,
                    "the statement \"{text}\" cites [{n}], but the list of its quotes does not tell what that supports"
                )
            }
            Self::Research { what, said, sum } => {
                write!(f, "research: {what} is {said}, but the other numbers add up to {sum}")
            }
            Self::Rendering { name, line } => {
                write!(f, "{name}: line {line} differs from what report.json renders to")
            }
        }
    }
}
