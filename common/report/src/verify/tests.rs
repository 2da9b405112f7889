//! Tests each fault that a report can have, and the line that describes it.

use precis_proto::Phase;
use precis_proto::failure_code::FailureCode;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::ids::sha256_hex;
use precis_proto::response::{ErrorInfo, Status};

use super::*;
use crate::sample::{HOSTILE, PAGED, SampleTexts as Texts, id, response};

fn check(report: &Response, archive: &Texts) -> Verification {
    verify(report, super::ArchiveReader { text: &|hex| archive.get(hex).cloned(), blocks: &|_| None })
}

fn lines(found: &Verification) -> Vec<String> {
    found.mismatches.iter().map(ToString::to_string).collect()
}

#[test]
fn a_true_report_holds_and_says_what_was_proved() {
    let (report, archive) = response();
    let found = check(&report, &archive);
    assert_eq!(lines(&found), [""; 0]);
    assert!(found.holds());
    let counts = (found.citations_proved, found.texts_proved, found.ledger_rows, found.sources_accounted);
    assert_eq!(counts, (3, 2, 3, 3));
    let value = serde_json::to_value(&report).expect("serialises");
    assert_eq!(
        verify_value(&value, super::ArchiveReader { text: &|hex| archive.get(hex).cloned(), blocks: &|_| None }),
        found
    );
}

#[test]
fn any_flipped_bit_of_an_archived_text_is_found() {
    let (report, archive) = response();
    for (hex, bytes) in &archive {
        for at in 0..bytes.len() {
            let mut tampered = archive.clone();
            tampered.get_mut(hex).expect("there")[at] ^= 1 << (at % 8);
            assert!(!check(&report, &tampered).holds(), "{hex} byte {at}");
        }
    }
}

#[test]
fn an_account_is_checked_even_where_the_report_has_none() {
    let (mut report, archive) = response();
    let data = report.data.as_mut().expect("a report");
    data.session.token_management_enabled = false;
    data.ledger[1].tokens_dropped += 1;
    report.seal = report.data.as_ref().and_then(seal);
    let found = check(&report, &archive);
    assert_eq!(lines(&found), ["ledger of summarization: 80 tokens in, 81 out"]);
    assert!(found.is_accounted);
    crate::response::without_records(report.data.as_mut().expect("a report"));
    report.seal = report.data.as_ref().and_then(seal);
    let found = check(&report, &archive);
    assert!(found.holds() && !found.is_accounted, "{:?}", found.mismatches);
}

