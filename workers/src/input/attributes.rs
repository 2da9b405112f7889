//! What the command line says of single documents beside their bytes: protected, how trusted, how old.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use precis_proto::Timestamp;
use precis_proto::source::Quality;

use super::source::{DocumentAttributes, InputOrigin, InputSource};
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal::printable;

/// Flags about documents. A PATH is a document, or a folder for all documents in it.
#[derive(Debug, Clone, Default, Args)]
pub struct KnownArgs {
    /// A document, or a folder of them, that is not left out of the evidence, nor cut below a headline, while the budget allows it
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub protect: Vec<PathBuf>,
    /// How far a document, or a folder of them, is trusted: low, medium or high
    #[arg(long, value_name = "PATH=QUALITY")]
    pub quality: Vec<String>,
    /// When a document, or a folder of them, was published: 2026-01-31
    #[arg(long, value_name = "PATH=DATE")]
    pub date: Vec<String>,
}

impl KnownArgs {
    /// Writes what the flags say into `sources`.
    ///
    /// # Errors
    /// [`Exit::Usage`] for a flag that cannot be read, or that speaks of no document among `sources`.
    pub fn apply(&self, sources: &mut [InputSource]) -> Result<(), CommandFailure> {
        for path in &self.protect {
            each(sources, ("--protect", path), |known| known.protected = true)?;
        }
        for said in &self.quality {
            let (path, value) = parted("--quality", said)?;
            let quality = match value {
                "low" => Quality::Low,
                "medium" => Quality::Medium,
                "high" => Quality::High,
                _ => {
                    return Err(usage(format!("--quality {said}: `{value}` is no quality; it is low, medium or high")));
                }
            };
            each(sources, ("--quality", path), |known| known.quality = quality)?;
        }
        for said in &self.date {
            let (path, value) = parted("--date", said)?;
            let at = serde_json::from_value(serde_json::Value::String(format!("{value}T00:00:00Z")));
            let at: Timestamp =
                at.map_err(|_| usage(format!("--date {said}: `{value}` is no date; one is written 2026-01-31")))?;
            each(sources, ("--date", path), |known| known.published_at = Some(at))?;
        }
        Ok(())
    }
}

/// The path and the value of `PATH=VALUE`; a path may hold a `=`.
fn parted<'s>(flag: &str, said: &'s str) -> Result<(&'s Path, &'s str), CommandFailure> {
    let parts = said.rsplit_once('=').filter(|(path, _)| !path.is_empty());
    let (path, value) = parts.ok_or_else(|| usage(format!("{flag} {said}: found no `=`; it is {flag} PATH=VALUE")))?;
    Ok((Path::new(path), value))
}

fn each(
    sources: &mut [InputSource],
    (flag, path): (&str, &Path),
    say: impl Fn(&mut DocumentAttributes),
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
            say(&mut source.known);
            found = true;
        }
    }
    let message = format!("{flag} {}: no document that is given lies there", path.display());
    if found { Ok(()) } else { Err(usage(message)) }
}

fn usage(message: String) -> CommandFailure {
    CommandFailure::new(Exit::Usage, "invalid_usage", printable(&message))
        .with_remedy("name a document or folder as it is given: precis run \"Why?\" papers/ --protect papers/a.pdf")
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
        let quality = |said: &str| KnownArgs { quality: vec![said.to_owned()], ..KnownArgs::default() };
        let date = |said: &str| KnownArgs { date: vec![said.to_owned()], ..KnownArgs::default() };
        let protect = |path: &str| KnownArgs { protect: vec![PathBuf::from(path)], ..KnownArgs::default() };
        for (args, words) in [
            (quality("/in/a.pdf=best"), "`best` is no quality; it is low, medium or high"),
            (quality("high"), "found no `=`; it is --quality PATH=VALUE"),
            (date("/in/a.pdf=31.1.2026"), "`31.1.2026` is no date; one is written 2026-01-31"),
            (protect("/in/b.pdf"), "no document that is given lies there"),
        ] {
            let failure = args.apply(&mut [source("/in/a.pdf")]).expect_err(words);
            assert!(failure.message.contains(words), "{}", failure.message);
            assert_eq!(failure.exit, Exit::Usage);
        }
    }
}
