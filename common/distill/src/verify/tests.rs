//! Each way in which a report can be wrong, and the line that says so.

use precis_proto::Phase;
use precis_proto::response::{ErrorInfo, Status};

use super::*;
use crate::sample::{Archive, HOSTILE, PAGED, id, response};

fn check(report: &Response, archive: &Archive) -> Verification {
    verify(report, &|hex| archive.get(hex).cloned())
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
    assert_eq!(verify_value(&value, &|hex| archive.get(hex).cloned()), found);
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
fn each_mismatch_is_one_precise_line() {
    let hash = |text: &str| sha256_hex(text.as_bytes());
    type Spoil = fn(&mut ReportData);
    let cases: [(Spoil, Vec<String>); 11] = [
        (
            |d| d.citations[0].text = "Glaciers in the Alps lost a fifth".to_owned(),
            vec!["citation 1 page:1:char:0-60: archived text reads \"Glaciers in the Alps lost a tenth of their ice in two years.\" \
                  where the report says \"Glaciers in the Alps lost a fifth\""
                .to_owned()],
        ),
        (
            |d| d.citations[1].locator = "page:3:char:0-4".parse().expect("a locator"),
            vec!["citation 2 page:3:char:0-4: the archived text has no such place".to_owned()],
        ),
        (
            |d| d.citations[2].source_id = id("paged"),
            vec!["citation 3: its text hash is not that of source \"paged\"".to_owned()],
        ),
        (
            |d| d.report.push_str(" More [8]."),
            vec!["the report cites [8], which is not among its citations".to_owned()],
        ),
        (|d| d.report = d.report.replace("[3]", ""), vec!["citation 3: the report does not use it".to_owned()]),
        (|d| d.citations.swap(0, 1), vec!["citation 2 stands where 1 belongs".to_owned()]),
        (|d| d.ledger[1].tokens_dropped += 1, vec!["ledger of summarization: 80 tokens in, 81 out".to_owned()]),
        (
            |d| {
                d.ledger.remove(1);
            },
            vec!["ledger of compression: 20 tokens in, but extraction kept 80".to_owned(), "source \"hostile\": no record of what compression did to it".to_owned()],
        ),
        (
            |d| drop(d.content_archive_hashes.insert(id("gone"), sha256_hex(HOSTILE.as_bytes()))),
            vec![format!("source \"gone\": its row states no hash, its archived text {}", hash(HOSTILE))],
        ),
        (
            |d| d.content_fidelity.0.clear(),
            vec![
                "source \"paged\": no record of what extraction did to it".to_owned(),
                "source \"hostile\": no record of what extraction did to it".to_owned(),
            ],
        ),
        (
            |d| d.sources[2].failure = None,
            vec!["source \"gone\": no record of what extraction did to it".to_owned()],
        ),
    ];
    for (spoil, want) in cases {
        let (mut report, archive) = response();
        spoil(report.data.as_mut().expect("a report"));
        let found = check(&report, &archive);
        assert_eq!(lines(&found), want);
    }
}

#[test]
fn a_text_that_is_missing_is_said_once_and_one_that_differs_twice() {
    let (report, mut archive) = response();
    let hex = sha256_hex(PAGED.as_bytes());
    archive.remove(&hex);
    let found = check(&report, &archive);
    assert_eq!(lines(&found), [format!("archived text {hex}: not in the archive")]);
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
        assert_eq!(check(&report, &archive).holds(), holds, "{item}");
    }
}

#[test]
fn what_is_no_report_is_said_to_be_none() {
    let none = |_: &str| None;
    let (mut report, archive) = response();
    report.meta.version = "response-v3".to_owned();
    assert_eq!(lines(&check(&report, &archive)), ["meta.version is \"response-v3\", not \"response-v2\""]);
    let failure = ErrorInfo {
        session_id: None,
        status: Status::Failed,
        code: "c".to_owned(),
        message: "m".to_owned(),
        remedy: None,
        pointer: None,
        sources: Vec::new(),
    };
    assert_eq!(lines(&verify(&Response::failure(failure), &none)), ["it holds no report"]);
    let found = verify_value(&serde_json::json!({ "success": 1 }), &none);
    assert!(found.mismatches[0].to_string().starts_with("the file is not a report: "), "{found:?}");
}

#[test]
fn a_record_is_asked_for_until_the_source_was_dropped() {
    let (report, _) = response();
    let data = report.data.expect("a report");
    assert!(data.content_fidelity.get(&id("hostile"), Phase::Compression).is_none());
    assert_eq!(missing_phase(&data, &id("hostile")), None);
    assert_eq!(missing_phase(&data, &id("nobody")), Some(Phase::Extraction));
}
