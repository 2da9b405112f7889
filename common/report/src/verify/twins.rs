//! Tests the law of equal words over the whole built-in model: no statement cites a quote that says something else, however few words
//! they differ in.

use std::collections::BTreeSet;

use precis_context::compress::{findings, of_text, task_passages};
use precis_evidence::compared;
use precis_evidence::ranking::Ranker;
use precis_extract::{ExtractLimits, Hint, HtmlMode, extract};
use precis_proto::answer::AnswerStatus;
use precis_proto::finding::Finding;
use precis_proto::job::{CompressionAnswer, JobOutcome};
use precis_proto::state::SessionState;
use precis_proto::task::{CompressTask, SynthesizeTask, TaskFinding};
use precis_proto::{Phase, SourceId, Timestamp};
use precis_research::extractive;

use crate::answered::{ReportSaid, StandingStatement, statements as statements_of};
use crate::claims::{SourceTexts, settle};
use crate::draft::citations::{CitedDraft, cite};
use crate::fold;
use crate::fold::fixture;

/// A question, and two sentences that differ in what decides.
type Twins = (&'static str, &'static str, &'static str);

const TWINS: &[Twins] = &[
    (
        "Who pays the damages for delay?",
        "The supplier shall pay the damages for each week of delay of the pumps.",
        "The buyer shall pay the damages for each week of delay of the pumps.",
    ),
    (
        "How did the noise of the mill change?",
        "In the last year the noise of the mill by the river increased by a third.",
        "In the last year the noise of the mill by the river decreased by a third.",
    ),
    (
        "Is the ladder to be locked at night?",
        "The ladder of the tower must be locked at night by the guard on duty.",
        "The ladder of the tower must be unlocked at night by the guard on duty.",
    ),
    (
        "Who may enter the store at night?",
        "After the theft everybody on the night shift may enter the store behind the gate.",
        "After the theft nobody on the night shift may enter the store behind the gate.",
    ),
    (
        "When does the licence of the ferry end?",
        "The licence of the old ferry on the lake ends before the first snow of the year.",
        "The licence of the old ferry on the lake ends after the first snow of the year.",
    ),
    (
        "Wem wurde der Schlüssel zum Archiv gegeben?",
        "Nach der Sitzung wurde einem Mitglied der Schlüssel zum Archiv im Keller gegeben.",
        "Nach der Sitzung wurde keinem Mitglied der Schlüssel zum Archiv im Keller gegeben.",
    ),
    (
        "Qui doit réparer le toit de la grange ?",
        "Selon le bail le fermier doit réparer le toit de la grange avant la fin de l'automne.",
        "Selon le bail le bailleur doit réparer le toit de la grange avant la fin de l'automne.",
    ),
    (
        "¿Quién abrió la puerta del almacén?",
        "Según el informe algún guardia abrió la puerta del almacén antes de la llegada del camión.",
        "Según el informe ningún guardia abrió la puerta del almacén antes de la llegada del camión.",
    ),
    (
        "Chi deve pulire il cortile della scuola?",
        "Secondo il contratto la ditta deve pulire il cortile della scuola ogni lunedì mattina.",
        "Secondo il contratto la scuola deve pulire il cortile della ditta ogni lunedì mattina.",
    ),
    (
        "Quem deve pagar a água do prédio?",
        "Pelo contrato o inquilino deve pagar a água do prédio no início de cada mês.",
        "Pelo contrato o inquilino não deve pagar a água do prédio no início de cada mês.",
    ),
    (
        "Wie moet de sloot achter de dijk schoonmaken?",
        "Volgens de akte moet de pachter de sloot achter de dijk elk najaar schoonmaken.",
        "Volgens de akte hoeft de pachter de sloot achter de dijk nooit schoonmaken.",
    ),
    (
        "Kto musi naprawić dach stodoły?",
        "Według umowy dzierżawca musi naprawić dach stodoły przed końcem jesieni tego roku.",
        "Według umowy dzierżawca nie musi naprawić dachu stodoły przed końcem jesieni tego roku.",
    ),
    (
        "Je pumpa ve sklepě zapnutá?",
        "Podle zprávy je pumpa ve sklepě staré školy po celou noc zapnutá.",
        "Podle zprávy není pumpa ve sklepě staré školy po celou noc zapnutá.",
    ),
    (
        "Får hyresgästen elda på gården?",
        "Enligt avtalet får hyresgästen elda på gården bakom huset under hela hösten.",
        "Enligt avtalet får hyresgästen inte elda på gården bakom huset under hela hösten.",
    ),
    (
        "Должен ли арендатор чинить крышу амбара?",
        "По договору арендатор должен чинить крышу амбара до конца осени этого года.",
        "По договору арендатор не должен чинить крышу амбара до конца осени этого года.",
    ),
    (
        "Чи повинен орендар лагодити дах комори?",
        "За договором орендар повинен лагодити дах комори до кінця осені цього року.",
        "За договором орендар не повинен лагодити дах комори до кінця осені цього року.",
    ),
    (
        "Kiracı çatıyı onarmak zorunda mı?",
        "Sözleşmeye göre kiracı ambarın çatısını sonbaharın sonuna kadar onarmak zorundadır.",
        "Sözleşmeye göre kiracı ambarın çatısını sonbaharın sonuna kadar onarmak zorunda değildir.",
    ),
    (
        "هل يدفع المستأجر ثمن الماء؟",
        "وفقا للعقد يدفع المستأجر ثمن الماء في بداية كل شهر من السنة.",
        "وفقا للعقد لا يدفع المستأجر ثمن الماء في بداية كل شهر من السنة.",
    ),
    (
        "क्या किरायेदार पानी का शुल्क देगा?",
        "अनुबंध के अनुसार किरायेदार हर महीने पानी का शुल्क समय पर देगा।",
        "अनुबंध के अनुसार किरायेदार हर महीने पानी का शुल्क समय पर नहीं देगा।",
    ),
    (
        "借主は屋根の修理費を負担するか。",
        "契約によれば借主は秋の終わりまでに納屋の屋根の修理費を負担する。",
        "契約によれば借主は秋の終わりまでに納屋の屋根の修理費を負担しない。",
    ),
    (
        "임차인은 지붕 수리비를 부담합니까?",
        "계약에 따르면 임차인은 가을이 끝나기 전에 헛간 지붕 수리비를 부담한다.",
        "계약에 따르면 임차인은 가을이 끝나기 전에 헛간 지붕 수리비를 부담하지 않는다.",
    ),
    (
        "承租人是否支付屋顶的修理费？",
        "根据合同，承租人应当在秋季结束之前支付谷仓屋顶的修理费。",
        "根据合同，承租人不应当在秋季结束之前支付谷仓屋顶的修理费。",
    ),
    (
        "Người thuê có phải sửa mái nhà kho không?",
        "Theo hợp đồng người thuê phải sửa mái nhà kho trước khi mùa thu kết thúc.",
        "Theo hợp đồng người thuê không phải sửa mái nhà kho trước khi mùa thu kết thúc.",
    ),
    (
        "ผู้เช่าต้องจ่ายค่าซ่อมหลังคาหรือไม่",
        "ตามสัญญา ผู้เช่าต้องจ่ายค่าซ่อมหลังคายุ้งฉางก่อนสิ้นฤดูใบไม้ร่วง",
        "ตามสัญญา ผู้เช่าไม่ต้องจ่ายค่าซ่อมหลังคายุ้งฉางก่อนสิ้นฤดูใบไม้ร่วง",
    ),
    (
        "Πρέπει ο μισθωτής να επισκευάσει τη στέγη;",
        "Σύμφωνα με τη σύμβαση ο μισθωτής πρέπει να επισκευάσει τη στέγη της αποθήκης.",
        "Σύμφωνα με τη σύμβαση ο μισθωτής δεν πρέπει να επισκευάσει τη στέγη της αποθήκης.",
    ),
    (
        "Må lejeren tænde bål i gården?",
        "Ifølge aftalen må lejeren tænde bål i gården bag huset hele efteråret.",
        "Ifølge aftalen må lejeren ikke tænde bål i gården bag huset hele efteråret.",
    ),
];

/// The report of the built-in model on these texts, each a document, and the findings that it could cite.
fn report_on(question: &str, texts: &[String]) -> (CitedDraft, SessionState) {
    let (draft, state) = draft_on(question, texts);
    (cite(&draft, &state.findings, &state.sources), state)
}

/// The draft of that report, whose marks are numbers of findings.
fn draft_on(question: &str, texts: &[String]) -> (String, SessionState) {
    let tokens = vec![100; texts.len()];
    let mut state = fixture::session(Phase::Compression, &tokens);
    state.sources.iter_mut().for_each(|source| source.title = "Notes of the office".to_owned());
    let ids: Vec<SourceId> = state.sources.iter().map(|source| source.source_id.clone()).collect();
    let of_source = |(id, text): (&SourceId, &String)| {
        let hint = Hint { content_type: None, name: "notes.txt" };
        let read = extract(text.as_bytes(), &hint, HtmlMode::Full, &ExtractLimits::default()).expect("a text");
        of_text(id, &read.text, (question, ""), (Ranker::Bm25, None), 400)
    };
    let passages: Vec<_> = ids.iter().zip(texts).flat_map(of_source).collect();
    let task = CompressTask {
        notes: Vec::new(),
        query: question.to_owned(),
        topic: String::new(),
        passages: task_passages(&passages, |_| Default::default()),
        max_findings: 40,
        known: Default::default(),
    };
    let count = |text: &str| text.len() as u64 / 4 + 1;
    let found = findings(&extractive::compress(&task), &passages, &count);
    let answer =
        CompressionAnswer { findings: found, unmatched: vec![], provider: "p".to_owned(), read: vec![], meaning: None };
    fold::compression(&mut state, vec![(String::new(), ids.clone(), JobOutcome::Done(answer))], Timestamp(0));
    let task = SynthesizeTask {
        evidence: Default::default(),
        query: question.to_owned(),
        findings: offered_findings(&state),
        notes: Vec::new(),
        raw_notes: Vec::new(),
        status: None,
        target_tokens: 4_000,
        begun: String::new(),
    };
    (extractive::synthesize(&task, &count).markdown, state)
}

/// The findings of a session as a report is written from them.
fn offered_findings(state: &SessionState) -> Vec<TaskFinding> {
    let source = |id: &SourceId| state.sources.iter().position(|source| source.source_id == *id);
    let offered = |finding: &Finding| TaskFinding {
        id: finding.finding_id,
        topic: String::new(),
        statement: finding.statement.clone(),
        title: finding.quotes[0].source_id.to_string(),
        source: source(&finding.quotes[0].source_id).map_or(0, |at| at as u32 + 1),
        score: finding.score,
        headings: Vec::new(),
        path: String::new(),
        context: Vec::new(),
        similarity: None,
    };
    state.findings.iter().map(offered).collect()
}

/// The statements of a report with the numbers they cite, read as a reader without our code would: what stands before marks. Tests use no
/// signs that Markdown escapes.
fn statements(markdown: &str) -> Vec<(String, BTreeSet<u32>)> {
    let mut found = Vec::new();
    for line in markdown.lines().filter(|line| !line.starts_with('#')) {
        let (mut rest, mut text) = (line.trim_start_matches("- "), String::new());
        let mut cites = BTreeSet::new();
        while let Some((before, behind)) = rest.split_once('[') {
            if !before.trim().is_empty() && !cites.is_empty() {
                found.push((std::mem::take(&mut text), std::mem::take(&mut cites)));
            }
            text.push_str(before.trim());
            let (n, behind) = behind.split_once(']').expect("a mark ends");
            cites.insert(n.parse().expect("a number"));
            rest = behind;
        }
        found.push((text, cites));
    }
    found.retain(|(text, _)| !text.is_empty());
    found
}

/// What a report on two documents says; asserts that each statement has the words of all its quotes.
fn report_statements(question: &str, texts: &[String]) -> Vec<String> {
    let (cited, _) = report_on(question, texts);
    let said = statements(&cited.markdown);
    for (text, cites) in &said {
        for citation in cited.citations.iter().filter(|citation| cites.contains(&citation.n)) {
            assert_eq!(citation.text.trim(), text, "{question}: {}", cited.markdown);
        }
    }
    said.into_iter().map(|(text, _)| text).collect()
}

fn document(name: &str, sentence: &str) -> String {
    format!("Notes of the office, {name} part.\n\n{sentence}\n")
}

#[test]
fn twins_are_two_statements_each_with_its_own_citation() {
    for (question, a, b) in TWINS {
        let said = report_statements(question, &[document("first", a), document("second", b)]);
        assert!(said.iter().any(|said| said.contains(a)) && said.iter().any(|said| said.contains(b)), "{said:?}");
    }
}

#[test]
fn the_same_words_are_one_statement_with_both_citations() {
    for (question, a, _) in TWINS {
        let typeset = a.replace(' ', "\n").replace('\'', "’");
        let (cited, _) = report_on(question, &[document("first", a), document("second", &typeset)]);
        let said = statements(&cited.markdown);
        assert!(said.iter().any(|(text, cites)| text.contains(a) && cites.len() == 2), "{}", cited.markdown);
    }
}

#[test]
fn twins_are_shown_side_by_side_without_a_claim_of_conflict() {
    for (question, a, b) in TWINS {
        let (cited, _) = report_on(question, &[document("first", a), document("second", b)]);
        let shown = compared::disagreements(question, &cited.citations);
        let pair: Vec<&str> = shown.iter().flat_map(|one| &one.values).map(|value| value.value.as_str()).collect();
        assert_eq!(pair.len(), 2, "{question} {shown:?}");
        assert!(pair.contains(a) && pair.contains(b), "{question} {pair:?}");
    }
}

#[test]
fn a_report_whose_statements_are_those_of_another_one_does_not_answer() {
    let reports = TWINS.iter().map(|(question, a, _)| {
        let (draft, state) = draft_on(question, &[document("first", a)]);
        let settled = settle(question, &draft, &state.findings, &state.sources, &SourceTexts::new(), false);
        (*question, offered_findings(&state), statements_of(&settled, &state.sources))
    });
    let reports: Vec<_> = reports.collect();
    for (at, (question, found, own)) in reports.iter().enumerate() {
        let evidence = extractive::judge(question, found, None).expect("a question with terms");
        let answer =
            |said: &[StandingStatement]| ReportSaid::new(found.clone(), said.to_vec()).answer(question, &evidence);
        assert_eq!(answer(own).status, evidence.status, "{question}");
        for (_, _, other) in reports.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, report)| report) {
            assert_eq!(answer(other).status, AnswerStatus::NotInDocuments, "{question}: {other:?}");
        }
    }
    let answered = reports.iter().filter(|(question, found, _)| {
        extractive::judge(question, found, None).is_some_and(|one| one.status != AnswerStatus::NotInDocuments)
    });
    assert!(answered.count() > TWINS.len() / 2, "most are answered by their own report");
}

