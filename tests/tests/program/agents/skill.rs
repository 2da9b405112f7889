//! The skill: a script that does only what it says gets an answer, and it is installed where it is asked for.

use std::path::Path;

use precis_tests::program::{CliWorkspace, ended, path};

const SKILL: &str = include_str!("../../../../docs/skills/precis/SKILL.md");

/// The shell commands of the skill, in order.
fn commands() -> Vec<&'static str> {
    let blocks = SKILL.split("```sh\n").skip(1);
    blocks.map(|block| block.split_once("```").expect("a block ends").0).collect()
}

#[test]
fn following_the_skill_gives_an_answer_that_is_verified() {
    let workspace = CliWorkspace::new();
    workspace.write("contracts/ferry.txt", "The operator pays for delays. The ferry carries forty cars.");
    workspace.write("contracts/tea.txt", "Tea is served at four.");
    let has_python = ended(workspace.within(Path::new("python3"), &["-c", ""])).code == 0;
    let folder = path().parent().expect("a folder").display().to_string();
    let mut said = Vec::new();
    for block in commands() {
        if block.contains("python3") && !has_python {
            eprintln!("SKIPPED: there is no python3: the quotes of the skill were not listed");
            continue;
        }
        // As a shell finds the program: by its name.
        let script = format!("PATH=\"{folder}:$PATH\"\n{block}");
        let done = ended(workspace.within(Path::new("sh"), &["-ec", &script]));
        assert_eq!(done.code, 0, "{block}{}{}", done.stdout, done.stderr);
        said.push(done.stdout);
    }
    assert!(said.len() >= 4, "{said:?}");
    let all = said.concat();
    assert!(all.contains("verified: ") && all.contains("documents: "), "{all}");
    if has_python {
        assert!(all.contains("answered\n[1] \"The operator pays for delays."), "{all}");
    }
    for report in ["report", "found"] {
        assert_eq!(workspace.run(&["verify", report]).code, 0, "{report}");
    }
}

#[test]
fn the_skill_has_the_form_that_agents_read() {
    let front = SKILL.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).expect("front matter").0;
    let field = |name: &str| front.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).expect(name);
    assert_eq!(field("name"), "precis");
    // Limits of the format.
    assert!((1..=1024).contains(&field("description").chars().count()));
    assert!(SKILL.lines().count() < 500);
    // The exit codes are those of the program.
    let documented = include_str!("../../../../docs/commands.md");
    for row in SKILL.lines().filter(|line| line.starts_with("| ") && line.as_bytes()[2].is_ascii_digit()) {
        let code = row.split('|').nth(1).expect("a column").trim();
        assert!(documented.contains(&format!("\n| {code} |")), "{row}");
    }
}

#[test]
fn the_skill_is_installed_where_requested_and_replaces_nothing_unasked() {
    let workspace = CliWorkspace::new();
    let at = |name: &str| std::fs::read_to_string(workspace.at(name)).expect("there");
    let installed = workspace.run(&["skill", "install"]);
    assert_eq!((installed.code, installed.stdout.as_str()), (0, ".agents/skills/precis/SKILL.md\n"));
    assert_eq!(at(".agents/skills/precis/SKILL.md"), SKILL);
    let again = workspace.run(&["skill", "install"]);
    assert!(again.code == 0 && again.stdout.contains("there already"), "{again:?}");
    workspace.write("mine/precis/SKILL.md", "my own");
    let refused = workspace.run(&["skill", "install", "--dir", "mine"]);
    assert!(refused.code == 3 && refused.stderr.contains("--force"), "{refused:?}");
    assert_eq!(at("mine/precis/SKILL.md"), "my own");
    assert_eq!(workspace.run(&["skill", "install", "--dir", "mine", "--force"]).code, 0);
    assert_eq!(at("mine/precis/SKILL.md"), SKILL);
    assert_eq!(workspace.names("mine/precis"), ["SKILL.md"]);
}
