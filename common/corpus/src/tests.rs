//! Tests of a corpus through its public interface: the results of runs over a folder, whatever happens between them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use precis_proto::BlockKind;
use precis_proto::ids::sha256_hex;
use precis_text::{CanonicalText, Leaf};

use crate::limits::{MAX_HITS, MAX_QUERY_CHARS};
use crate::{
    Corpus, CorpusError, CorpusQuery, Documents, ExtractedText, FileOutcome, FileStamp, IndexPlace, Update,
    UpdateSummary,
};

mod links;
mod skipping;
mod vectors;

/// A folder in memory, and the place of its index.
struct World {
    root: tempfile::TempDir,
    place: IndexPlace,
    /// Text and time of the last change by path.
    files: BTreeMap<String, (String, i64)>,
    /// Files that were extracted by all runs.
    extracted: Vec<String>,
    extraction: &'static str,
}

impl World {
    fn new(files: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().expect("a directory");
        let place = IndexPlace::new(root.path(), &root.path().join("docs")).expect("a place");
        let mut world = Self { root, place, files: BTreeMap::new(), extracted: Vec::new(), extraction: "x" };
        files.iter().for_each(|(path, text)| world.write(path, text));
        world
    }

    fn write(&mut self, path: &str, text: &str) {
        let time = self.files.values().map(|(_, time)| *time).max().unwrap_or_default() + 1;
        self.files.insert(path.to_owned(), (text.to_owned(), time));
    }

    fn rename(&mut self, from: &str, to: &str) {
        let file = self.files.remove(from).expect("there");
        self.files.insert(to.to_owned(), file);
    }

    /// Says what every file is, as a run over the folder does.
    fn fill(&mut self, update: &mut Update) {
        for (path, (text, mtime_ns)) in &self.files {
            let stamp = FileStamp { path: path.clone(), size: text.len() as u64, mtime_ns: *mtime_ns };
            let sha256 = sha256_hex(text.as_bytes());
            if update.keep(&stamp) || update.reuse(&stamp, &sha256, "txt").expect("within limits") {
                continue;
            }
            self.extracted.push(path.clone());
            match text.strip_prefix("torn") {
                Some(_) => update.record_failure(&stamp, Some(&sha256), "unreadable", "it is torn", true),
                None => update.read(&stamp, &sha256, "txt", &plain(text)),
            }
            .expect("within limits");
        }
    }

    fn add(&mut self) -> UpdateSummary {
        let mut update = Update::begin(&self.place, self.extraction).expect("nobody else writes");
        self.fill(&mut update);
        update.publish().expect("published")
    }

    fn open(&self) -> Result<Corpus, CorpusError> {
        Corpus::open(&self.place)
    }

    fn find(&self, query: &str) -> Vec<String> {
        let hits = self.open().expect("published").search(&CorpusQuery::new(query)).expect("searched");
        hits.into_iter().map(|hit| hit.path).collect()
    }

    /// Files extracted since the last time this was asked.
    fn take_extracted(&mut self) -> Vec<String> {
        std::mem::take(&mut self.extracted)
    }
}

fn plain(text: &str) -> ExtractedText {
    let text = CanonicalText::from_plain(text);
    ExtractedText { content_type: "text/plain".to_owned(), text: text.as_str().to_owned(), ..ExtractedText::default() }
}

fn sea() -> World {
    World::new(&[
        ("dams.txt", "The river has a dam of concrete."),
        ("sub/whales.txt", "Whales sing in the sea."),
        ("torn.txt", "torn"),
    ])
}

#[test]
fn a_search_finds_words_and_their_forms_and_says_where() {
    let mut world = sea();
    let summary = world.add();
    assert_eq!((summary.files, summary.documents, summary.failed, summary.added), (3, 2, 1, 2));
    let corpus = world.open().expect("published");
    let hits = corpus.search(&CorpusQuery::new("Which whale sings?")).expect("searched");
    assert_eq!(hits.len(), 1);
    let hit = &hits[0];
    assert_eq!(
        (hit.path.as_str(), hit.title.as_str(), hit.text.as_str()),
        ("sub/whales.txt", "whales.txt", "Whales sing in the sea.")
    );
    assert_eq!((hit.locator.to_string(), hit.range.len()), ("char:0-23".to_owned(), 23));
    let document = corpus.document(&hit.path).expect("whole").expect("searched");
    assert_eq!(
        (document.text.slice(hit.range), document.text.hash()),
        (hit.text.as_str(), hit.source_text_hash.clone())
    );
    assert!(corpus.document("torn.txt").expect("known").is_none());
    assert!(hits[0].score > 0.0 && world.find("quantum gravity").is_empty());
    assert_eq!((corpus.size().documents, corpus.size().chunks), (2, 2));
}

