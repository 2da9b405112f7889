//! `precis corpus status`.

use std::time::UNIX_EPOCH;

use precis_corpus::{Corpus, FileOutcome, FileRow, IndexPlace};
use precis_proto::meaning::read_meaning_key;
use precis_runtime::clock::unix_time;
use serde_json::json;

use super::args::StatusArgs;
use super::place::open;
use crate::cli::exit::CommandFailure;
use crate::cli::numbers::group_digits;
use crate::cli::terminal::printable;

/// Most files of a kind listed in the text output; JSON lists all of them.
const LISTED: usize = 20;

/// Returns what is indexed, as text or JSON.
pub(super) fn status(args: &StatusArgs) -> Result<String, CommandFailure> {
    let (_, place, corpus) = open(&args.config, &args.dir)?;
    Ok(if args.json { as_json(&place, &corpus) } else { as_text(&place, &corpus) })
}

fn failures(corpus: &Corpus) -> Vec<(&FileRow, &str, &str)> {
    let failed = corpus.files().filter_map(|row| match &row.outcome {
        FileOutcome::Failed { code, message, .. } => Some((row, code.as_str(), message.as_str())),
        FileOutcome::Read(_) => None,
    });
    failed.collect()
}

/// The files of which the limits of reading left something out, with the characters kept and left out.
fn cut(corpus: &Corpus) -> Vec<(&FileRow, u64, u64)> {
    let cut = corpus.files().filter_map(|row| match &row.outcome {
        FileOutcome::Read(read) if read.chars_cut > 0 => Some((row, read.chars, read.chars_cut)),
        FileOutcome::Read(_) | FileOutcome::Failed { .. } => None,
    });
    cut.collect()
}

/// Returns the age of the index, in seconds.
fn age(corpus: &Corpus) -> u64 {
    let published = corpus.publish_time().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    published.map_or(0, |at| unix_time().saturating_sub(at).as_secs())
}

fn as_json(place: &IndexPlace, corpus: &Corpus) -> String {
    let failed = failures(corpus);
    let row = |(row, code, message): &(&FileRow, &str, &str)| json!({ "path": row.stamp.path, "code": code, "message": message });
    let part = |(row, kept, left_out): &(&FileRow, u64, u64)| json!({ "path": row.stamp.path, "chars": kept, "chars_left_out": left_out });
    let value = json!({
        "folder": place.folder().display().to_string(),
        "index": corpus.size(),
        "text_bytes": corpus.text_bytes(),
        "files": corpus.files().count(),
        "duplicates": corpus.files().count() - failed.len() - corpus.size().documents,
        "age_seconds": age(corpus),
        "meaning": corpus.compared_by().map(|(model, documents)| json!({ "model": model, "documents": documents })),
        "manifest": corpus.manifest_hash().to_string(),
        "failed": failed.iter().map(row).collect::<Vec<_>>(),
        "read_in_part": cut(corpus).iter().map(part).collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}

fn as_text(place: &IndexPlace, corpus: &Corpus) -> String {
    let (size, failed) = (corpus.size(), failures(corpus));
    let files = corpus.files().count();
    let mut text = format!(
        "{}\n  {} files, {} documents, {} passages\n  index {}, texts {}, updated {} ago\n",
        place.folder().display(),
        group_digits(files as u64),
        group_digits(size.documents as u64),
        group_digits(size.chunks as u64),
        megabytes(size.bytes),
        megabytes(corpus.text_bytes()),
        duration(age(corpus)),
    );
    if let Some((model, documents)) = corpus.compared_by() {
        let (documents, all) = (group_digits(documents as u64), group_digits(size.documents as u64));
        let (sha256, server) = read_meaning_key(model);
        let by = match server {
            Some(server) => format!("{} of a server, not reproducible", server.model),
            None => sha256[..sha256.len().min(12)].to_owned(),
        };
        text.push_str(&format!("  vectors of {documents} of {all} documents, by the model {by}\n"));
    }
    if !failed.is_empty() {
        text.push_str(&format!("\nNot readable (read again once they change): {}\n", failed.len()));
    }
    let name = |row: &FileRow| row.stamp.path.replace('\n', "\u{fffd}");
    list(&mut text, failed.iter().map(|(row, code, message)| format!("{}: {message} ({code})", name(row))));
    let cut = cut(corpus);
    if !cut.is_empty() {
        text.push_str(&format!("\nRead in part (`max_document_chars`, `max_document_pages`): {}\n", cut.len()));
    }
    let kept = |(row, kept, left_out): &(&FileRow, u64, u64)| {
        format!("{}: the first {} of {} characters", name(row), group_digits(*kept), group_digits(kept + left_out))
    };
    list(&mut text, cut.iter().map(kept));
    printable(&text)
}

/// Adds one line for each of the first [`LISTED`] `lines`, and one with the number of the others.
fn list(text: &mut String, lines: impl ExactSizeIterator<Item = String>) {
    let more = lines.len().saturating_sub(LISTED);
    for line in lines.take(LISTED) {
        text.push_str(&format!("  {line}\n"));
    }
    if more > 0 {
        text.push_str(&format!("  and {more} more; --json lists all of them\n"));
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

fn duration(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_shown_in_the_unit_that_fits() {
        for (seconds, said) in [
            (0, "0 s"),
            (119, "119 s"),
            (120, "2 min"),
            (7_199, "119 min"),
            (7_200, "2 h"),
            (172_799, "47 h"),
            (172_800, "2 days"),
        ] {
            assert_eq!(duration(seconds), said);
        }
    }
}