#[test]
fn sentences_that_differ_in_one_word_are_never_cited_for_one_statement() {
    const SLOTS: [&[&str]; 6] = [
        &["supplier", "buyer", "carrier"],
        &["pays", "refuses", "waives"],
        &["fee", "fine", "deposit"],
        &["early", "late"],
        &["pumps", "valves"],
        &["before", "after", "without"],
    ];
    let mut seed = 11_u64;
    let mut dice = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let sentence = |words: &[&str]| {
        let [who, does, what, when, of, order] = words else { unreachable!("six slots") };
        format!("The {who} of the northern harbour {does} the {what} for {when} delivery of the {of} {order} notice.")
    };
    for _ in 0..150 {
        let mut words: Vec<&str> = SLOTS.iter().map(|slot| slot[dice(slot.len())]).collect();
        let mut texts = vec![document("first", &sentence(&words))];
        for n in 0..1 + dice(4) {
            let slot = dice(SLOTS.len());
            words[slot] = SLOTS[slot][dice(SLOTS[slot].len())];
            texts.push(document(["second", "third", "fourth", "fifth"][n], &sentence(&words)));
        }
        let said = report_statements("Who pays the fee for late delivery of the pumps to the harbour?", &texts);
        let distinct: BTreeSet<&String> = said.iter().collect();
        assert_eq!(distinct.len(), said.len(), "no statement is made twice: {said:?}");
    }
}
