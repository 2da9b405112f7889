use precis_evidence::question::analysis::analyse;
use precis_proto::research::QuestionKind;

use super::super::plan::plan;
use super::*;

fn one(text: &str, after: &[u32]) -> SubQuestionDraft {
    SubQuestionDraft { text: text.into(), answered_when: String::new(), priority: 1, after: after.to_vec() }
}

fn draft(sub_questions: Vec<SubQuestionDraft>) -> PlanDraft {
    PlanDraft {
        restated: "restated".into(),
        kind: QuestionKind::Fact,
        constraints: vec!["in English".into()],
        assumptions: Vec::new(),
        sub_questions,
    }
}

fn join_plan(question: &str, sub_questions: Vec<SubQuestionDraft>) -> Vec<(String, Vec<String>)> {
    let plan = join(plan(&analyse(question)), draft(sub_questions));
    plan.sub_questions.into_iter().map(|one| (one.text, one.after)).collect()
}

fn row(text: &str, after: &[&str]) -> (String, Vec<String>) {
    (text.to_owned(), after.iter().map(|&id| id.to_owned()).collect())
}

#[test]
fn what_the_model_forgot_is_added_and_what_it_covers_is_not() {
    let question = "Who wrote Hamlet, and when was Macbeth printed?";
    let whole = vec![one("Who wrote the play Hamlet?", &[]), one("When was Macbeth first printed?", &[])];
    assert_eq!(
        join_plan(question, whole),
        [row("Who wrote the play Hamlet?", &[]), row("When was Macbeth first printed?", &[])]
    );
    let half = vec![one("Who wrote the play Hamlet?", &[])];
    assert_eq!(
        join_plan(question, half),
        [row("Who wrote the play Hamlet?", &[]), row("when was Macbeth printed", &[])]
    );
    let built_in = plan(&analyse(question));
    assert_eq!(
        join(built_in.clone(), draft(Vec::new())).sub_questions,
        built_in.sub_questions,
        "nothing is lost without a draft"
    );
}

#[test]
fn empty_and_repeated_texts_go_and_dependencies_come_first() {
    let drafts = vec![
        one("Who leads the country?", &[3]),
        one(" ... ", &[]),
        one("Which country is it?", &[4, 99, 0]),
        one("which country is it", &[]),
        one("Where is alpha?", &[6]),
        one("Where is beta?", &[5, 6]),
    ];
    let found = join_plan("", drafts);
    let want = [
        row("Which country is it?", &[]),
        row("Who leads the country?", &["q1"]),
        row("Where is alpha?", &[]),
        row("Where is beta?", &["q3"]),
    ];
    assert_eq!(found[..4], want, "{found:?}");
}

#[test]
fn a_draft_of_any_length_gives_a_bounded_plan() {
    let question = "Compare the memory of Rust and Go";
    for (given, want) in [(14, 16), (18, 20), (19, 20), (20, 20), (500, 20)] {
        let drafts = (0..given).map(|n| one(&format!("What is thing number {n}?"), &[])).collect();
        let plan = join(plan(&analyse(question)), draft(drafts));
        assert_eq!(plan.sub_questions.len(), want, "{given}");
        let ids: Vec<String> = (1..=want).map(|n| format!("q{n}")).collect();
        assert_eq!(plan.sub_questions.iter().map(|one| one.id.clone()).collect::<Vec<_>>(), ids);
        let texts: Vec<&str> = plan.sub_questions.iter().map(|one| one.text.as_str()).collect();
        assert!(texts.contains(&"Rust memory") && texts.contains(&"Go memory"), "{texts:?}");
    }
}

#[test]
fn the_brief_is_the_models_with_the_constraints_of_both() {
    let built_in = plan(&analyse("Who ruled Rome in 1527?"));
    let plan = join(built_in.clone(), draft(vec![one("Who ruled Rome in 1527?", &[])]));
    assert_eq!(plan.brief.constraints, ["1527", "in English"]);
    assert_eq!((plan.brief.restated.as_str(), plan.brief.question.as_str()), ("restated", "Who ruled Rome in 1527?"));
    assert_eq!(plan.brief.written_by, built_in.brief.written_by);
}

#[test]
fn a_plan_that_names_all_parts_is_kept_unchanged() {
    let question = "Compare the lakes Alda and Brent: how much water does each hold, and who runs it? And which of them was sold in 1911?";
    let of = |name: &str| one(&format!("What does the lake {name} hold, and who is it that runs it?"), &[]);
    let sale = one("Which lake did they sell in 1911, and was it sold before?", &[]);
    let drafted = vec![of("Alda"), of("Brent"), sale.clone()];
    let texts: Vec<(String, Vec<String>)> = drafted.iter().map(|one| row(&one.text, &[])).collect();
    assert_eq!(join_plan(question, drafted), texts);
    let found = join_plan(question, vec![of("Alda"), sale]);
    assert!(found.len() > 2 && found[2..].iter().all(|(text, _)| text.contains("Brent")), "{found:?}");
}

/// Whatever plan a model drafts, everything the question names is searched for.
#[test]
fn every_entity_and_most_built_in_terms_survive_the_join() {
    let questions = [
        "Who wrote Hamlet, and when was Macbeth printed?",
        "Compare the memory of Rust and Go",
        "What does PEP 409 require, and who wrote the required PEP?",
        "Was ist der Unterschied zwischen Köln und Bonn?",
        "¿Quién escribió el Quijote y en qué año murió?",
        "Why is C++ slower to compile than C?",
        "北京和上海的人口是多少？",
        "",
    ];
    let mut seed = 5_u64;
    let mut dice = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    for question in questions {
        let built_in = plan(&analyse(question));
        let words: Vec<&str> = question.split_whitespace().chain(["alpha", "beta", "?", "gamma"]).collect();
        for _ in 0..200 {
            let drafts: Vec<SubQuestionDraft> = (0..dice(30))
                .map(|_| {
                    let text: Vec<&str> = (0..dice(9)).map(|_| words[dice(words.len())]).collect();
                    let after: Vec<u32> = (0..dice(4)).map(|_| dice(34) as u32).collect();
                    one(&text.join(" "), &after)
                })
                .collect();
            let joined = join(built_in.clone(), draft(drafts));
            assert!((1..=SUB_QUESTION_BOUND).contains(&joined.sub_questions.len()));
            let texts: Vec<String> = joined.sub_questions.iter().map(|one| one.text.clone()).collect();
            let whole = HeldText::new(&texts.join("\n"));
            for part in &built_in.sub_questions {
                let is_there = whole.names(&part.facets) || {
                    let own: Vec<HeldText> = joined.sub_questions.iter().map(|one| HeldText::new(&one.text)).collect();
                    part.facets.iter().all(|facet| own.iter().any(|text| text.covers(facet)))
                };
                assert!(is_there, "{question}: {part:?}");
            }
            for (at, one) in joined.sub_questions.iter().enumerate() {
                let place = |id: &String| joined.sub_questions.iter().position(|other| other.id == *id);
                assert!(one.after.iter().all(|id| place(id).is_some_and(|before| before < at)), "{one:?}");
            }
        }
    }
}