#[test]
fn what_does_not_change_is_neither_read_nor_published_again() {
    let mut world = sea();
    assert!(world.add().is_changed);
    assert_eq!(world.take_extracted().len(), 3);
    let before = world.open().expect("published").manifest_hash();
    let again = world.add();
    assert_eq!((again.is_changed, again.documents, again.failed), (false, 2, 1));
    assert!(world.take_extracted().is_empty(), "a failed file is not tried again either");
    world.write("dams.txt", "The river has a dam of earth.");
    let changed = world.add();
    assert_eq!((changed.added, changed.removed, world.take_extracted()), (1, 1, vec!["dams.txt".to_owned()]));
    assert_eq!((world.find("earth"), world.find("concrete")), (vec!["dams.txt".to_owned()], vec![]));
    assert_ne!(world.open().expect("published").manifest_hash(), before);
    world.write("torn.txt", "torn again");
    world.add();
    assert_eq!(world.take_extracted(), ["torn.txt"], "until it changes");
}

#[test]
fn a_file_that_was_touched_moved_or_copied_is_not_extracted_again() {
    let mut world = sea();
    world.add();
    world.take_extracted();
    let (text, _) = world.files["dams.txt"].clone();
    world.write("dams.txt", &text);
    world.rename("sub/whales.txt", "songs.txt");
    world.write("copy.txt", &text);
    let summary = world.add();
    assert!(world.take_extracted().is_empty());
    assert_eq!((summary.documents, summary.duplicates), (2, 1));
    assert_eq!(world.find("whales"), ["songs.txt"]);
    assert_eq!(world.find("river"), ["copy.txt"], "the first path of equal bytes");
    let corpus = world.open().expect("published");
    assert_eq!(corpus.document("dams.txt").expect("whole").expect("a copy").path, "copy.txt");
    world.files.remove("copy.txt");
    world.add();
    assert_eq!(world.find("river"), ["dams.txt"]);
}

#[test]
fn what_is_deleted_is_forgotten() {
    let mut world = sea();
    world.add();
    world.files.remove("sub/whales.txt");
    world.files.remove("torn.txt");
    let summary = world.add();
    assert_eq!((summary.removed, summary.files, summary.documents), (1, 1, 1));
    assert!(world.find("whales").is_empty());
    assert_eq!(world.open().expect("published").files().count(), 1);
}

#[test]
fn the_same_files_give_the_same_hits_whatever_was_there_before() {
    let files: Vec<(String, String)> = (0..40)
        .map(|n| (format!("{n:02}.txt"), format!("Number {n} of the dams, a dam of {} stones by the river.", n % 7)))
        .collect();
    let mut fresh = World::new(&[]);
    let mut grown = World::new(&[("99.txt", "Dams and dams and rivers."), ("05.txt", "other words")]);
    grown.add();
    for (path, text) in &files {
        fresh.write(path, text);
        grown.write(path, text);
        if path.ends_with("7.txt") {
            grown.add();
        }
    }
    grown.files.remove("99.txt");
    fresh.add();
    grown.add();
    let hits = |world: &World| {
        let corpus = world.open().expect("published");
        let query =
            CorpusQuery { limit: 30, ..CorpusQuery::new("How many stones has the dam number 5 by the rivers?") };
        (corpus.search(&query).expect("searched"), corpus.manifest_hash())
    };
    assert_eq!(hits(&fresh), hits(&grown));
}

