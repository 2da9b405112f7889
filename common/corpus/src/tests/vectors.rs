//! Tests of searches by meaning: which passages have vectors, whatever happens between runs, and what they find.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use precis_evidence::meaning::{Meaning, Vector};

use super::*;

/// Knows remedies and ships by some of their words; counts what it is asked.
#[derive(Debug, Default)]
struct TwoThings {
    name: &'static str,
    asked: Mutex<Vec<String>>,
}

impl Meaning for TwoThings {
    fn key(&self) -> &str {
        self.name
    }

    fn query(&self, text: &str) -> Option<Vector> {
        let about = |words: &[&str]| if words.iter().any(|word| text.contains(word)) { 1.0 } else { 0.1 };
        (!text.contains('?'))
            .then(|| Vector::from_unit(&[about(&["medicine", "tablets"]), about(&["vessel", "ship", "cutter"])]))
    }

    fn passage(&self, text: &str) -> Option<Vector> {
        self.asked.lock().expect("no panic").push(text.to_owned());
        self.query(text)
    }
}

impl TwoThings {
    fn new(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    /// Passages of which it made a vector since the last time this was asked.
    fn asked(&self) -> Vec<String> {
        let mut asked = std::mem::take(&mut *self.asked.lock().expect("no panic"));
        asked.sort();
        asked
    }
}

/// Makes no second vector before it is told that the work is ended.
#[derive(Debug)]
struct Patient<'a> {
    model: &'a TwoThings,
    is_ended: AtomicBool,
}

impl Meaning for Patient<'_> {
    fn key(&self) -> &str {
        self.model.key()
    }

    fn query(&self, text: &str) -> Option<Vector> {
        self.model.query(text)
    }

    fn passage(&self, text: &str) -> Option<Vector> {
        let is_first = self.model.asked.lock().expect("no panic").is_empty();
        while !is_first && !self.is_ended.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        if !is_first {
            // The run learns of its end a moment after this test.
            std::thread::sleep(Duration::from_millis(100));
        }
        self.model.passage(text)
    }
}

