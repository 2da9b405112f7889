//! How often each ranking finds the passage that answers a question, by language and kind of question:
//!
//! ```text
//! cargo run -p precis-bench --bin evidence -- [FOLDER] [--first | --missed | --export] [--model=NAME]
//! ```
//!
//! FOLDER holds a labelled set [default: tests/fixtures/evidence]. `--first` counts
//! only what is ranked first; `--model` adds a column for bm25 with a model that `precis model list` shows; `--missed` lists the questions each ranking fails; `--export`
//! prints the terms of all passages and questions as JSON lines, which `compare.py` beside the set ranks with a BM25 of others.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use precis_evidence::meaning::Sense;
use precis_runtime::config::MeaningKeys;
use precis_tests::evidence::recall::{AT, Figures, Method, measure, measure_sensed};
use precis_tests::evidence::set::{Kind, Language, folder, read};
use precis_tests::evidence::{export, recall};
use precis_workers::meaning::LoadedModel;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| args.iter().any(|arg| arg == name);
    let named = args.iter().find(|arg| !arg.starts_with("--")).map_or_else(folder, PathBuf::from);
    match read(&named) {
        Ok(set) if flag("--export") => export::lines(&set).iter().for_each(|line| println!("{line}")),
        Ok(set) if flag("--missed") => missed(&set),
        Ok(set) => print(&set, if flag("--first") { 1 } else { AT }, model(&args).as_deref()),
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn model(args: &[String]) -> Option<Arc<LoadedModel>> {
    let name = args.iter().find_map(|arg| arg.strip_prefix("--model="))?;
    let keys = MeaningKeys { model: name.to_owned(), ..MeaningKeys::default() };
    LoadedModel::from_keys(&keys).expect("a model that `precis model list` shows")
}

fn print(set: &[Language], at: usize, model: Option<&LoadedModel>) {
    let mut figures: Vec<Figures> = Method::ALL.map(|method| measure(set, method, at)).to_vec();
    print!("recall@{at}");
    Method::ALL.iter().for_each(|method| print!("{:>16}", method.name()));
    if let Some(meaning) = model {
        print!("{:>16}", "bm25 + meaning");
        figures.push(measure_sensed(set, Sense { meaning, passages: 100 }, at));
    }
    println!();
    for language in set.iter().map(|language| language.language.as_str()).chain(["all"]) {
        for kind in Kind::ALL {
            print!("{:<9}", format!("{language} {kind}"));
            for figures in &figures {
                let found = figures.get(&(language.to_owned(), kind)).copied().unwrap_or_default();
                print!("{:>16}", format!("{:.2} ({}/{})", found.recall(), found.found, found.asked));
            }
            println!();
        }
    }
}

fn missed(set: &[Language]) {
    for method in Method::ALL {
        for (question, language) in recall::missed(set, method) {
            println!("{:<14}{language}  {question}", method.name());
        }
    }
}
