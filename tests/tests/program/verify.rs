//! A report is proved by programs that share no code with it: plain Python against the archive, and a schema validator.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use precis_context::digest::{DigestInput, build};
use precis_proto::fidelity::{FidelityLevel, FidelityRecord};
use precis_proto::finding::{Finding, Quote};
use precis_proto::ledger::SpendRow;
use precis_proto::response::{ReportData, Response, Status};
use precis_proto::source::{ContentRef, SourceText};
use precis_proto::state::SessionState;
use precis_proto::{CharRange, Phase, SourceId, Timestamp};
use precis_report::draft::citations::cite;
use precis_report::ledger::{ItemTokens, row};
use precis_report::response::{SessionEnding, assemble};
use precis_report::verify::{ArchiveReader, verify};
use precis_tests::program::CliWorkspace;
use precis_text::CanonicalText;
use tempfile::TempDir;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/verify.py");

fn texts() -> Vec<(&'static str, CanonicalText)> {
    let plain = "Der Gletscher schwand.  😀 氷河は後退した。 <script>alert(1)</script> a < b [1]";
    let pages = ["First page.", "", "Third:\n\n---PAGE 9---\n\nثلج e\u{301}nd."].map(str::to_owned);
    vec![("plain", CanonicalText::from_plain(plain)), ("paged", CanonicalText::from_pages(&pages))]
}

/// A report that quotes overlapping pieces of every page of each text.
fn report(texts: &[(&str, CanonicalText)]) -> Response {
    let source =
        |id: &str| serde_json::json!({ "source_id": id, "title": id, "origin": { "url": "https://a.example" } });
    let mut state: SessionState = serde_json::from_value(serde_json::json!({
        "schema_version": 2, "session_id": "s", "revision": 1, "phase": "evaluation", "query": "What melts?",
        "sources": texts.iter().map(|(id, _)| source(id)).collect::<Vec<_>>(),
    }))
    .expect("a session");
    for (source, (_, text)) in state.sources.iter_mut().zip(texts) {
        let content = text.hash();
        state.content_archive_hashes.insert(source.source_id.clone(), content.clone());
        let pages = text.pages().len() as u32;
        source.text = Some(SourceText { content, chars: text.chars() as u64, tokens: 9, pages, blocks: None });
        state.content_fidelity.record(&source.source_id, Phase::Extraction, unchanged(9));
        let known = state.findings.len() as u32;
        state.findings.extend(findings(&source.source_id, text, known));
    }
    state.ledger = vec![row(Phase::Extraction, &vec![ItemTokens::from_unchanged(9); texts.len()])];
    let draft: String = state.findings.iter().map(|f| format!("- statement [{}]\n", f.finding_id)).collect();
    let cited = cite(&draft, &state.findings, &state.sources);
    Response::report(assemble(
        &state,
        cited,
        SessionEnding { status: Status::Completed, stop_reason: None, incomplete: false, at: Timestamp(0) },
    ))
}

fn unchanged(tokens: u64) -> FidelityRecord {
    FidelityRecord {
        level: FidelityLevel::Raw,
        reason: None,
        warnings: Vec::new(),
        timestamp: Timestamp(0),
        tokens_before: tokens,
        tokens_after: tokens,
        tokens_duplicate: 0,
        visit: 0,
    }
}

fn findings(source: &SourceId, text: &CanonicalText, known: u32) -> Vec<Finding> {
    let whole = [CharRange::new(0, text.chars())];
    let pages: Vec<CharRange> = text.pages().iter().map(|p| p.range).collect();
    let ranges = if pages.is_empty() { &whole[..] } else { &pages[..] };
    let pieces =
        ranges.iter().flat_map(|r| (r.start..r.end).step_by(3).map(|at| CharRange::new(at, (at + 7).min(r.end))));
    let finding = |(range, finding_id): (CharRange, u32)| {
        let statement = text.slice(range).to_owned();
        let quote = Quote {
            source_id: source.clone(),
            locator: text.locator(range),
            text: statement.clone(),
            headings: Vec::new(),
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        };
        Finding {
            finding_id,
            topic: String::new(),
            statement,
            quotes: vec![quote],
            score: 1.0,
            tokens: 3,
            similarity: None,
        }
    };
    pieces.zip(known + 1..).map(finding).collect()
}