fn on(_: u64, _: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

impl World {
    fn add_with(&mut self, meaning: &TwoThings) -> UpdateSummary {
        let mut update = Update::begin(&self.place, self.extraction).expect("nobody else writes");
        self.fill(&mut update);
        update.make_vectors(meaning, 2, on).expect("made");
        update.publish().expect("published")
    }

    fn near(&self, query: &str, meaning: &TwoThings) -> Vec<String> {
        let query = CorpusQuery { meaning: Some(meaning), ..CorpusQuery::new(query) };
        let hits = self.open().expect("published").search(&query).expect("searched");
        hits.into_iter().map(|hit| hit.path).collect()
    }
}

const REMEDY: &str = "Take two tablets after each meal.";
const CUTTER: &str = "The cutter leaves at noon.";

fn world() -> World {
    World::new(&[("a.txt", "The office is closed."), ("b.txt", REMEDY), ("c.txt", CUTTER)])
}

#[test]
fn what_is_said_in_other_words_is_found_where_vectors_were_made() {
    let (mut world, model) = (world(), TwoThings::new("m"));
    world.add();
    assert!(world.near("medicine", &model).is_empty(), "no vectors yet");
    assert_eq!(world.open().expect("published").compared_by(), None);
    let before = world.open().expect("published").manifest_hash();
    assert_eq!(world.add_with(&model).compared, 3);
    assert_eq!(world.near("medicine", &model)[0], "b.txt");
    assert_eq!(world.near("a vessel", &model)[0], "c.txt");
    assert_eq!(world.near("when the cutter leaves", &model)[0], "c.txt", "words and meaning together");
    assert!(world.find("medicine").is_empty(), "by words alone as before");
    assert_eq!(world.open().expect("published").compared_by(), Some(("m", 3)));
    assert_ne!(world.open().expect("published").manifest_hash(), before, "other hits, another name");
    assert!(world.near("medicine?", &model).is_empty(), "the question has no vector");
    assert!(world.near("medicine", &TwoThings::new("another model")).is_empty());
}

#[test]
fn only_documents_that_are_searched_are_found_by_meaning() {
    let (mut world, model) = (world(), TwoThings::new("m"));
    world.add_with(&model);
    let only = BTreeSet::from(["a.txt".to_owned()]);
    let documents = Documents::Only(&only);
    let query = CorpusQuery { meaning: Some(&model), documents, ..CorpusQuery::new("medicine") };
    let hits = world.open().expect("published").search(&query).expect("searched");
    assert!(hits.iter().all(|hit| hit.path == "a.txt"), "{hits:?}");
}

#[test]
fn each_vector_is_made_once_and_goes_with_its_text() {
    let (mut world, model) = (world(), TwoThings::new("m"));
    world.add_with(&model);
    assert_eq!(
        model.asked(),
        ["Take two tablets after each meal.", "The cutter leaves at noon.", "The office is closed."]
    );
    assert!(!world.add_with(&model).is_changed);
    world.write("d.txt", "A new ship.");
    world.rename("b.txt", "e.txt");
    assert_eq!(world.add_with(&model).compared, 4);
    assert_eq!(model.asked(), ["A new ship."]);
    assert_eq!(world.near("medicine", &model)[0], "e.txt");
    world.files.remove("d.txt");
    assert_eq!(world.add_with(&model).compared, 3);
    assert!(model.asked().is_empty());
    let fresh = |world: &World| {
        let mut other = World::new(&[]);
        other.files.clone_from(&world.files);
        other.add_with(&TwoThings::new("m"));
        other.open().expect("published").manifest_hash()
    };
    assert_eq!(world.open().expect("published").manifest_hash(), fresh(&world), "the same, whatever was before");
}

#[test]
fn a_run_without_the_model_keeps_vectors_and_makes_none() {
    let (mut world, model) = (world(), TwoThings::new("m"));
    world.add_with(&model);
    world.write("d.txt", "A new ship.");
    assert_eq!(world.add().compared, 3);
    assert_eq!(world.near("medicine", &model)[0], "b.txt");
    assert_eq!(world.near("a vessel", &model)[0], "c.txt", "the new document has no vector yet");
    assert_eq!(world.add_with(&model).compared, 4);
}

#[test]
fn an_ended_run_is_continued_and_another_model_starts_over() {
    let (mut world, model) = (world(), TwoThings::new("m"));
    let mut update = Update::begin(&world.place, world.extraction).expect("nobody else writes");
    world.fill(&mut update);
    let patient = Patient { model: &model, is_ended: AtomicBool::new(false) };
    let ending = |done: u64, _| match done {
        0 => ControlFlow::Continue(()),
        _ => {
            patient.is_ended.store(true, Ordering::Relaxed);
            ControlFlow::Break(())
        }
    };
    update.make_vectors(&patient, 1, ending).expect("made");
    drop(update);
    let first = model.asked().len();
    assert!((1..=2).contains(&first), "it ends, and what was being made is kept: {first}");
    world.add_with(&model);
    assert_eq!(first + model.asked().len(), 3, "none is made twice");
    let other = TwoThings::new("another model");
    assert_eq!((world.add_with(&other).compared, other.asked().len()), (3, 3));
    assert_eq!(world.open().expect("published").compared_by(), Some(("another model", 3)));
}

/// Makes no vector for five seconds, unless it is told that the work is ended.
#[derive(Debug, Default)]
struct Slow {
    is_ended: AtomicBool,
    was_told: AtomicBool,
}

impl Meaning for Slow {
    fn key(&self) -> &str {
        "slow"
    }

    fn query(&self, _: &str) -> Option<Vector> {
        Some(Vector::from_unit(&[1.0, 0.0]))
    }

    fn passage(&self, text: &str) -> Option<Vector> {
        for _ in 0..500 {
            if self.is_ended.load(Ordering::Relaxed) {
                self.was_told.store(true, Ordering::Relaxed);
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        self.query(text)
    }
}

#[test]
fn whoever_waits_for_one_long_text_is_asked_meanwhile() {
    let (mut world, slow) = (World::new(&[("a.txt", REMEDY)]), Slow::default());
    let mut update = Update::begin(&world.place, world.extraction).expect("nobody else writes");
    world.fill(&mut update);
    let mut calls = 0;
    let ending = |done: u64, _| {
        calls += 1;
        if done > 0 || calls < 3 {
            return ControlFlow::Continue(());
        }
        slow.is_ended.store(true, Ordering::Relaxed);
        ControlFlow::Break(())
    };
    update.make_vectors(&slow, 1, ending).expect("made");
    assert!(slow.was_told.load(Ordering::Relaxed));
}

#[test]
fn vectors_of_more_passages_than_a_document_has_are_said() {
    let (mut world, model) = (World::new(&[("a.txt", REMEDY)]), TwoThings::new("m"));
    world.add_with(&model);
    let files: Vec<_> = crate::pack(&world.place).expect("published").into_iter().map(|file| file.path).collect();
    let of = |part: &str| files.iter().find(|path| path.to_string_lossy().contains(part)).expect("published").clone();
    // As somebody could write them who publishes an index.
    let mut table = crate::vector_table::VectorTable::default();
    let row = Vector::from_unit(&[1.0, 0.1]).to_bytes();
    assert!(table.add(0, &row.repeat(9), 9));
    let hash = |path: &Path| sha256_hex(&fs::read(path).expect("there"));
    let before = hash(&of("/vectors-"));
    let after = table.write(&of("/vectors-")).expect("written");
    let rows = fs::read_to_string(of("/files-")).expect("a table").replace(&before, &after);
    fs::write(of("/files-"), rows).expect("written");
    let query = CorpusQuery { meaning: Some(&model), ..CorpusQuery::new("medicine") };
    let searched = world.open().expect("words still work").search(&query);
    assert!(matches!(searched, Err(CorpusError::Unusable(why)) if why.contains("passages")));
    assert_eq!(world.find("tablets"), ["a.txt"]);
}

#[test]
fn damaged_vectors_are_said_and_made_again() {
    let (mut world, model) = (world(), TwoThings::new("m"));
    world.add_with(&model);
    let files: Vec<_> = crate::pack(&world.place).expect("published").into_iter().map(|file| file.path).collect();
    let vectors: Vec<_> = files.iter().filter(|path| path.to_string_lossy().contains("/vectors-")).collect();
    assert_eq!(vectors.len(), 1, "they go where the corpus goes");
    fs::write(vectors[0], "torn").expect("written");
    let query = CorpusQuery { meaning: Some(&model), ..CorpusQuery::new("medicine") };
    let searched = world.open().expect("words still work").search(&query);
    assert!(matches!(searched, Err(CorpusError::Unusable(why)) if why.contains("vectors")));
    model.asked();
    world.add_with(&model);
    assert_eq!(model.asked().len(), 3);
    assert_eq!(world.near("medicine", &model)[0], "b.txt");
}
