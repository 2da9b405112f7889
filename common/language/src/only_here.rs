//! Tests that words of human languages stand in no other place of the workspace.
//!
//! A list is four or more short literals one after another, or one literal of six or more words, all in lower case, that name something a
//! table of this room knows, or have letters that English lacks.

use std::path::{Path, PathBuf};

use super::calendar::{is_month_name, is_weekday};
use super::function_words::is_function_word;
use super::negation::is_negation;
use super::number_words::number;
use super::quantifier::quantifier;
use super::question_words::is_question_word;
use super::script::is_mark;
use super::tag::Language;

/// Least literals of a list, and least words of a literal that is one.
const LEAST_LITERALS: usize = 4;
const LEAST_WORDS: usize = 6;
/// Most characters and words of an entry of a list.
const MOST_CHARS: usize = 24;
const MOST_WORDS: usize = 3;
/// Words of a list that a table must know if none has letters that English lacks; one may be a keyword.
const LEAST_KNOWN: usize = 2;

/// Files with a list that is none of this room's facts, each with the reason.
const ELSEWHERE: [(&str, &str); 7] = [
    ("common/text/src/terms/fold.rs", "articles that no index term has; part of the digest format"),
    ("common/text/src/terms/forms.rs", "endings of words, by which terms are likened"),
    ("common/extract/src/html/element_names.rs", "parts of class names that authors of style sheets write in English"),
    ("common/extract/src/markdown/dialects/expression.rs", "operators of template languages, which are English words"),
    ("common/extract/src/html/selector.rs", "names of pseudo-classes of CSS, of which `not` and `is` are words too"),
    ("common/runtime/src/model/excerpt.rs", "words of error messages of providers that may be logged"),
    ("common/runtime/src/search/arxiv.rs", "words that the index of arXiv ignores; the runtime knows no language"),
];

/// A string literal of a source.
struct Literal {
    line: usize,
    text: String,
    /// The code between the literal before and this one, without comments and white space.
    before: String,
}

/// The literals of `source` in front of its unit tests.
fn literals(source: &str) -> Vec<Literal> {
    let source = source.split("\n#[cfg(test)]\nmod tests").next().unwrap_or(source);
    let mut found = Vec::new();
    let (mut line, mut before) = (1, String::new());
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let used = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("'\"'") {
            3
        } else if c == '"' {
            let length = literal_length(&rest[1..]);
            let text = rest[1..=length].replace("\\\n", " ");
            found.push(Literal { line, text, before: std::mem::take(&mut before) });
            length + 2
        } else {
            before.extend((!c.is_whitespace()).then_some(c));
            c.len_utf8()
        };
        let used = used.min(rest.len());
        line += rest[..used].matches('\n').count();
        rest = &rest[used..];
    }
    found
}