/// Writes report and archive as a run leaves them.
fn written() -> (TempDir, Response) {
    let dir = tempfile::tempdir().expect("a directory");
    let texts = texts();
    for (id, text) in &texts {
        let folder = dir.path().join("archive").join(id);
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(format!("{}.txt", text.hash().hex())), text.as_str()).expect("written");
    }
    let report = report(&texts);
    write_report(dir.path(), &report);
    (dir, report)
}

fn write_report(dir: &Path, report: &Response) {
    fs::write(dir.join("report.json"), serde_json::to_vec_pretty(report).expect("serialises")).expect("written");
}

fn archived(dir: &Path, hex: &str) -> Option<PathBuf> {
    let folders = fs::read_dir(dir.join("archive")).ok()?;
    folders.flatten().map(|folder| folder.path().join(format!("{hex}.txt"))).find(|file| file.exists())
}

fn holds(dir: &Path, report: &Response) -> bool {
    let text = |hex: &str| fs::read(archived(dir, hex)?).ok();
    verify(report, ArchiveReader { text: &text, blocks: &|_| None }).holds()
}

/// Runs Python; `None`, said loudly, where there is none.
fn python(args: &[&Path]) -> Option<Output> {
    match Command::new("python3").arg("-B").args(args).output() {
        Ok(output) => Some(output),
        Err(error) => {
            eprintln!("SKIPPED: python3 does not start ({error}); nothing was proved independently");
            None
        }
    }
}

fn prove(dir: &Path) -> Option<Output> {
    python(&[Path::new(SCRIPT), &dir.join("report.json"), &dir.join("archive")])
}

#[test]
fn a_short_script_proves_every_citation_and_finds_a_flipped_byte() {
    let script = fs::read_to_string(SCRIPT).expect("the script");
    assert!(script.lines().count() <= 47, "short enough to be read");
    let (dir, report) = written();
    let data = report.data.as_ref().expect("a report");
    assert!(data.citations.len() > 20 && holds(dir.path(), &report));
    let Some(output) = prove(dir.path()) else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let citations = data.citations.len();
    let want = format!(
        "2 texts unchanged, {citations} citations hold, 0 statements are quotes, 1 sums and the seal are right"
    );
    assert_eq!(said, want);

    for hash in data.content_archive_hashes.values() {
        let file = archived(dir.path(), hash).expect("archived");
        let whole = fs::read(&file).expect("read");
        for at in [0, whole.len() / 2, whole.len() - 1] {
            let mut flipped = whole.clone();
            flipped[at] ^= 1;
            fs::write(&file, &flipped).expect("written");
            let said = prove(dir.path()).expect("python started before");
            assert_eq!(said.status.code(), Some(1), "byte {at} of {}", file.display());
            assert!(!holds(dir.path(), &report), "byte {at} of {}", file.display());
        }
        fs::write(&file, &whole).expect("written");
    }
    assert!(prove(dir.path()).is_some_and(|o| o.status.success()) && holds(dir.path(), &report));
}

#[test]
fn an_altered_quote_is_found_by_the_script_too() {
    let (dir, mut report) = written();
    report.data.as_mut().expect("a report").citations[0].text.push('.');
    write_report(dir.path(), &report);
    assert!(!holds(dir.path(), &report));
    let Some(output) = prove(dir.path()) else { return };
    assert_eq!(String::from_utf8_lossy(&output.stderr).trim(), "the seal is not that of the data");
    write_report(dir.path(), &Response::report(report.data.expect("a report")));
    let output = prove(dir.path()).expect("python started before");
    assert_eq!(String::from_utf8_lossy(&output.stderr).trim(), "citation 1: other text stands at char:0-7");
}

