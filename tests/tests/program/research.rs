//! `precis research`: from a question alone to a report over folders, without a model, a key or a network.

use precis_tests::program::{CliWorkspace, Ended};
use serde_json::Value;

/// Notes of which two must be read for one question: who wrote the rule is not said where it is said which rule holds.
const NOTES: [(&str, &str); 7] = [
    ("bridge.md", "# Harbour bridge\n\nThe harbour bridge follows rule R-17 since it was built in 1987."),
    (
        "rules/r17.md",
        "# Rule R-17\n\nRule R-17 was written by Agnes Holm in 1979. It limits the load of bridges to 40 tonnes.",
    ),
    ("rules/r18.md", "# Rule R-18\n\nRule R-18 was written by Peter Lund. It holds for tunnels."),
    ("ferry.md", "# Ferry\n\nThe ferry crosses the bay every hour and carries 60 cars."),
    ("mill.md", "# Mill\n\nThe mill was closed in 2003, and its wheel stands in the museum."),
    ("school.md", "# School\n\nThe school has 400 pupils and a new roof."),
    ("copy/ferry.txt", "Ferry\n\nThe ferry crosses the bay every hour and carries 60 cars."),
];

fn workspace() -> CliWorkspace {
    let workspace = CliWorkspace::new();
    for (name, text) in NOTES {
        workspace.write(&format!("notes/{name}"), text);
    }
    workspace
}

fn report(workspace: &CliWorkspace) -> Value {
    serde_json::from_slice(&std::fs::read(workspace.at("precis-out/report.json")).expect("a report")).expect("JSON")
}

fn said(ended: &Ended) -> String {
    format!("{}\n{}\n{}", ended.code, ended.stdout, ended.stderr)
}

/// How far it has come, and not what was searched for: the same line goes over a fleet's events.
#[test]
fn each_round_is_shown_while_it_runs() {
    let workspace = workspace();
    let question = "Who wrote the rule that the harbour bridge follows?";
    let ended = workspace.run(&["research", question, "--corpus", "notes"]);
    assert_eq!(ended.code, 0, "{}", said(&ended));
    let with =
        |end: &str| ended.stderr.lines().filter(|line| line.starts_with("round ") && line.ends_with(end)).count();
    let research = report(&workspace)["data"]["research"].clone();
    let rounds = research["rounds"].as_array().expect("rounds");
    assert!(
        !rounds.is_empty() && with("covered") == rounds.len() && with("searching") == rounds.len(),
        "{}",
        said(&ended)
    );
    let plan: Vec<&str> = ended.stderr.lines().filter(|line| line.starts_with("  q")).collect();
    assert!(plan.len() == 1 && plan[0].ends_with("Who wrote the rule that the harbour bridge follows"), "{plan:?}");
    for directive in rounds.iter().flat_map(|round| round["directives"].as_array().expect("directives")) {
        for query in directive["queries"].as_array().expect("queries") {
            let line = format!("  folders:  \"{}\"", query["text"].as_str().expect("a text"));
            assert!(ended.stderr.lines().any(|said| said == line), "{line}: {}", said(&ended));
        }
    }
}

/// The answer shares no word with the question, and other pages share more: only the link tells where it is.
#[test]
fn the_document_behind_a_link_is_read() {
    let workspace = CliWorkspace::new();
    let page = "# Shifts\n\nDuring an on-call shift a deploy that fails is [rolled back](steps/undo.md#first).";
    workspace.write("notes/shifts.md", page);
    workspace.write("notes/steps/undo.md", "# Undoing\n\nThree engineers say yes first.");
    for name in ["red", "blue", "green", "white", "black", "grey"] {
        let text = format!(
            "# Team {name}\n\nPeople of team {name} approve leave after a shift, and many of them deploy daily."
        );
        workspace.write(&format!("notes/{name}.md"), &text);
    }
    let question = "How many people approve the roll back of a deploy during an on-call shift?";
    let ended = workspace.run(&["research", question, "--corpus", "notes", "--max-sources", "5", "--quiet"]);
    assert!([0, 5].contains(&ended.code), "{}", said(&ended));
    let data = report(&workspace)["data"].clone();
    let read: Vec<&str> =
        data["sources"].as_array().expect("sources").iter().filter_map(|one| one["path"].as_str()).collect();
    assert!(read.contains(&"steps/undo.md") && read.contains(&"shifts.md"), "{read:?}");
}

