//! Passages to findings: the sentences of the passages that answer best, each where it stands.

use precis_proto::CharRange;
use precis_proto::task::{CompressTask, FindingDraft, FindingDrafts, TaskPassage};

use super::mmr::{self, Item};
use super::pool::{self, Pool, Sentence};
use super::repeats::Wording;
use super::vectors::cosine;
use crate::sentences;

/// Sentences below this quality stand in only where there is nothing better.
const DEBRIS: f64 = 0.3;
/// Below this nothing is a finding: dot leaders, rows of numbers, single words.
const RUBBISH: f64 = 0.06;
/// Cosine from which two sentences are compared word by word.
const ALIKE: f64 = 0.8;

/// A sentence of a passage.
#[derive(Debug, Clone, Copy)]
struct Place<'a> {
    passage: &'a TaskPassage,
    range: CharRange,
    text: &'a str,
    quality: f64,
}

/// Chooses at most `task.max_findings` sentences, best first, none repeated, sources mixed.
///
/// Each statement is exactly the characters `span` of the text of its first passage; passages of other sources that say
/// the same follow it. Sentences cut by a passage's edge, and debris, appear only where a task holds nothing else; rubbish never.
/// Scores are comparable between tasks of one question: 0 to 1, mostly by share of the question.
#[must_use]
pub fn compress(task: &CompressTask) -> FindingDrafts {
    let places = places(&task.passages);
    let sentences = places.iter().map(|place| sentence(place)).collect();
    let question = format!("{} {}", task.query, task.topic);
    let pool = pool::rank(&question, sentences);
    let items: Vec<Item<'_>> = pool
        .vectors
        .iter()
        .zip(&pool.worth)
        .zip(&pool.sentences)
        .map(|((vector, score), sentence)| Item { score: *score, source: sentence.source, vector })
        .collect();
    let chosen = mmr::select(&items, task.max_findings);
    let mut findings: Vec<FindingDraft> = chosen.into_iter().map(|index| draft(index, &pool, &places)).collect();
    findings.sort_by(|a, b| b.score.total_cmp(&a.score));
    FindingDrafts { findings }
}

/// The sentences of all passages; the whole ones alone, where there are any.
fn places(passages: &[TaskPassage]) -> Vec<Place<'_>> {
    let mut all: Vec<Place<'_>> = Vec::new();
    for passage in passages {
        for (range, text) in sentences::located(&passage.text) {
            all.push(Place { passage, range, text, quality: sentences::quality(text) });
        }
    }
    let is_sound = |place: &Place<'_>| place.quality >= DEBRIS && sentences::is_whole(place.text);
    if all.iter().any(is_sound) {
        all.retain(is_sound);
    } else {
        all.retain(|place| place.quality >= RUBBISH);
    }
    all
}

fn sentence<'a>(place: &Place<'a>) -> Sentence<'a> {
    Sentence {
        text: place.text,
        title: &place.passage.title,
        source: place.passage.source,
        prior: if place.passage.score.is_finite() { place.passage.score.clamp(0.0, 1.0) } else { 0.0 },
        quality: place.quality,
    }
}

