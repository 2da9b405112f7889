//! The five known command-line tools, end to end: a script of each name answers in that tool's own form, and notes how it was
//! called. Each is called as its template says, reads its prompt from standard input and nowhere else, and is told of the
//! environment what it may know.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use precis_runtime::model::tool::template::{self, Template};
use precis_tests::program::CliWorkspace;
use serde_json::{Value, json};

const QUERY: &str = "What did the glacier lose?";
const ASIDE: &str = "Mules are fed by the town, and the town is paid by the captains. ";
const TEXT: &str = "The glacier lost a tenth of its ice in two warm summers, and the valley kept a record of it. ";
const SECRET: &str = "planted-and-not-for-tools";
/// Tokens that tools which count say a call took.
const INPUT: u64 = 4_321;

/// What a tool prints around `answer`.
fn printed(tool: &str, answer: &str) -> String {
    match tool {
        "claude" => {
            let usage = json!({ "input_tokens": 21, "cache_read_input_tokens": INPUT - 21, "output_tokens": 9 });
            json!({ "type": "result", "subtype": "success", "is_error": false, "result": answer, "usage": usage })
                .to_string()
        }
        "cursor-agent" => {
            let usage = json!({ "inputTokens": 21, "cacheReadTokens": INPUT - 21, "outputTokens": 9 });
            json!({ "type": "result", "subtype": "success", "is_error": false, "result": answer, "usage": usage })
                .to_string()
        }
        "gemini" => {
            let tokens = json!({ "prompt": INPUT, "candidates": 9, "cached": 0 });
            json!({ "response": answer, "stats": { "models": { "m": { "tokens": tokens } } } }).to_string()
        }
        _ => answer.to_owned(),
    }
}

/// Puts a script called as the tool into `bin/`, its answers beside it, and a place for its notes: one set for each call.
fn install(workspace: &CliWorkspace, tool: &str) {
    let answers = [
        ("summary", json!({ "summary": "The glacier lost ice.", "key_points": ["It lost a tenth."] }).to_string()),
        (
            "findings",
            json!({ "findings": [{ "statement": "It lost a tenth.", "passages": [1], "score": 1.0 }] }).to_string(),
        ),
        (
            "judgement",
            json!({ "verdict": "supported", "quote": "The glacier lost a tenth of its ice", "reason": "It says so." })
                .to_string(),
        ),
        (
            "ratings",
            json!({ "ratings": [{
                "dimension": "groundedness", "quote": "The glacier lost a tenth of its ice", "reason": "Quoted.", "score": 5
            }] })
            .to_string(),
        ),
        ("report", "# Ice\n\nThe glacier lost a tenth of its ice [1].".to_owned()),
    ];
    for (kind, answer) in answers {
        workspace.write(&format!("answers/{tool}/{kind}"), printed(tool, &answer));
    }
    fs::create_dir_all(workspace.at(&format!("notes/{tool}"))).expect("a directory");
    let (notes, answers) = (workspace.at(&format!("notes/{tool}")), workspace.at(&format!("answers/{tool}")));
    let (notes, answers) = (notes.display(), answers.display());
    let script = format!(
        "#!/bin/sh\nenv > '{notes}'/$$.env\nfor word; do printf '%s\\n' \"$word\"; done > '{notes}'/$$.args\n\
         cat > '{notes}'/$$.stdin\n\
         if grep -q '\"key_points\"' '{notes}'/$$.stdin; then cat '{answers}/summary'\n\
         elif grep -q '\"findings\"' '{notes}'/$$.stdin; then cat '{answers}/findings'\n\
         elif grep -q '\"verdict\"' '{notes}'/$$.stdin; then cat '{answers}/judgement'\n\
         elif grep -q '\"ratings\"' '{notes}'/$$.stdin; then cat '{answers}/ratings'\n\
         else cat '{answers}/report'; fi\n"
    );
    let path = format!("bin/{tool}");
    workspace.write(&path, script);
    fs::set_permissions(workspace.at(&path), fs::Permissions::from_mode(0o755)).expect("made executable");
}

