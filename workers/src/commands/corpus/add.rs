//! `precis corpus add`.

use std::cell::RefCell;

use tokio_util::sync::CancellationToken;

use super::args::AddArgs;
use super::place::cache;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::numbers::group_digits;
use crate::cli::progress::{Progress, ProgressMode};
use crate::cli::signals::stop_signal;
use crate::cli::terminal;
use crate::commands::block_on;
use crate::commands::corpus::indexing::{IndexingResult, bring_up_to_date, place_of, vector_model};

/// Indexes a folder and prints one line with the result.
pub(super) fn add(args: &AddArgs) -> Result<Exit, CommandFailure> {
    let (settings, cache) = cache(&args.config)?;
    let place = place_of(&cache, &args.dir)?;
    let model = vector_model(&settings, args.meaning)?;
    let progress = RefCell::new(Progress::new(ProgressMode::choose(args.quiet)));
    let cancel = CancellationToken::new();
    let work = async {
        let show = |step, done, total| progress.borrow_mut().count(step, done, total);
        let work = bring_up_to_date(&place, (&settings, model.as_ref()), &cancel, show);
        let mut work = std::pin::pin!(work);
        tokio::select! {
            done = &mut work => return done,
            () = stop_signal() => cancel.cancel(),
        }
        // Not dropped: the cancelled update ends by itself, with the message on how to go on.
        work.await
    };
    let indexed = block_on(work);
    progress.borrow_mut().clear();
    let indexed = indexed?;
    if !args.quiet {
        if let Some(reason) = &indexed.rebuilt {
            terminal::print_warning(&format!("the index was rebuilt: {reason}"));
        }
        terminal::print(&line(&indexed, &terminal::printable(&args.dir.display().to_string())))?;
    }
    if let Some(why) = indexed.lacking {
        let message = format!("{why}; the index is published, and documents without vectors are found by words");
        return Err(CommandFailure::new(Exit::Failed, "vectors_missing", message)
            .with_remedy("run the command again once the server answers; the vectors that were made are kept"));
    }
    if indexed.summary.documents == 0 {
        let message = "none of the files can be read";
        return Err(CommandFailure::new(Exit::Refused, "no_readable_source", message)
            .with_remedy(format!("run `precis corpus status {}` to see the reasons", args.dir.display())));
    }
    Ok(Exit::Ok)
}

fn line(indexed: &IndexingResult, dir: &str) -> String {
    let summary = &indexed.summary;
    let mut parts = vec![format!("{} documents", group_digits(summary.documents as u64))];
    for (count, label) in [
        (indexed.extracted, "newly read"),
        (summary.removed, "removed or replaced"),
        (summary.compared, "with vectors"),
        (summary.duplicates, "copies of others"),
        (summary.read_in_part, "read in part"),
        (summary.failed, "not readable"),
    ] {
        if count > 0 {
            parts.push(format!("{} {label}", group_digits(count as u64)));
        }
    }
    if !summary.is_changed {
        parts.push("nothing changed".to_owned());
    }
    format!("{dir}: {}\n", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use precis_corpus::UpdateSummary;

    use super::*;

    #[test]
    fn the_line_names_only_what_there_is() {
        let indexed = |summary| IndexingResult { summary, extracted: 0, rebuilt: None, lacking: None };
        let all = UpdateSummary {
            documents: 1_200,
            failed: 3,
            read_in_part: 4,
            duplicates: 2,
            removed: 1,
            is_changed: true,
            ..UpdateSummary::default()
        };
        for (indexed, said) in [
            (
                IndexingResult { extracted: 7, ..indexed(all.clone()) },
                "d: 1,200 documents, 7 newly read, 1 removed or replaced, 2 copies of others, 4 read in part, 3 not readable\n",
            ),
            (indexed(UpdateSummary { documents: 2, ..UpdateSummary::default() }), "d: 2 documents, nothing changed\n"),
        ] {
            assert_eq!(line(&indexed, "d"), said);
        }
    }
}