#[test]
fn each_mismatch_is_one_precise_line() {
    let hash = |text: &str| sha256_hex(text.as_bytes());
    type Spoil = fn(&mut ReportData);
    let cases: [(Spoil, Vec<String>); 25] = [
        (
            |d| d.citations[0].text = "Glaciers in the Alps lost a fifth".to_owned(),
            vec!["citation 1 page:1:char:0-60: archived text reads \"Glaciers in the Alps lost a tenth of their ice in two years.\", \
                  but the report says \"Glaciers in the Alps lost a fifth\""
                .to_owned()],
        ),
        (
            |d| d.citations[1].locator = "page:3:char:0-4".parse().expect("a locator"),
            vec!["citation 2 page:3:char:0-4: the archived text has no such place".to_owned()],
        ),
        (
            |d| d.citations[2].source_id = id("paged"),
            vec!["citation 3: its text hash differs from that of source \"paged\"".to_owned()],
        ),
        (
            |d| d.report.push_str(" More [8]."),
            vec!["the report cites [8], which is not among its citations".to_owned()],
        ),
        (|d| d.report = d.report.replace("[3]", ""), vec!["citation 3: not used in the report".to_owned()]),
        (|d| d.citations.swap(0, 1), vec!["found citation 2, expected 1".to_owned()]),
        (|d| d.ledger[1].tokens_dropped += 1, vec!["ledger of summarization: 80 tokens in, 81 out".to_owned()]),
        (
            |d| {
                d.ledger.remove(1);
            },
            vec!["ledger of compression: 20 tokens in, but extraction kept 80".to_owned(), "source \"hostile\": no record of what compression did to it".to_owned()],
        ),
        (
            |d| drop(d.content_archive_hashes.insert(id("gone"), sha256_hex(HOSTILE.as_bytes()))),
            vec![format!("source \"gone\": its row states no hash, the list of archived texts {}", hash(HOSTILE))],
        ),
        (
            |d| d.content_fidelity.0.clear(),
            vec![
                "ledger of extraction: a row without records".to_owned(),
                "dropped_content_ids lists \"hostile\", but no record drops it".to_owned(),
                "source \"paged\": no record of what extraction did to it".to_owned(),
                "source \"hostile\": no record of what extraction did to it".to_owned(),
            ],
        ),
        (
            |d| d.sources[2].failure = None,
            vec![
                "dropped_content_ids lists \"gone\", but no record drops it".to_owned(),
                "source \"gone\": no record of what extraction did to it".to_owned(),
            ],
        ),
        (
            |d| {
                d.ledger.clear();
                d.content_fidelity.0.clear();
                d.dropped_content_ids.retain(|dropped| *dropped == id("gone"));
            },
            vec![
                "source \"paged\": no record of what extraction did to it".to_owned(),
                "source \"hostile\": no record of what extraction did to it".to_owned(),
            ],
        ),
        (|d| d.ledger.clear(), vec!["ledger: extraction has records but no row".to_owned()]),
        (
            |d| d.ledger[0].items_in = 3,
            vec!["ledger of extraction: items_in is 3, but its records add up to 2".to_owned()],
        ),
        (
            |d| {
                d.ledger[1].tokens_kept += 5;
                d.ledger[1].tokens_reduced -= 5;
                d.ledger[2].tokens_in += 5;
                d.ledger[2].tokens_kept += 5;
            },
            vec!["ledger of summarization: tokens_kept is 25, but its records add up to 20".to_owned()],
        ),
        (
            |d| {
                record(d, "paged", Phase::Extraction).tokens_after += 7;
                record(d, "paged", Phase::Extraction).tokens_before += 7;
                d.ledger = ledger::of(&d.content_fidelity);
            },
            vec![
                "ledger of summarization: 80 tokens in, but extraction kept 87".to_owned(),
                "record of summarization for \"paged\": it starts with 40 tokens, but the phase before left 47".to_owned(),
            ],
        ),
        (
            |d| {
                for phase in [Phase::Extraction, Phase::Summarization] {
                    record(d, "paged", phase).tokens_before += 7;
                }
                record(d, "paged", Phase::Extraction).tokens_after += 7;
                d.ledger = ledger::of(&d.content_fidelity);
            },
            vec!["record of extraction for \"paged\": it left 47 tokens, but its text has 40".to_owned()],
        ),
        (
            |d| record(d, "paged", Phase::Compression).tokens_after += 1,
            vec!["record of compression for \"paged\": it kept 21 of 20 tokens".to_owned()],
        ),
        (
            |d| record(d, "hostile", Phase::Summarization).tokens_after += 1,
            vec!["record of summarization for \"hostile\": it was dropped, but tokens were kept: 1".to_owned()],
        ),
        (
            |d| record(d, "paged", Phase::Extraction).level = FidelityLevel::Headline,
            vec!["record of extraction for \"paged\": it has level headline, which extraction never assigns".to_owned()],
        ),
        (
            |d| record(d, "paged", Phase::Compression).level = FidelityLevel::Raw,
            vec!["record of compression for \"paged\": it is raw again after it was condensed".to_owned()],
        ),
        (
            |d| {
                let after = d.content_fidelity.get(&id("paged"), Phase::Compression).expect("there").clone();
                d.content_fidelity.record(&id("hostile"), Phase::Compression, after);
                d.ledger = ledger::of(&d.content_fidelity);
            },
            vec![
                "ledger of compression: 40 tokens in, but summarization kept 20".to_owned(),
                "record of compression for \"hostile\": it has a record after it was dropped".to_owned(),
                "dropped_content_ids lists \"hostile\", but no record drops it".to_owned(),
            ],
        ),
        (
            |d| d.dropped_content_ids.push(id("paged")),
            vec!["dropped_content_ids lists \"paged\", but no record drops it".to_owned()],
        ),
        (
            |d| d.dropped_content_ids.clear(),
            vec![
                "dropped_content_ids does not list \"hostile\", but it was dropped".to_owned(),
                "dropped_content_ids does not list \"gone\", but it was dropped".to_owned(),
            ],
        ),
        (
            |d| d.sources[0].tokens += 1,
            vec!["record of extraction for \"paged\": it left 40 tokens, but its text has 41".to_owned()],
        ),
    ];
    for (spoil, want) in cases {
        let (mut report, archive) = response();
        spoil(report.data.as_mut().expect("a report"));
        assert_eq!(check(&report, &archive).mismatches[0].kind(), MismatchKind::Seal, "{want:?}");
        report.seal = report.data.as_ref().and_then(seal);
        let found = check(&report, &archive);
        assert_eq!(lines(&found), want);
    }
}