#[test]
fn an_interrupted_run_leaves_the_published_index_and_its_progress() {
    let mut world = sea();
    world.add();
    world.write("dams.txt", "The river has a dam of earth.");
    world.take_extracted();
    let mut update = Update::begin(&world.place, "x").expect("nobody else writes");
    world.fill(&mut update);
    drop(update);
    assert_eq!(world.find("dam"), ["dams.txt"]);
    assert!(world.find("earth").is_empty());
    // What a killed process leaves: a table without a commit, an index without a pointer, half a file.
    let index = world.place.dir().join("index-1");
    fs::write(index.join("files-7"), "half").expect("written");
    fs::create_dir(world.place.dir().join("index-2")).expect("made");
    fs::write(world.place.dir().join("current.1.part"), "{").expect("written");
    assert_eq!(world.find("concrete"), ["dams.txt"]);
    assert_eq!(world.take_extracted(), ["dams.txt"]);
    assert!(world.add().is_changed);
    assert!(world.take_extracted().is_empty(), "the text was kept");
    assert_eq!(world.find("earth"), ["dams.txt"]);
    let left: BTreeSet<_> = fs::read_dir(world.place.dir())
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(left, ["current.json", "index-1", "lock", "texts"].map(Into::into).into());
    assert!(!index.join("files-7").exists());
}