fn draft(index: usize, pool: &Pool<'_>, places: &[Place<'_>]) -> FindingDraft {
    let place = places[pool.origin[index]];
    let wording = Wording::of(place.text);
    let mut passages = vec![place.passage.id];
    let mut sources = vec![place.passage.source];
    for (other, vector) in pool.vectors.iter().enumerate() {
        let twin = places[pool.origin[other]];
        let is_fresh = other != index && !sources.contains(&twin.passage.source);
        if is_fresh && cosine(vector, &pool.vectors[index]) >= ALIKE && Wording::of(twin.text).repeats(&wording) {
            passages.push(twin.passage.id);
            sources.push(twin.passage.source);
        }
    }
    FindingDraft { statement: place.text.to_owned(), passages, span: Some(place.range), score: pool.worth[index] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(query: &str, passages: &[(u32, &str)], max_findings: usize) -> CompressTask {
        let passages = passages.iter().zip(1..).map(|((source, text), id)| TaskPassage {
            id,
            title: String::new(),
            source: *source,
            text: (*text).to_owned(),
            score: 0.5,
        });
        CompressTask { query: query.into(), topic: String::new(), passages: passages.collect(), max_findings }
    }

    fn statements(task: &CompressTask) -> Vec<String> {
        compress(task).findings.into_iter().map(|f| f.statement).collect()
    }

    const RIVER: &str = "of the valley. The river floods every spring after the snow melts. Farmers plant rice on the wet \
        fields. The dam above the town was built in 1950 and";
    const DAM: &str = "The dam holds back most of the water in spring. The river floods every spring after the snow melts. \
        Engineers check the concrete wall of the dam each year.";

    #[test]
    fn each_statement_is_the_span_of_its_first_passage() {
        let task = task(
            "dam and river in spring",
            &[(1, RIVER), (2, DAM), (3, "Überall blüht es. Ärzte warnen vor dem Hochwasser im Frühjahr.")],
            9,
        );
        let found = compress(&task).findings;
        assert!(found.len() >= 4);
        for finding in found {
            let passage = &task.passages[finding.passages[0] as usize - 1];
            let span = finding.span.expect("set");
            let text: String = passage.text.chars().skip(span.start).take(span.len()).collect();
            assert_eq!(text, finding.statement);
            assert!((0.0..=1.0).contains(&finding.score));
        }
    }

    #[test]
    fn a_repeated_sentence_is_one_finding_with_both_passages() {
        let found = compress(&task("When does the river flood?", &[(1, RIVER), (2, DAM)], 9)).findings;
        let floods: Vec<&FindingDraft> = found.iter().filter(|f| f.statement.contains("floods")).collect();
        assert_eq!(floods.len(), 1);
        assert_eq!(floods[0].passages, vec![1, 2]);
        assert_eq!(found[0].statement, floods[0].statement);
    }

    #[test]
    fn the_question_changes_the_winner() {
        let passages = [(1, RIVER), (2, DAM)];
        assert!(statements(&task("Who checks the concrete wall?", &passages, 1))[0].starts_with("Engineers"));
        assert!(statements(&task("What do farmers plant?", &passages, 1))[0].starts_with("Farmers"));
    }

    #[test]
    fn sentences_cut_by_the_edge_stand_in_only_for_nothing_else() {
        let all = statements(&task("dam valley", &[(1, RIVER)], 9));
        assert!(all.iter().all(|s| s.starts_with(char::is_uppercase) && s.ends_with('.')), "{all:?}");
        let cut = "and the dam above the town was built in 1950 by the engineers of the";
        assert_eq!(statements(&task("dam", &[(1, cut)], 9)), vec![cut]);
        assert!(statements(&task("dam", &[(1, "1.2 Dam . . . . . . . . 12")], 9)).is_empty());
    }

    #[test]
    fn no_more_findings_than_asked_for() {
        for max in 0..4 {
            assert_eq!(statements(&task("river dam", &[(1, RIVER), (2, DAM)], max)).len(), max);
        }
        assert!(statements(&task("river", &[], 5)).is_empty());
    }

    #[test]
    fn ties_are_broken_by_position_and_the_same_task_gives_the_same_findings() {
        let twins = [(1, "The red boat sails to the north coast."), (2, "The blue cart rolls to the south gate.")];
        let found = statements(&task("nothing in common", &twins, 9));
        assert!(found[0].starts_with("The red"));
        assert_eq!(found, statements(&task("nothing in common", &twins, 9)));
    }

    #[test]
    fn japanese_and_german_questions_find_their_sentences() {
        let japanese = [(1, "機械学習はデータから規則を学ぶ方法である。川は春に氾濫し、農民は米を植える。")];
        assert!(statements(&task("川はいつ氾濫しますか", &japanese, 1))[0].starts_with('川'));
        let german =
            [(1, "Der Fluss tritt im Frühjahr über die Ufer. Die Staumauer wurde 1950 z. B. aus Beton gebaut.")];
        assert!(statements(&task("Wann wurde die Staumauer gebaut?", &german, 1))[0].starts_with("Die Staumauer"));
    }
}