#[test]
fn a_mistyped_flag_is_named_and_is_no_question() {
    let workspace = workspace();
    for command in ["research", "search"] {
        let ended = workspace.run(&[command, "--qurey", "Who pays?"]);
        assert!(ended.code == 2 && ended.stderr.contains("'--qurey'"), "{command}: {}", said(&ended));
    }
    let ended = workspace.run(&["research", "--corpus", "notes", "--quiet", "--", "-5 degrees in the harbour?"]);
    assert!([0, 5].contains(&ended.code), "{}", said(&ended));
    assert_eq!(report(&workspace)["data"]["query"], "-5 degrees in the harbour?");
}

#[test]
fn what_two_documents_say_together_is_found_read_and_proved() {
    let workspace = workspace();
    let question = "Who wrote the rule that the harbour bridge follows?";
    let ended = workspace.run(&["research", question, "--corpus", "notes", "--max-sources", "3", "--quiet"]);
    assert_eq!(ended.code, 0, "{}", said(&ended));
    let report = report(&workspace);
    let data = &report["data"];
    let read: Vec<&str> =
        data["sources"].as_array().expect("rows").iter().filter_map(|row| row["path"].as_str()).collect();
    assert!(read.len() <= 3 && read.contains(&"bridge.md") && read.contains(&"rules/r17.md"), "{read:?}");
    assert!(data["report"].as_str().is_some_and(|text| text.contains("Agnes Holm")), "{}", data["report"]);
    assert!(
        data["sources"].as_array().expect("rows").iter().all(|row| !row["found_by"].is_null()),
        "{}",
        data["sources"]
    );
    let hits = data["research"]["hits"].as_object().expect("counts");
    let sum: u64 = hits.iter().filter(|(name, _)| *name != "found").filter_map(|(_, n)| n.as_u64()).sum();
    assert_eq!(hits["found"].as_u64(), Some(sum), "{hits:?}");
    let proved = workspace.run(&["verify", "precis-out/report.json"]);
    assert_eq!(proved.code, 0, "{}", said(&proved));
    for (name, words) in [("report.md", "## How this was researched"), ("report.html", "How this was researched")] {
        let text = std::fs::read_to_string(workspace.at("precis-out").join(name)).expect("written");
        assert!(text.contains(words) && text.contains("R-17"), "{name}");
    }

    // Whoever changes the course of the research is found out.
    let path = workspace.at("precis-out/report.json");
    let mut forged: Value = serde_json::from_slice(&std::fs::read(&path).expect("a report")).expect("JSON");
    forged["data"]["research"]["hits"]["found"] = 999.into();
    std::fs::write(&path, forged.to_string()).expect("written");
    let refused = workspace.run(&["verify", "precis-out/report.json"]);
    assert!(refused.code == 1 && said(&refused).contains("research: hits.found"), "{}", said(&refused));
}

#[test]
fn the_same_question_repeats_its_course_and_sees_changed_files() {
    let workspace = workspace();
    let ask = |workspace: &CliWorkspace| {
        let ended = workspace.run(&["research", "How many cars does the ferry carry?", "--corpus", "notes", "--quiet"]);
        assert_eq!(ended.code, 0, "{}", said(&ended));
        let mut data = report(workspace)["data"].clone();
        // How long it took is of the day.
        data["research"]["rounds"]
            .as_array_mut()
            .expect("rounds")
            .iter_mut()
            .for_each(|round| round["seconds"] = Value::Null);
        data
    };
    let (first, second) = (ask(&workspace), ask(&workspace));
    assert_eq!((&first["research"], &first["report"]), (&second["research"], &second["report"]));
    workspace.write("notes/ferry.md", "# Ferry\n\nThe ferry crosses the bay every hour and carries 75 cars.");
    assert!(ask(&workspace)["report"].as_str().is_some_and(|text| text.contains("75 cars")));
}

