//! What is computed from tables, in a report as a user gets it; `verify` and the script in the README accept each.

use std::fs;

use precis_tests::program::CliWorkspace;
use serde_json::Value;

const CSV: &str = "City,State,Population\nNorby,North,12400\nHolm,North,950\nVik,South,23100\n";
const MARKDOWN: &str = "# Rooms\n\nThe house has three rooms, and all of them are let by the week.\n\n\
                        | Room | Price |\n| --- | --- |\n| Red | 10 EUR |\n| Blue | 25 EUR |\n| Green | 40 USD |\n";
const HTML: &str = "<!doctype html><title>Boats</title><h1>Boats of the harbour</h1><p>They lie at the pier all year.</p>\
                    <table><tr><th>Boat</th><th>Length (m)</th></tr><tr><td>Anna</td><td>12.5</td></tr>\
                    <tr><td>Bela</td><td>9.25</td></tr><tr><td>Cora</td><td>14</td></tr></table>";

fn data(workspace: &CliWorkspace, question: &str, file: &str) -> (Value, String) {
    let ended = workspace.run(&["run", question, file, "--quiet"]);
    let report = fs::read(workspace.at("precis-out/report.json")).unwrap_or_else(|e| panic!("{e} {}", ended.stderr));
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    let shown = fs::read_to_string(workspace.at("precis-out/report.md")).expect("a report");
    (report["data"].clone(), shown)
}

#[test]
fn tables_of_every_kind_answer_what_is_computed_from_them() {
    let workspace = CliWorkspace::new();
    workspace.write("cities.csv", CSV);
    workspace.write("rooms.md", MARKDOWN);
    workspace.write("boats.html", HTML);
    for (question, file, number, line) in [
        ("Which city has the highest population?", "cities.csv", "23100", "Computed: highest, Population: 23100 (Vik)"),
        (
            "What is the total population of the cities in the North?",
            "cities.csv",
            "13350",
            "Computed: sum, Population: 13,350",
        ),
        ("How many cities are in the North?", "cities.csv", "2", "Computed: number of rows: 2"),
        ("Which boat is the longest?", "boats.html", "14", "Computed: highest, Length (m): 14 (Cora)"),
    ] {
        let (data, shown) = data(&workspace, question, file);
        assert_eq!(data["computed"][0]["number"], number, "{question} {data}");
        assert_eq!(data["answer"]["status"], "answered", "{question}");
        assert!(shown.replace('\\', "").contains(line), "{question}\n{shown}");
    }
    let (data, shown) = data(&workspace, "What is the total price of the rooms?", "rooms.md");
    assert_eq!(data["computed"][0]["not_computed"], "several_units", "{data}");
    assert!(shown.contains("Not computed"), "{shown}");
}