/// Bytes up to the quotation mark that ends a literal.
fn literal_length(inside: &str) -> usize {
    let mut is_escaped = false;
    let end = inside.find(|c: char| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    end.unwrap_or(inside.len().saturating_sub(1))
}

/// The lists of words of `source`, each with the line it begins in.
fn lists(source: &str) -> Vec<(usize, Vec<String>)> {
    let mut found: Vec<(usize, Vec<String>)> = Vec::new();
    let mut open: (usize, Vec<String>) = (0, Vec::new());
    for Literal { line, text, before } in literals(source) {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let is_constant = before.ends_with("&str=") || before.ends_with("words(");
        if words.len() >= LEAST_WORDS && is_constant && is_word_list(&words, words.len() / 2) {
            found.push((line, words));
        }
        if !before.chars().all(|c| matches!(c, ',' | '|' | '&' | '[')) {
            found.extend(Some(std::mem::take(&mut open)).filter(|list| is_word_list(&list.1, LEAST_KNOWN)));
            open.0 = line;
        }
        open.1.push(text);
    }
    found.extend(Some(open).filter(|list| is_word_list(&list.1, LEAST_KNOWN)));
    found
}

/// Whether `words` are a list of words of human languages: some have letters that English lacks, or tables know at least `known` of them.
fn is_word_list(words: &[String], known: usize) -> bool {
    let is_lower =
        |c: char| (c.is_alphabetic() && !c.is_uppercase()) || is_mark(c) || matches!(c, ' ' | '\'' | '’' | '-');
    let is_entry = |word: &String| {
        let is_short = word.chars().count() <= MOST_CHARS && word.split(' ').count() <= MOST_WORDS;
        !word.is_empty() && is_short && word.chars().all(is_lower)
    };
    let foreign = words.iter().filter(|word| word.chars().any(|c| c.is_alphabetic() && !c.is_ascii())).count();
    words.len() >= LEAST_LITERALS
        && words.iter().all(is_entry)
        && (foreign > 0 || words.iter().filter(|word| is_known(word)).count() >= known)
}

/// Whether a table knows `word` as a word of a language.
fn is_known(word: &str) -> bool {
    let languages = [Language::En, Language::De, Language::Fr, Language::Es];
    is_negation(word, None)
        || is_month_name(word)
        || is_weekday(word, None)
        || is_question_word(word)
        || number(word, None).is_some()
        || quantifier(word, None).is_some()
        || languages.into_iter().any(|language| word.len() > 1 && is_function_word(word, Some(language)))
}

/// The Rust sources of the product below `folder` that are no tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    let of_tests: String =
        entries.iter().filter(|path| path.extension().is_some_and(|end| end == "rs")).map(|path| read(path)).collect();
    let is_test = |path: &Path| {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        stem == "tests"
            || of_tests.contains(&format!("#[cfg(test)]\nmod {stem};"))
            || of_tests.contains(&format!("#[cfg(test)]\npub(crate) mod {stem};"))
    };
    for path in entries.iter().filter(|path| !is_test(path)) {
        if path.is_dir() {
            sources(path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path.clone());
        }
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a text")
}

#[test]
fn no_other_file_has_a_list_of_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["common", "workers", "proto"] {
        sources(&root.join(folder), &mut files);
    }
    assert!(files.len() > 500, "only {} sources were read", files.len());
    let (mut wrong, mut used) = (Vec::new(), Vec::new());
    for file in &files {
        let name = file.strip_prefix(&root).expect("below the root").to_string_lossy().into_owned();
        if name.starts_with("common/language/src/") {
            continue;
        }
        for (line, words) in lists(&read(file)) {
            match ELSEWHERE.iter().find(|(allowed, _)| *allowed == name) {
                Some((allowed, _)) => used.push(*allowed),
                None => wrong.push(format!("{name}:{line}: {}", words.join(" "))),
            }
        }
    }
    assert!(wrong.is_empty(), "words of languages belong in common/language/src/, found\n{}", wrong.join("\n"));
    let unused: Vec<&str> = ELSEWHERE.iter().map(|(name, _)| *name).filter(|name| !used.contains(name)).collect();
    assert!(unused.is_empty(), "these files have no list any more; remove their exceptions: {unused:?}");
}

#[test]
fn a_list_differs_from_messages_and_keywords() {
    for (source, want) in [
        ("static A: WordList = words(\"not never nicht nie kein ohne\");", true),
        ("const A: [&str; 4] = [\"january\", \"february\", \"march\", \"april\"];", true),
        ("const A: [&str; 4] = [\n    \"nicht\",\n    \"über\",\n    \"haus\",\n    \"kein\",\n];", true),
        ("matches!(word, \"of\" | \"von\" | \"de\" | \"des\")", true),
        ("const A: [&str; 4] = [\"png\", \"jpg\", \"gif\", \"svg\"];", false),
        ("const A: [&str; 3] = [\"not\", \"nicht\", \"pas\"];", false),
        ("return error(\"the search provider did not answer in time\");", false),
        ("// \"not\", \"nicht\", \"pas\", \"nie\"", false),
        (
            "fn a() {}\n#[cfg(test)]\nmod tests {\n    const A: [&str; 4] = [\"not\", \"nicht\", \"pas\", \"nie\"];\n}",
            false,
        ),
    ] {
        assert_eq!(!lists(source).is_empty(), want, "{source}");
    }
}