fn record<'d>(data: &'d mut ReportData, item: &str, phase: Phase) -> &'d mut precis_proto::fidelity::FidelityRecord {
    data.content_fidelity.0.get_mut(&id(item)).and_then(|item| item.phases.get_mut(&phase)).expect("a record")
}

#[test]
fn title_question_warnings_and_fields_of_another_version_stand_under_one_seal() {
    let (report, archive) = response();
    let texts = |hex: &str| archive.get(hex).cloned();
    let archive = super::ArchiveReader { text: &texts, blocks: &|_| None };
    let value = serde_json::to_value(&report).expect("serialises");
    for (pointer, key) in
        [("/data", "query"), ("/data/sources/0", "title"), ("/data", "warning_details"), ("/data", "later")]
    {
        let mut edited = value.clone();
        edited.pointer_mut(pointer).expect("there")[key] =
            serde_json::json!(if key == "warning_details" { "[]" } else { "x" });
        if key == "warning_details" {
            edited["data"][key] = serde_json::json!([]);
        }
        let found = lines(&verify_value(&edited, archive));
        assert!(found.len() == 1 && found[0].starts_with("the seal is \"sha256:"), "{key}: {found:?}");
    }
    let mut bare = value.clone();
    bare.as_object_mut().expect("an envelope").remove("seal");
    assert_eq!(lines(&verify_value(&bare, archive)), ["the report has no seal"]);
    bare["data"].as_object_mut().expect("data").remove("generated");
    let older = verify_value(&bare, archive);
    assert!(older.holds() && older.is_sealed.is_none(), "a report from before seals");
}

#[test]
fn a_missing_text_is_reported_once_and_a_differing_one_twice() {
    let (report, mut archive) = response();
    let hex = sha256_hex(PAGED.as_bytes());
    archive.remove(&hex);
    let found = check(&report, &archive);
    assert_eq!(lines(&found), [format!("archived text {hex} is not in the archive")]);
    assert_eq!((found.citations_proved, found.texts_proved), (1, 1));

    let swapped = PAGED.replace("2500", "2600").into_bytes();
    let actual = sha256_hex(&swapped);
    archive.insert(hex.clone(), swapped);
    let found = check(&report, &archive);
    assert_eq!(found.mismatches[0].to_string(), format!("archived text {hex}: its bytes hash to {actual}"));
    assert!(found.mismatches[1].to_string().starts_with("citation 2 page:2:char:13-61: archived text reads"));

    archive.insert(hex, b"\xff\xfe".to_vec());
    let found = check(&report, &archive);
    let kinds: Vec<(MismatchKind, usize)> =
        found.first_of_each_kind().iter().map(|(first, count)| (first.kind(), *count)).collect();
    assert_eq!(kinds, [(MismatchKind::TextHash, 1), (MismatchKind::NoPlace, 2)]);
}

#[test]
fn a_fragment_accounts_for_its_source_and_a_namesake_does_not() {
    for (item, holds) in [("paged#fragment-1", true), ("paged2", false), ("pag", false)] {
        let (mut report, archive) = response();
        let fidelity = &mut report.data.as_mut().expect("a report").content_fidelity.0;
        let own = fidelity.remove(&id("paged")).expect("there");
        fidelity.insert(id(item), own);
        fidelity.insert(id("paged#"), Default::default());
        report.seal = report.data.as_ref().and_then(seal);
        assert_eq!(check(&report, &archive).holds(), holds, "{item}");
    }
}

#[test]
fn what_is_no_report_is_said_to_be_none() {
    let none = super::ArchiveReader { text: &|_| None, blocks: &|_| None };
    let (mut report, archive) = response();
    report.meta.version = "response-v3".to_owned();
    assert_eq!(lines(&check(&report, &archive)), ["meta.version is \"response-v3\", not \"response-v2\""]);
    let failure = ErrorInfo::new(Status::Failed, FailureCode::from_word("c"), "m");
    assert_eq!(lines(&verify(&Response::failure(failure), none)), ["the response contains no report"]);
    let found = verify_value(&serde_json::json!({ "success": 1 }), none);
    assert!(found.mismatches[0].to_string().starts_with("the file is not a report: "), "{found:?}");
}