#[test]
fn a_plan_is_shown_before_anything_is_searched() {
    let workspace = CliWorkspace::new();
    workspace.write("notes/a.md", "# A\n\nNothing yet.");
    let ended = workspace.run(&["research", "Compare the ferry and the mill", "--corpus", "notes", "--plan-only"]);
    assert_eq!(ended.code, 0, "{}", said(&ended));
    let plan: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(plan["brief"]["type"], "comparison", "{plan}");
    assert!(plan["plan"].as_array().is_some_and(|parts| parts.len() >= 2), "{plan}");
    assert!(!workspace.at("precis-out").exists());
}

#[test]
fn a_question_with_one_answered_part_is_answered_in_part() {
    for (question, status) in [
        ("How many pupils has the school, and who painted the castle of Corvinia?", "partly"),
        ("Who painted the castle of Corvinia, and who crowned the king of Brem?", "not_in_documents"),
    ] {
        let workspace = workspace();
        let ended = workspace.run(&["research", question, "--corpus", "notes", "--quiet"]);
        assert!(matches!(ended.code, 0 | 1 | 5), "{}", said(&ended));
        assert_eq!(report(&workspace)["data"]["answer"]["status"], status, "{question}");
    }
}

#[test]
fn what_is_not_there_is_said_with_what_was_tried() {
    let workspace = workspace();
    let ended =
        workspace.run(&["research", "How many pupils has the academy in Corvinia?", "--corpus", "notes", "--quiet"]);
    assert_eq!(ended.code, 5, "{}", said(&ended));
    let open = report(&workspace)["data"]["research"]["unanswered"].clone();
    assert!(open.as_array().is_some_and(|open| !open.is_empty()), "{open}");
    let page = std::fs::read_to_string(workspace.at("precis-out/report.md")).expect("written");
    assert!(page.contains("## Not answered"), "{page}");
}

#[test]
fn without_results_the_report_proves_what_was_searched() {
    let workspace = workspace();
    let ended = workspace.run(&["research", "Qwxz vkjh?", "--corpus", "notes", "--quiet"]);
    assert_eq!(ended.code, 1, "{}", said(&ended));
    let page = std::fs::read_to_string(workspace.at("precis-out/report.md")).expect("written");
    assert!(page.contains("## Not answered") && page.contains("Qwxz vkjh"), "{page}");
    let data = report(&workspace)["data"].clone();
    assert_eq!(
        (&data["research"]["stop"], &data["answer"]["status"]),
        (&"nothing_found".into(), &"not_in_documents".into())
    );
    let proved = workspace.run(&["verify", "precis-out/report.json"]);
    assert_eq!(proved.code, 0, "{}", said(&proved));
}

#[test]
fn a_plan_that_was_changed_is_followed() {
    let workspace = workspace();
    let shown = workspace.run(&["research", "How old is the mill?", "--corpus", "notes", "--plan-only"]);
    let mut plan: Value = serde_json::from_str(&shown.stdout).expect("JSON");
    plan["plan"][0]["text"] = "How many pupils has the school?".into();
    plan["plan"][0]["origin"] = "user".into();
    workspace.write("plan.json", plan.to_string());
    let ended =
        workspace.run(&["research", "How old is the mill?", "--corpus", "notes", "--plan", "plan.json", "--quiet"]);
    assert!(matches!(ended.code, 0 | 5), "{}", said(&ended));
    let research = report(&workspace)["data"]["research"].clone();
    assert_eq!(research["plan"], plan["plan"]);
    let queries = research["rounds"][0]["directives"][0]["queries"].to_string();
    assert!(queries.contains("pupils"), "{queries}");
}

#[test]
fn what_cannot_be_searched_is_refused_with_a_remedy() {
    let workspace = workspace();
    workspace.write("file.md", "text");
    std::fs::create_dir(workspace.at("empty")).expect("a directory");
    for (args, code, words) in [
        (&["research", "", "--corpus", "notes"][..], 3, "question"),
        (&["research", "Who pays?", "--corpus", "nowhere"], 3, "nowhere"),
        (&["research", "Who pays?", "--corpus", "file.md"], 3, "a file"),
        (&["research", "Who pays?", "--corpus", "empty"], 3, "no document"),
        (&["research", "Who pays?"], 2, "--corpus"),
        (&["research", "Who pays?", "--corpus", "notes", "--max-sources", "0"], 2, "max-sources"),
        (&["research", "Who pays?", "--web", "bing"], 2, "bing"),
        (&["research", "Who pays?", "--web", "wikipedia"], 2, "contact"),
        (&["research", "Who pays?", "--corpus", "notes", "--plan", "file.md"], 3, "not a valid plan"),
        (&["research", "Who pays?", "--corpus", "notes", "--plan", "nowhere.json"], 3, "nowhere.json"),
    ] {
        let ended = workspace.run(args);
        assert_eq!(ended.code, code, "{args:?}: {}", said(&ended));
        assert!(ended.stderr.contains(words), "{args:?}: {}", said(&ended));
    }
}