/// Seals an edited report anew, as a forger would, and gives what the script says of it.
fn said_of(edit: impl FnOnce(&mut ReportData)) -> Option<String> {
    let (dir, report) = written();
    let mut data = report.data.expect("a report");
    data.spend.push(by_the_built_in_model());
    edit(&mut data);
    let report = Response::report(data);
    write_report(dir.path(), &report);
    let output = prove(dir.path())?;
    assert_eq!(holds(dir.path(), &report), output.status.success(), "the program and the script agree");
    Some(String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

fn by_the_built_in_model() -> SpendRow {
    serde_json::from_value(serde_json::json!({
        "role": "synthesis", "provider": "local:extractive", "calls": 1, "cached_calls": 0, "input_tokens": 0, "output_tokens": 0, "cost_usd": 1.5e-7,
    }))
    .expect("a row")
}

#[test]
fn a_resealed_altered_statement_or_sum_is_found_by_the_script() {
    let says = |data: &mut ReportData, statement: &str| data.report = format!("# Title\n\n{statement} [1]\n");
    let Some(said) = said_of(|data| says(data, "It never did.")) else { return };
    assert_eq!(said, "a quote cited for this has other words: It never did");
    let forged = said_of(|data| {
        data.citations.truncate(2);
        let text = quote_of(data);
        data.report = format!("# Title\n\n{text} [1][2]\n");
    });
    assert!(forged.is_some_and(|said| said.starts_with("a quote cited for this has other words: ")));
    let in_a_table = said_of(|data| {
        data.citations.truncate(2);
        let text = quote_of(data);
        data.report = format!("# Title\n\n| a | b |\n| --- | --- |\n| x | {text} [1] It never did. [2] |\n");
    });
    assert_eq!(in_a_table.as_deref(), Some("a quote cited for this has other words: It never did"));
    let ledger = said_of(|data| {
        let first = data.citations[0].clone();
        data.citations = vec![first];
        let text = quote_of(data);
        data.report = format!("# Title\n\n{text} [1]\n");
        data.ledger[0].tokens_in += 1;
        data.ledger[0].tokens_kept += 1;
    });
    assert_eq!(ledger.as_deref(), Some("ledger of extraction: its records have other sums"));
    let fine = said_of(|data| {
        let first = data.citations[0].clone();
        data.citations = vec![first];
        let text = quote_of(data);
        data.report = format!("# Title\n\n{text} [1]\n");
    });
    assert_eq!(fine.as_deref(), Some(""), "a true report holds");
}

fn quote_of(data: &ReportData) -> String {
    data.citations[0].text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_report_is_valid_by_the_schema_unless_broken() {
    let (dir, report) = written();
    let Some(validator) = Validator::new(dir.path(), "response.schema.json") else { return };
    let value = serde_json::to_value(&report).expect("serialises");
    assert!(validator.accepts(&value));
    let spoils: [(&str, serde_json::Value); 4] = [
        ("/data/citations/0/locator", "page:0:char:1-2".into()),
        ("/data/citations/0/n", "1".into()),
        ("/data/content_fidelity", serde_json::Value::Null),
        ("/data/session/status", "done".into()),
    ];
    for (pointer, spoilt) in spoils {
        let mut broken = value.clone();
        *broken.pointer_mut(pointer).expect("there") = spoilt;
        assert!(!validator.accepts(&broken), "{pointer}");
    }
}

#[test]
fn a_digest_matches_its_schema_and_one_over_limits_does_not() {
    let dir = tempfile::tempdir().expect("a directory");
    let Some(validator) = Validator::new(dir.path(), "digest.schema.json") else { return };
    let text = CanonicalText::from_plain(&"The glacier loses ice where the summer is warm. ".repeat(80));
    let key_points = vec!["It loses ice.".to_owned(); 10];
    let input = DigestInput { summary: "Ice is lost.", key_points: &key_points, ..DigestInput::new(&text, "lost ice") };
    let digest = serde_json::to_value(build(&input)).expect("serialises");
    assert!(!digest["evidence_snippets"].as_array().expect("a list").is_empty());
    assert!(validator.accepts(&digest));
    let spoils: [(&str, serde_json::Value); 9] = [
        ("/version", "2.0".into()),
        ("/content_type", "digest/v2".into()),
        ("/query_hash", "ABCDEF01".into()),
        ("/summary", "x".repeat(2_001).into()),
        ("/key_points", vec!["x"; 11].into()),
        ("/key_points/0", "x".repeat(501).into()),
        ("/evidence_snippets/0/text", "x".repeat(501).into()),
        ("/compression_ratio", 1.01.into()),
        ("/source_text_hash", "sha256:00".into()),
    ];
    for (pointer, spoilt) in spoils {
        let mut broken = digest.clone();
        *broken.pointer_mut(pointer).expect("there") = spoilt;
        assert!(!validator.accepts(&broken), "{pointer}");
    }
}

/// Python's `jsonschema` with a published schema.
struct Validator<'d> {
    dir: &'d Path,
}

impl<'d> Validator<'d> {
    const SCRIPT: &'static str = "import json, sys, jsonschema\n\
        schema, report = (json.load(open(p, encoding='utf-8')) for p in sys.argv[1:])\n\
        jsonschema.Draft202012Validator.check_schema(schema)\n\
        sys.exit(3 if list(jsonschema.Draft202012Validator(schema).iter_errors(report)) else 0)\n";

    /// `None`, said loudly, where Python has none.
    fn new(dir: &'d Path, name: &str) -> Option<Self> {
        fs::write(dir.join("probe.py"), "import jsonschema\n").expect("written");
        if !python(&[&dir.join("probe.py")])?.status.success() {
            eprintln!("SKIPPED: Python has no jsonschema; nothing was checked against {name}");
            return None;
        }
        let schemas = precis_proto::schema::all();
        let (_, schema) = schemas.iter().find(|(published, _)| *published == name).expect("published");
        fs::write(dir.join("schema.json"), serde_json::to_vec(schema).expect("serialises")).expect("written");
        fs::write(dir.join("check.py"), Self::SCRIPT).expect("written");
        Some(Self { dir })
    }

    fn accepts(&self, value: &serde_json::Value) -> bool {
        let file = |name: &str| self.dir.join(name);
        fs::write(file("checked.json"), value.to_string()).expect("written");
        let output =
            python(&[&file("check.py"), &file("schema.json"), &file("checked.json")]).expect("it started before");
        match output.status.code() {
            Some(0) => true,
            Some(3) => false,
            _ => panic!("the validator failed: {}", String::from_utf8_lossy(&output.stderr)),
        }
    }
}

#[test]
fn the_archive_is_named_by_what_the_report_states() {
    let (_dir, report) = written();
    let data = report.data.expect("a report");
    for (id, hex) in &data.content_archive_hashes {
        let row = data.sources.iter().find(|s| s.source_id == *id).expect("a row");
        let content: ContentRef = row.source_text_hash.as_deref().expect("has text").parse().expect("a reference");
        assert_eq!(content.hex(), hex);
    }
}

#[test]
fn quotes_with_addresses_and_code_are_proved_by_the_script_too() {
    let workspace = CliWorkspace::new();
    let text = "The opening of the dam of Brem: `14-Apr-2025 <https://example.org/dam>`__ is its page.\n\n\
                The dam of Brem has the pages https://example.org/brem and `example` \\[12\\] on its opening.\n";
    workspace.write("docs/dam.txt", text);
    // Where a command ends, its report is proved by the program and by the script.
    let ended = workspace.run(&["run", "When was the opening of the dam of Brem?", "docs"]);
    assert!(matches!(ended.code, 0 | 5), "{}", ended.stderr);
    let report = fs::read_to_string(workspace.at("precis-out/report.json")).expect("a report");
    assert!(
        report.contains("`` https://example.org/dam>` ``") && report.contains("`https://example.org/brem`"),
        "{report}"
    );
}
