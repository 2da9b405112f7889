//! Flags that set attributes of single documents: protection, quality and publication date.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use precis_proto::Timestamp;
use precis_proto::source::Quality;

use super::source::{DocumentAttributes, InputOrigin, InputSource};
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal::printable;

/// Flags that set attributes of documents. A PATH is a document, or a folder for all documents in it.
#[derive(Debug, Clone, Default, Args)]
pub struct KnownArgs {
    /// Protect a document, or a folder of documents: it stays in the evidence, with at least a headline, as long as the budget allows
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub protect: Vec<PathBuf>,
    /// Trust in a document, or a folder of documents: low, medium or high
    #[arg(long, value_name = "PATH=QUALITY")]
    pub quality: Vec<String>,
    /// Publication date of a document, or a folder of documents, such as 2026-01-31
    #[arg(long, value_name = "PATH=DATE")]
    pub date: Vec<String>,
}

impl KnownArgs {
    /// Sets the attributes of the documents in `sources` that the flags name.
    ///
    /// # Errors
    /// [`Exit::Usage`] for an invalid flag, or one whose path matches no document in `sources`.
    pub fn apply(&self, sources: &mut [InputSource]) -> Result<(), CommandFailure> {
        for path in &self.protect {
            each(sources, ("--protect", path), |known| known.protected = true)?;
        }
        for flag in &self.quality {
            let (path, value) = split_pair("--quality", flag)?;
            let quality = match value {
                "low" => Quality::Low,
                "medium" => Quality::Medium,
                "high" => Quality::High,
                _ => {
                    return Err(usage(format!("--quality {flag}: expected low, medium or high, got `{value}`")));
                }
            };
            each(sources, ("--quality", path), |known| known.quality = quality)?;
        }
        for flag in &self.date {
            let (path, value) = split_pair("--date", flag)?;
            let at = serde_json::from_value(serde_json::Value::String(format!("{value}T00:00:00Z")));
            let at: Timestamp =
                at.map_err(|_| usage(format!("--date {flag}: expected a date such as 2026-01-31, got `{value}`")))?;
            each(sources, ("--date", path), |known| known.published_at = Some(at))?;
        }
        Ok(())
    }
}

/// Splits `PATH=VALUE` at the last `=`, since a path may contain one.
fn split_pair<'s>(flag: &str, pair: &'s str) -> Result<(&'s Path, &'s str), CommandFailure> {
    let parts = pair.rsplit_once('=').filter(|(path, _)| !path.is_empty());
    let (path, value) = parts.ok_or_else(|| usage(format!("{flag} {pair}: expected {flag} PATH=VALUE")))?;
    Ok((Path::new(path), value))
}

fn each(
    sources: &mut [InputSource],
    (flag, path): (&str, &Path),
    set: impl Fn(&mut DocumentAttributes),
) -> Result<(), CommandFailure> {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let wanted = whole(path);
    let mut found = false;
    for source in sources {
        let is_meant = match &source.origin {
            InputOrigin::File { path, .. } => whole(path).starts_with(&wanted),
            InputOrigin::Url(url) => Some(url.as_str()) == path.to_str(),
        };
        if is_meant {
            set(&mut source.known);
            found = true;
        }
    }
    let message = format!("{flag} {}: none of the given documents has this path", path.display());
    if found { Ok(()) } else { Err(usage(message)) }
}

fn usage(message: String) -> CommandFailure {
    CommandFailure::new(Exit::Usage, "invalid_usage", printable(&message))
        .with_remedy("use the path of a given document or folder: precis run \"Why?\" papers/ --protect papers/a.pdf")
}

#[cfg(test)]
mod tests {
    use precis_proto::source::ContentRef;

    use super::*;
    use crate::report::sample::id;

    fn source(path: &str) -> InputSource {
        let origin = InputOrigin::File { path: PathBuf::from(path), content: ContentRef::from_bytes(b"text") };
        let (title, content_type) = (path.to_owned(), None);
        InputSource { source_id: id("a"), title, origin, url: None, content_type, known: DocumentAttributes::default() }
    }

    #[test]
    fn a_flag_speaks_of_a_document_or_of_all_in_a_folder() {
        let mut sources = [source("/in/papers/a.pdf"), source("/in/papers/b=c.pdf"), source("/in/other.txt")];
        let args = KnownArgs {
            protect: vec![PathBuf::from("/in/papers/a.pdf")],
            quality: vec!["/in/papers=high".to_owned(), "/in/papers/b=c.pdf=low".to_owned()],
            date: vec!["/in/other.txt=2026-01-31".to_owned()],
        };
        args.apply(&mut sources).expect("is understood");
        let found = sources.each_ref().map(|s| (s.known.protected, s.known.quality, s.known.published_at.is_some()));
        assert_eq!(found, [(true, Quality::High, false), (false, Quality::Low, false), (false, Quality::Medium, true)]);
    }

    #[test]
    fn what_is_not_understood_is_refused_with_what_was_found_and_expected() {
        let quality = |pair: &str| KnownArgs { quality: vec![pair.to_owned()], ..KnownArgs::default() };
        let date = |pair: &str| KnownArgs { date: vec![pair.to_owned()], ..KnownArgs::default() };
        let protect = |path: &str| KnownArgs { protect: vec![PathBuf::from(path)], ..KnownArgs::default() };
        for (args, words) in [
            (quality("/in/a.pdf=best"), "expected low, medium or high, got `best`"),
            (quality("high"), "expected --quality PATH=VALUE"),
            (date("/in/a.pdf=31.1.2026"), "expected a date such as 2026-01-31, got `31.1.2026`"),
            (protect("/in/b.pdf"), "none of the given documents has this path"),
        ] {
            let failure = args.apply(&mut [source("/in/a.pdf")]).expect_err(words);
            assert!(failure.message.contains(words), "{}", failure.message);
            assert_eq!(failure.exit, Exit::Usage);
        }
    }
}