/// Two documents give the company another year and the standard another status; a third repeats one of them.
#[test]
fn differing_values_are_reported_with_kind_and_both_quotes() {
    let workspace = CliWorkspace::new();
    workspace.write("notes/a.md", "# Old chronicle\n\nNordwerk was founded on 3 May 1990 in the harbour of Brem.");
    workspace.write("notes/b.md", "# New chronicle\n\nNordwerk was founded in 1992 in the harbour of Brem.");
    workspace.write("notes/c.md", "# Mill\n\nThe mill was closed in 2003, and its wheel stands in the museum.");
    let question = "When was Nordwerk founded in the harbour of Brem?";
    let ended = workspace.run(&["research", question, "--corpus", "notes", "--quiet"]);
    assert_eq!(ended.code, 0, "{}", said(&ended));
    let report = report(&workspace);
    let told = report["data"]["research"]["disagreements"].as_array().expect("disagreements").clone();
    let [one] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((&one["kind"], &one["attribute"]), (&Value::from("date"), &Value::from("founded")), "{one}");
    let mut values: Vec<(String, String)> = Vec::new();
    for value in one["values"].as_array().expect("values") {
        let quote = value["quote"].as_u64().expect("a quote");
        let citations = report["data"]["citations"].as_array().expect("citations");
        let cited = citations.iter().find(|citation| citation["n"] == quote).expect("the citation");
        let text = value["value"].as_str().expect("a value");
        assert!(cited["text"].as_str().is_some_and(|words| words.contains(text)), "{value} {cited}");
        values.push((text.to_owned(), value["document"].as_str().expect("a document").to_owned()));
    }
    values.sort_unstable();
    assert_eq!(values, [("1992".into(), "b.md".into()), ("3 May 1990".into(), "a.md".into())]);
    let markdown = std::fs::read_to_string(workspace.at("precis-out/report.md")).expect("report.md");
    assert!(markdown.contains("Sources give different dates:"), "{markdown}");
    let verified = workspace.run(&["verify", "precis-out/report.json", "--archive", "precis-out/archive"]);
    assert_eq!(verified.code, 0, "{}", said(&verified));
}

#[test]
fn a_question_for_a_history_has_its_dated_quotes_in_order() {
    for (question, dates) in [("History of the mill of Brem", 3), ("Who built the mill of Brem?", 0)] {
        let workspace = CliWorkspace::new();
        workspace.write(
            "notes/a.md",
            "# Mill of Brem\n\nThe mill of Brem was closed in 2003, and its wheel stands in the museum.",
        );
        workspace.write("notes/b.md", "# Builders\n\nThe mill of Brem was built on 5 July 1887 by Ann Lee.");
        workspace.write("notes/c.md", "# Flood\n\nIn July 1954 a flood took the roof of the mill of Brem.");
        let ended = workspace.run(&["research", question, "--corpus", "notes", "--quiet"]);
        assert_eq!(ended.code, 0, "{}", said(&ended));
        let report = report(&workspace);
        let rows = report["data"]["timeline"]["rows"].as_array().cloned().unwrap_or_default();
        let told: Vec<&str> = rows.iter().filter_map(|row| row["date"].as_str()).collect();
        assert_eq!(told, ["5 July 1887", "July 1954", "2003"][..dates], "{question}");
        let markdown = std::fs::read_to_string(workspace.at("precis-out/report.md")).expect("report.md");
        assert_eq!(markdown.contains("## Timeline"), dates > 0, "{markdown}");
        let verified = workspace.run(&["verify", "precis-out/report.json", "--archive", "precis-out/archive"]);
        assert_eq!(verified.code, 0, "{}", said(&verified));
    }
}
