//! `precis corpus search`.

use precis_corpus::{CorpusHit, CorpusQuery, Documents, Size};
use precis_evidence::meaning::Meaning;
use serde_json::{Value, json};

use super::args::CorpusSearchArgs;
use super::place::{open, search_model};
use crate::cli::exit::CommandFailure;
use crate::cli::terminal::{print_warning, printable};
use crate::commands::corpus::indexing::corpus_failure;
use crate::commands::{runtime, vectors_alone};
use crate::input::{QueryFrom, read_query};

/// Returns the passages of a folder that match the question, as text or JSON.
pub(super) fn search(args: &CorpusSearchArgs) -> Result<String, CommandFailure> {
    let text = read_query(&QueryFrom::Text(args.query_text().to_owned()))?;
    let (settings, place, corpus) = open(&args.config, &args.dir)?;
    let model = search_model(&settings, &corpus)?;
    // Kept until the search is done: a server of vectors is asked on it.
    let runtime = runtime()?;
    let _within = runtime.enter();
    let working = model.map(|model| vectors_alone::begin(&settings, &model)).transpose()?;
    let meaning = working.as_ref().map(|model| model as &dyn Meaning);
    let query = CorpusQuery { text: &text, limit: args.limit, documents: Documents::All, meaning };
    let hits = corpus.search(&query).map_err(|e| corpus_failure(&e, &place))?;
    if let Some((working, failure)) = working.as_ref().and_then(|working| Some((working, working.failure()?))) {
        let why = vectors_alone::describe_failure(working, &failure);
        print_warning(&format!("{why}; words alone decided"));
    }
    Ok(match args.json {
        true => format!("{}\n", as_json(&hits, corpus.size())),
        false => as_text(&hits),
    })
}

fn as_json(hits: &[CorpusHit], size: Size) -> Value {
    let row = |hit: &CorpusHit| {
        json!({
            "path": hit.path,
            "locator": hit.locator.to_string(),
            "text": hit.text,
            "score": hit.score,
            "unseen": hit.unseen.in_words(),
            "source_text_hash": hit.source_text_hash.to_string(),
        })
    };
    json!({ "hits": hits.iter().map(row).collect::<Vec<_>>(), "index": size })
}

fn as_text(hits: &[CorpusHit]) -> String {
    if hits.is_empty() {
        return "nothing found: the folder contains no word of the question, nor any form of one\n".to_owned();
    }
    let mut text = String::new();
    for (number, hit) in (1..).zip(hits) {
        let above = if hit.headings.is_empty() { String::new() } else { format!("  {}", hit.headings.join(" > ")) };
        let unseen = hit.unseen.in_words().map_or(String::new(), |words| format!("  ({words})"));
        let title = if hit.path.ends_with(&hit.title) { String::new() } else { format!("  {}", hit.title) };
        text.push_str(&format!(
            "{number}. {}  {}  score {:.2}{title}{above}{unseen}\n",
            hit.path, hit.locator, hit.score
        ));
        text.push_str(&format!("   {}\n\n", hit.text.replace('\n', " ")));
    }
    printable(&text)
}