#[test]
fn a_damaged_index_is_never_searched_and_rebuilt_without_extraction() {
    type Damage = (&'static str, fn(&Path));
    let damages: [Damage; 5] = [
        ("a segment", |index| flip(&only(index, |name| name.ends_with(".idx")))),
        ("the table", |index| flip_all(&only(index, |name| name.starts_with("files-")))),
        ("the commit", |index| fs::write(index.join("meta.json"), "{").expect("written")),
        ("a missing segment", |index| fs::remove_file(only(index, |name| name.ends_with(".term"))).expect("removed")),
        ("the pointer", |index| fs::write(index.with_file_name("current.json"), "{").expect("written")),
    ];
    for (what, damage) in damages {
        let mut world = sea();
        world.add();
        world.take_extracted();
        damage(&world.place.dir().join("index-1"));
        assert!(matches!(world.open(), Err(CorpusError::Unusable(_))), "{what}");
        let mut update = Update::begin(&world.place, "x").expect("nobody else writes");
        assert!(update.rebuilt().is_some(), "{what}");
        world.fill(&mut update);
        update.publish().expect("published");
        assert_eq!(world.find("whales"), ["sub/whales.txt"], "{what}");
        assert!(world.take_extracted().iter().all(|path| path == "torn.txt"), "{what}");
    }
}

fn only(dir: &Path, wanted: impl Fn(&str) -> bool) -> std::path::PathBuf {
    let mut files = fs::read_dir(dir).expect("a directory").map(|file| file.expect("a file").path());
    files.find(|file| wanted(&file.file_name().expect("a name").to_string_lossy())).expect("such a file")
}

fn flip(path: &Path) {
    let mut bytes = fs::read(path).expect("bytes");
    let middle = bytes.len() / 3;
    bytes[middle] ^= 0xff;
    fs::write(path, bytes).expect("written");
}

fn flip_all(path: &Path) {
    let bytes: Vec<u8> = fs::read(path).expect("bytes").into_iter().map(|byte| byte ^ 0x55).collect();
    fs::write(path, bytes).expect("written");
}

#[test]
fn a_damaged_or_missing_text_is_an_error_and_is_extracted_again() {
    let mut world = sea();
    world.add();
    world.take_extracted();
    let texts = world.place.dir().join("texts");
    let files = || {
        let dirs = fs::read_dir(&texts).expect("texts").map(|dir| dir.expect("a directory").path());
        dirs.flat_map(|dir| fs::read_dir(dir).expect("files"))
            .map(|file| file.expect("a file").path())
            .collect::<Vec<_>>()
    };
    files().iter().for_each(|file| flip(file));
    let searched = world.open().expect("published").search(&CorpusQuery::new("whales"));
    assert!(matches!(searched, Err(CorpusError::Unusable(_))));
    world.add();
    assert_eq!(world.take_extracted(), ["sub/whales.txt"], "what a search stumbled over");
    assert_eq!(world.find("whales"), ["sub/whales.txt"]);
    files().iter().for_each(|file| fs::remove_file(file).expect("removed"));
    world.add();
    assert_eq!(world.take_extracted(), ["dams.txt", "sub/whales.txt"]);
}

#[test]
fn another_way_of_reading_extracts_everything_again() {
    let mut world = sea();
    world.add();
    world.take_extracted();
    world.extraction = "y";
    assert!(world.add().is_changed);
    assert_eq!(world.take_extracted().len(), 3);
    assert!(!world.add().is_changed);
}

#[test]
fn one_run_writes_while_others_search() {
    let mut world = sea();
    world.add();
    let update = Update::begin(&world.place, "x").expect("nobody else writes");
    assert!(matches!(Update::begin(&world.place, "x"), Err(CorpusError::Busy)));
    assert!(matches!(world.place.remove(), Err(CorpusError::Busy)));
    let opened = world.open().expect("published");
    drop(update);
    world.files.remove("sub/whales.txt");
    world.add();
    let hits = opened.search(&CorpusQuery::new("whales")).expect("the state that was opened");
    assert_eq!(hits.len(), 1, "its texts outlive one further run");
    assert!(world.find("whales").is_empty());
}

#[test]
fn everything_is_for_its_owner_alone() {
    let mut world = sea();
    world.add();
    world.write("dams.txt", "The river has a dam of earth.");
    world.add();
    let mut dirs = vec![world.root.path().join("corpora")];
    let mut seen = 0;
    while let Some(dir) = dirs.pop() {
        assert_eq!(fs::metadata(&dir).expect("there").permissions().mode() & 0o777, 0o700, "{}", dir.display());
        for entry in fs::read_dir(&dir).expect("a directory") {
            let path = entry.expect("an entry").path();
            seen += 1;
            if path.is_dir() {
                dirs.push(path);
            } else {
                assert_eq!(
                    fs::metadata(&path).expect("there").permissions().mode() & 0o777,
                    0o600,
                    "{}",
                    path.display()
                );
            }
        }
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn limits_hold_at_their_borders() {
    let mut world = sea();
    world.add();
    let corpus = world.open().expect("published");
    let is_taken = |text: &str, limit| corpus.search(&CorpusQuery { limit, ..CorpusQuery::new(text) }).is_ok();
    for (chars, fine) in [(MAX_QUERY_CHARS - 1, true), (MAX_QUERY_CHARS, true), (MAX_QUERY_CHARS + 1, false)] {
        assert_eq!(is_taken(&"dam ".repeat(chars / 4 + 1)[..chars], 5), fine, "{chars}");
    }
    for (limit, fine) in [(0, true), (MAX_HITS - 1, true), (MAX_HITS, true), (MAX_HITS + 1, false)] {
        assert_eq!(is_taken("dam", limit), fine, "{limit}");
    }
    assert!(matches!(corpus.search(&CorpusQuery::new(" \n")), Err(CorpusError::EmptyQuery)));
    for query in ["?", "the of", "\u{0}", "\"(:*^~ AND OR", "$*", "C++"] {
        assert!(is_taken(query, 5), "{query}");
    }
}

#[test]
fn a_search_is_kept_to_documents_or_away_from_them() {
    let mut world = World::new(&[("a.txt", "a dam"), ("b.txt", "the dam"), ("c.txt", "dams")]);
    world.add();
    let corpus = world.open().expect("published");
    let paths: BTreeSet<String> = ["b.txt".to_owned()].into();
    let found = |documents| {
        let hits = corpus.search(&CorpusQuery { documents, ..CorpusQuery::new("dam") }).expect("searched");
        hits.into_iter().map(|hit| hit.path).collect::<BTreeSet<_>>()
    };
    assert_eq!(found(Documents::All).len(), 3);
    assert_eq!(found(Documents::Only(&paths)), paths);
    assert_eq!(found(Documents::Except(&paths)), ["a.txt".to_owned(), "c.txt".to_owned()].into());
}

#[test]
fn headings_and_titles_raise_the_text_below_them() {
    let heading = |text: &str| Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, text) };
    let body = || Leaf::new(BlockKind::Paragraph, format!("It costs much. {}", "Far and wide it goes. ".repeat(20)));
    let text = CanonicalText::from_leaves(&[heading("Rabbits"), body(), body(), heading("Hares"), body(), body()]);
    let found = ExtractedText {
        text: text.as_str().to_owned(),
        blocks: text.blocks().to_vec(),
        title: Some("Animals of the field".to_owned()),
        ..ExtractedText::default()
    };
    let world = World::new(&[]);
    let mut update = Update::begin(&world.place, "x").expect("nobody else writes");
    for (path, found) in [("a.txt", plain("It costs much.")), ("b.txt", found)] {
        let stamp = FileStamp { path: path.to_owned(), size: 1, mtime_ns: 1 };
        update.read(&stamp, &sha256_hex(path.as_bytes()), "txt", &found).expect("read");
    }
    update.publish().expect("published");
    let corpus = world.open().expect("published");
    let search = |query| corpus.search(&CorpusQuery::new(query)).expect("searched");
    let below: Vec<Vec<String>> = search("what do hares cost").into_iter().map(|hit| hit.headings).collect();
    assert!(below.contains(&vec!["Hares".to_owned()]), "{below:?}");
    assert_eq!(search("cost of field animals")[0].title, "Animals of the field");
    let document = corpus.document("b.txt").expect("whole").expect("searched");
    assert_eq!(document.text.blocks(), text.blocks());
}

#[test]
fn a_named_document_ranks_before_those_that_mention_it() {
    let titled = |title: &str, text: &str| ExtractedText { title: Some(title.to_owned()), ..plain(text) };
    let world = World::new(&[]);
    let mut update = Update::begin(&world.place, "x").expect("nobody else writes");
    let often = "PEP 8 says this. PEP 8 says that. What PEP 8 says of style, PEP 8 says of names.";
    for (path, found) in [
        ("a.txt", titled("PEP 9: Salt of UTF-8", often)),
        ("b.txt", titled("PEP 8: Style Guide", "PEP 8 gives conventions for the code of the library.")),
        ("c.txt", titled("A rival of PEP 7", often)),
    ] {
        let stamp = FileStamp { path: path.to_owned(), size: 1, mtime_ns: 1 };
        update.read(&stamp, &sha256_hex(path.as_bytes()), "txt", &found).expect("read");
    }
    update.publish().expect("published");
    let corpus = world.open().expect("published");
    let first = |query: &str| corpus.search(&CorpusQuery::new(query)).expect("searched")[0].path.clone();
    assert_eq!(first("What is PEP 8 about?"), "b.txt");
    assert_ne!(first("What is said of style and names?"), "b.txt");
}

#[test]
fn numbers_joined_by_points_are_one_word_and_folders_count_like_titles() {
    let mut world = World::new(&[
        ("a/list.txt", "Rules 1, 2 and 51 changed, and so did 2, 51 and 1 again."),
        ("a/new.txt", "In 1.2.512 nothing changed."),
        ("a/old.txt", "In 1.2.51 all of it was changed."),
        ("slate/x.txt", "The rules of the house changed."),
        ("granite/x.txt", "The rules of the house changed!"),
    ]);
    world.add();
    let found = |query: &str| world.find(query);
    assert_eq!(found("What changed in 1.2.51?")[0], "a/old.txt");
    assert_eq!(found("1.2"), ["a/old.txt", "a/new.txt"], "each is more exact");
    assert_eq!(found("What changed in the house rules of granite?")[0], "granite/x.txt");
    assert_eq!(found("What changed in the house rules of slate?")[0], "slate/x.txt");
}

#[test]
fn a_failure_that_may_pass_is_tried_again() {
    let world = World::new(&[]);
    let stamp = FileStamp { path: "a.txt".to_owned(), size: 1, mtime_ns: 1 };
    for is_final in [true, false] {
        let mut update = Update::begin(&world.place, "x").expect("nobody else writes");
        update.record_failure(&stamp, None, "unreadable", "no permission", is_final).expect("listed");
        update.publish().expect("published");
        let mut update = Update::begin(&world.place, "x").expect("nobody else writes");
        assert_eq!(update.keep(&stamp), is_final);
    }
    let corpus = world.open().expect("published");
    let rows: Vec<_> = corpus.files().map(|row| matches!(row.outcome, FileOutcome::Failed { .. })).collect();
    assert_eq!(rows, [true]);
    assert!(corpus.search(&CorpusQuery::new("dam")).expect("an empty index").is_empty());
}
