use super::*;

fn finding(statement: &str, score: f64) -> TaskFinding {
    TaskFinding {
        id: 1,
        topic: String::new(),
        statement: statement.to_owned(),
        title: String::new(),
        source: 1,
        score,
        headings: Vec::new(),
        path: String::new(),
        context: Vec::new(),
        similarity: None,
    }
}

fn status(query: &str, findings: &[TaskFinding]) -> Option<AnswerStatus> {
    judge(query, findings, None).map(|answer| answer.status)
}

#[test]
fn a_finding_with_the_question_answers_it_unlike_a_stranger() {
    let query = "Who leads the Debian Project?";
    let close = [finding("The Debian Project is led by the Project Leader, who is elected each year.", 0.6)];
    let far = [finding("A project may have several files.", 0.15), finding("The parser reads files.", 0.1)];
    assert_eq!(status(query, &close), Some(AnswerStatus::Answered));
    assert_eq!(status(query, &far), Some(AnswerStatus::NotInDocuments));
    assert_eq!(status(query, &[]), Some(AnswerStatus::NotInDocuments));
    assert_eq!(status("Who?", &close), None);
}

#[test]
fn a_figure_under_the_name_of_the_thing_answers_in_other_words() {
    let under = |title: &str, heading: &str| TaskFinding {
        title: title.to_owned(),
        headings: vec![heading.to_owned()],
        ..finding("In 2020 the town had 900 people.", 0.4)
    };
    let query = "What is the population of Sandö?";
    assert_ne!(status(query, &[under("Sandö", "Population")]), Some(AnswerStatus::NotInDocuments));
    assert_eq!(status(query, &[under("Norby", "Climate")]), Some(AnswerStatus::NotInDocuments));
}

#[test]
fn text_below_the_requested_words_is_steps() {
    let under = |heading: &str| TaskFinding {
        title: "Pump manual".to_owned(),
        headings: vec!["Pump manual".to_owned(), heading.to_owned()],
        ..finding("Close the red valve.", 0.3)
    };
    let query = "How do I reset the pump?";
    assert_eq!(status(query, &[under("Resetting the pump")]), Some(AnswerStatus::Answered));
    assert_eq!(status(query, &[under("Cleaning the filter")]), Some(AnswerStatus::NotInDocuments));
}

#[test]
fn a_name_of_the_title_is_no_part_left_open() {
    let titled = |title: &str| TaskFinding {
        title: title.to_owned(),
        ..finding("The town has a library and 900 people live there.", 0.8)
    };
    let query = "How many people live in the town of Norby?";
    assert_eq!(status(query, &[titled("Norby")]), Some(AnswerStatus::Answered));
    let open = judge(query, &[titled("Sandö")], None).expect("judged");
    assert_ne!(open.status, AnswerStatus::Answered);
}

#[test]
fn a_german_noun_is_no_name() {
    let found = [finding("Mit den Handys von Sasi Kumar entstehen die Bilder, die er fotografiert.", 0.7)];
    let answer = judge("Mit welchen Smartphones fotografiert Sasi Kumar?", &found, None).expect("judged");
    assert_eq!(answer.status, AnswerStatus::Answered);
}

#[test]
fn what_a_search_knows_counts() {
    let query = "Why are ctenophores rare as fossils?";
    let found = [finding("Fossils of soft animals are rare.", 0.3), finding("They are as rare as others.", 0.25)];
    let of = |searched: Option<Searched>| judge(query, &found, searched).expect("judged").status;
    let searched = |is_covered, unknown_words| Some(Searched { is_covered, unknown_words });
    assert_eq!(of(None), AnswerStatus::NotInDocuments, "no finding gives a reason, or names the thing");
    assert_eq!(of(searched(true, 0)), AnswerStatus::Answered);
    assert_eq!(of(searched(true, 2)), AnswerStatus::NotInDocuments);
    assert_eq!(searched(true, 3).map(Searched::loss), searched(true, 2).map(Searched::loss));
}

#[test]
fn what_is_compared_has_to_be_spoken_of() {
    let query = "How long does the virus survive on plastic compared with stainless steel?";
    let of = |statements: &[&str]| {
        let found: Vec<TaskFinding> = statements.iter().map(|statement| finding(statement, 0.6)).collect();
        judge(query, &found, None).expect("judged")
    };
    let both = ["The virus can survive on plastic for days.", "On stainless steel the virus will survive long."];
    assert_eq!(of(&both).status, AnswerStatus::Answered);
    let one = of(&both[..1]);
    let open: Vec<&str> = one.parts.iter().filter(|p| !p.is_answered).map(|p| p.text.as_str()).collect();
    assert_eq!((one.status, &open[..]), (AnswerStatus::Partly, &["stainless steel"][..]));
    let none = of(&["How long the virus can survive, compared with others, is known.", "It survives long."]);
    assert_eq!(none.status, AnswerStatus::NotInDocuments);
}

#[test]
fn an_unfound_request_about_a_named_document_is_an_unanswered_part() {
    let titled = |statement| TaskFinding { title: "PEP 572: Assignment".to_owned(), ..finding(statement, 0.7) };
    let found = [titled("The operator became known as the walrus operator."), titled("It names a result.")];
    let open = |query: &str| {
        let searched = Searched { is_covered: true, unknown_words: 0 };
        let answer = judge(query, &found, Some(searched)).expect("judged");
        let open = answer.parts.into_iter().filter(|part| !part.is_answered).map(|part| part.text);
        (answer.status, open.collect::<Vec<String>>())
    };
    let partly = (AnswerStatus::Partly, vec!["controversial".to_owned()]);
    assert_eq!(open("Why was PEP 572 controversial?"), partly);
    for query in ["What is PEP 572?", "What does PEP 572 add?", "Which operator is in PEP 572?", "Who wrote PEP 572?"] {
        assert_eq!(open(query), (AnswerStatus::Answered, Vec::new()), "{query}");
    }
}

#[test]
fn a_year_that_no_finding_names_is_a_part_without_answer() {
    let query = "How much did Nordwerk earn in 2024 and 2025?";
    let found = [finding("Nordwerk did earn 3 million euros in 2024.", 0.7)];
    let answer = judge(query, &found, None).expect("judged");
    assert_eq!(answer.status, AnswerStatus::Partly);
    let open: Vec<&str> = answer.parts.iter().filter(|p| !p.is_answered).map(|p| p.text.as_str()).collect();
    assert_eq!(open, ["2025"]);
}