/// The notes of one kind that a tool's calls left.
fn notes(workspace: &CliWorkspace, tool: &str, kind: &str) -> Vec<String> {
    let dir = format!("notes/{tool}");
    let names = workspace.names(&dir).into_iter().filter(|name| name.ends_with(kind));
    names.map(|name| fs::read_to_string(workspace.at(&dir).join(name)).expect("a note")).collect()
}

#[test]
fn each_known_tool_follows_its_template_and_its_answer_is_parsed() {
    let workspace = CliWorkspace::new();
    // Long enough that a summary is worth a call beside what speaks to the question.
    workspace.write("ice.txt", format!("{TEXT} {}", ASIDE.repeat(150)));
    workspace.configure("digest_policy = 'always'\n");
    let path = format!("{}:/usr/bin:/bin", workspace.at("bin").display());
    for name in ["claude", "gemini", "codex", "cursor-agent", "opencode"] {
        install(&workspace, name);
        let provider = format!("[cli]{name}:m");
        let arguments = ["run", "--query", QUERY, "--docs", "ice.txt", "--out", name, "--provider", &provider];
        let mut command = workspace.command(&arguments);
        command.env("PATH", &path).env("PRECIS_TEST_SECRET", SECRET);
        let ended = precis_tests::program::ended(command);
        let report =
            fs::read(workspace.at(name).join("report.json")).unwrap_or_else(|e| panic!("{e}: {}", ended.stderr));
        let report: Value = serde_json::from_slice(&report).expect("JSON");
        let data = &report["data"];
        assert!(
            !data["warning_details"].to_string().contains("PROVIDER_FALLBACK"),
            "{name}: {}",
            data["warning_details"]
        );
        assert!(data["report"].as_str().expect("a report").contains("lost a tenth of its ice"), "{name}: {data:#}");

        let spend = data["spend"].as_array().expect("a list");
        let paid: Vec<&Value> = spend.iter().filter(|row| row["provider"] == provider.as_str()).collect();
        let calls: u64 = paid.iter().filter_map(|row| row["calls"].as_u64()).sum();
        let input: u64 = paid.iter().filter_map(|row| row["input_tokens"].as_u64()).sum();
        let stdin = notes(&workspace, name, ".stdin");
        assert_eq!((paid.len(), calls as usize), (4, stdin.len()), "summary, findings, report, judge: {spend:?}");
        assert!(paid.iter().all(|row| row.get("unreadable_calls").is_none()), "{name}: {spend:?}");
        let counted: u64 = stdin.iter().map(|text| bpe_openai::o200k_base().count(text) as u64).sum();
        match name {
            "codex" | "opencode" => assert!(input >= counted, "{name}: {counted} tokens read, {input} told"),
            _ => assert_eq!(input, INPUT * calls, "{name} counts itself"),
        }

        assert!(stdin.iter().all(|text| text.contains(QUERY)), "{name}");
        assert!(stdin.iter().any(|text| text.contains(TEXT.trim())), "{name} reads the document");
        let Template { args, .. } = template::of(name).expect("is known");
        let args: String = args.iter().map(|arg| format!("{}\n", arg.replace("{model}", "m"))).collect();
        assert!(notes(&workspace, name, ".args").iter().all(|noted| *noted == args), "{name}");
        let allowed: BTreeSet<&str> = ["PATH", "HOME", "PWD", "OLDPWD", "SHLVL", "_"].into();
        for noted in notes(&workspace, name, ".env") {
            let named: BTreeSet<&str> = noted.lines().filter_map(|line| line.split_once('=')).map(|(n, _)| n).collect();
            assert!(named.is_subset(&allowed) && named.contains("HOME"), "{name}: {noted}");
        }
    }
}
