//! Tests of the questions to a model, which answers count, and what they change.

use precis_proto::claim::{Check, Evaluation};
use precis_proto::finding::Finding;
use precis_proto::source::Source;
use precis_text::CanonicalText;

use super::*;
use crate::claims::{settle, settle_with};

const QUERY: &str = "What became of the glacier?";
/// The text around the quotes.
const BEFORE: &str = "The survey of Brem was made on foot.";
const AFTER: &str = "The winter was mild.";
const QUOTES: [&str; 6] = [
    "The glacier of Brem lost a third of its ice in the last decade.",
    "The harbour below the glacier was closed to large ships.",
    "The village council raised the fee for parking in summer.",
    "The old bridge over the river may be repaired by the state.",
    "Some farmers of the valley sold their meadows to the park.",
    "The reservoir supplies the town with water in spring.",
];

fn texts() -> SourceTexts {
    let text = |quote: &str| CanonicalText::from_plain(&format!("{BEFORE} {quote} {AFTER}"));
    QUOTES.iter().zip(1..).map(|(quote, n)| (id(n), text(quote))).collect()
}

fn id(n: usize) -> SourceId {
    SourceId::new(format!("s{n}")).expect("an id")
}

fn findings() -> Vec<Finding> {
    let start = BEFORE.chars().count() + 1;
    let finding = |(quote, n): (&&str, usize)| {
        let locator = CharRange::new(start, start + quote.chars().count());
        let locator = precis_proto::Locator { page: None, range: locator };
        let quote = Quote {
            source_id: id(n),
            locator,
            text: (*quote).to_owned(),
            headings: Vec::new(),
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
            place: None,
        };
        let statement = quote.text.clone();
        let finding_id = n as u32;
        Finding { finding_id, topic: String::new(), statement, quotes: vec![quote], score: 0.5, tokens: 9 }
    };
    QUOTES.iter().zip(1..).map(finding).collect()
}

fn sources() -> Vec<Source> {
    let source = |(id, text): (&SourceId, &CanonicalText)| {
        serde_json::from_value(serde_json::json!({
            "source_id": id, "title": format!("{id}.pdf"), "origin": { "content": text.hash() },
            "text": { "content": text.hash(), "chars": text.chars(), "tokens": 1, "pages": 0 },
        }))
        .expect("a source")
    };
    texts().iter().map(source).collect()
}

fn settled(opinions: &Opinions, draft: &str) -> SettledDraft {
    settle_with(opinions, QUERY, draft, &findings(), &sources(), &texts(), true)
}

fn answer(verdict: Verdict, quote: &str) -> Judgement {
    Judgement { verdict: Some(verdict), quote: quote.to_owned(), reason: "so it says".to_owned() }
}

/// The report on `draft` after a model has answered all that it was asked.
fn judged(draft: &str, answers: &[Judgement]) -> SettledDraft {
    let first = settled(&Opinions::new(), draft);
    let asked = questions(&first, &texts());
    assert_eq!(asked.len(), answers.len(), "{:?}", first.claims);
    settled(&counted(&asked, answers, &first.claims, &texts()), draft)
}

/// `supported` by the checks: all words but one occur in the quote.
const TURNED: &str = "The glacier of Brem gained a third of its ice in the last decade. [1]";
/// `partly` by the checks.
const FREE: &str = "Ice melted and vanished quickly from the glacier of Brem. [1]";

#[test]
fn a_model_is_asked_about_what_the_checks_let_pass_and_sees_the_quotes_in_their_context_alone() {
    use Verdict::{NotSupported, Partly, Supported, Verbatim};
    let draft = format!(
        "{} [1]\n\n{TURNED}\n\n{FREE}\n\nThe glacier of Brem did not lose a third of its ice in the last decade. [1]",
        QUOTES[0]
    );
    let found = settled(&Opinions::new(), &draft);
    let verdicts: Vec<Verdict> = found.claims.iter().map(|claim| claim.verdict).collect();
    assert_eq!(verdicts, [Verbatim, Supported, Partly, NotSupported], "{:#?}", found.claims);
    let asked = questions(&found, &texts());
    assert_eq!(asked.iter().map(|question| question.claim).collect::<Vec<_>>(), [1, 2]);
    let passage = JudgePassage { id: 1, title: "s1.pdf".to_owned(), text: format!("{BEFORE} {} {AFTER}", QUOTES[0]) };
    let statement = TURNED.trim_end_matches(" [1]").to_owned();
    assert_eq!(asked[0].task, JudgeTask { statement, passages: vec![passage], ..JudgeTask::default() });
}

#[test]
fn a_judgement_lowers_any_verdict_and_raises_what_is_carried_in_part() {
    use Verdict::{Disputed, NotSupported, Partly, Supported};
    let mark = "(no quote supports this)";
    for (draft, verdict, want, done, shows) in [
        (TURNED, Supported, Supported, Done::Kept, ""),
        (TURNED, Partly, Partly, Done::Marked, "(supported in part by its quotes)"),
        (TURNED, Disputed, Disputed, Done::Marked, "(another source gives another value)"),
        (TURNED, NotSupported, NotSupported, Done::Marked, mark),
        (FREE, Supported, Supported, Done::Kept, ""),
        (FREE, Partly, Partly, Done::Marked, "(supported in part by its quotes)"),
        (FREE, Disputed, Partly, Done::Marked, "(supported in part by its quotes)"),
        (FREE, NotSupported, NotSupported, Done::Marked, mark),
    ] {
        let found = judged(draft, &[answer(verdict, "lost a third of its\n ice")]);
        let claim = &found.claims[0];
        assert_eq!((claim.verdict, claim.done, claim.judged_by), (want, done, JudgedBy::Model), "{draft} {verdict:?}");
        assert_eq!(claim.reason.as_deref(), Some("so it says"));
        assert_eq!(
            found.cited.markdown.matches('(').count(),
            usize::from(!shows.is_empty()),
            "{}",
            found.cited.markdown
        );
        assert!(found.cited.markdown.contains(shows), "{}", found.cited.markdown);
        assert_eq!(found.cited.citations.len(), 1, "what is cited stays so");
        let quote = claim.rests_on.as_ref().expect("a quote");
        let text = &texts()[&quote.source_id];
        assert_eq!(quote.text, "lost a third of its ice");
        assert_eq!(text.slice(text.resolve(&quote.locator).expect("a place")), quote.text);
    }
}

#[test]
fn what_goes_further_than_its_quote_is_not_raised() {
    let found = judged(
        "All farmers of the valley sold their meadows to the park. [5]",
        &[answer(Verdict::Supported, "Some farmers of the valley sold their meadows")],
    );
    assert_eq!((found.claims[0].verdict, found.claims[0].done), (Verdict::Partly, Done::Marked));
}

#[test]
fn a_statement_of_several_sentences_has_one_mark() {
    let draft = "Ice melted and vanished quickly from the glacier of Brem. It lost a third of its ice. [1]";
    for (verdict, marks) in [(Verdict::Supported, 0), (Verdict::NotSupported, 1)] {
        let found = judged(draft, &[answer(verdict, "lost a third of its ice")]);
        assert_eq!(found.cited.markdown.matches('(').count(), marks, "{}", found.cited.markdown);
    }
}

#[test]
fn only_words_that_were_shown_count() {
    let first = settled(&Opinions::new(), TURNED);
    let asked = questions(&first, &texts());
    for (quote, counts) in [
        ("The glacier of Brem lost a third of its ice", true),
        ("The  glacier\tof Brem lost a third", true),
        ("“The glacier of Brem lost a third”", true),
        ("The survey of Brem was made on foot.", true),
        ("The glacier of Brem gained a third of its ice", false),
        ("the glacier of brem lost a third of its ice", false),
        ("The glacier lost a third", false),
        ("The harbour below the glacier was closed", false),
        ("of its", false),
        ("", false),
    ] {
        let opinions = counted(&asked, &[answer(Verdict::NotSupported, quote)], &first.claims, &texts());
        assert_eq!(opinions.len(), usize::from(counts), "{quote:?}");
    }
    let none = Judgement { verdict: None, ..answer(Verdict::Partly, "lost a third of its ice") };
    let verbatim = answer(Verdict::Verbatim, "lost a third of its ice");
    for refused in [none, verbatim, Judgement::default()] {
        assert!(counted(&asked, &[refused], &first.claims, &texts()).is_empty());
    }
}

#[test]
fn words_of_two_blocks_are_no_quote() {
    use precis_proto::BlockKind::Paragraph;
    use precis_text::Leaf;
    let first = settled(&Opinions::new(), TURNED);
    let asked = questions(&first, &texts());
    let leaves = [BEFORE, QUOTES[0], AFTER].map(|text| Leaf::new(Paragraph, text));
    let parted = SourceTexts::from([(id(1), CanonicalText::from_leaves(&leaves))]);
    assert_eq!(parted[&id(1)].as_str(), texts()[&id(1)].as_str());
    for (quote, counts) in [
        ("lost a third of its ice in the last decade.", true),
        ("in the last decade. The winter was mild.", false),
        ("was made on foot. The glacier of Brem", false),
    ] {
        let answers = [answer(Verdict::NotSupported, quote)];
        assert_eq!(counted(&asked, &answers, &first.claims, &parted).len(), usize::from(counts), "{quote}");
        assert_eq!(counted(&asked, &answers, &first.claims, &texts()).len(), 1, "where nothing is known of blocks");
    }
}

/// A report of `count` statements that the checks let pass, and its sources' words for each.
fn light(count: usize) -> (String, Vec<&'static str>) {
    let statements = [
        ("The glacier of Brem gained a third of its ice in the last decade. [1]", "lost a third of its ice"),
        ("The harbour below the glacier was opened to large ships. [2]", "was closed to large ships"),
        ("The village council lowered the fee for parking in summer. [3]", "raised the fee for parking"),
        ("The old bridge over the river may be painted by the state. [4]", "may be repaired by the state"),
        ("Some farmers of the valley rented their meadows to the park. [5]", "sold their meadows to the park"),
        ("The reservoir supplies the village with water in spring. [6]", "supplies the town with water"),
    ];
    let chosen = &statements[..count];
    let draft = chosen.iter().map(|(text, _)| *text).collect::<Vec<_>>().join("\n\n");
    (draft, chosen.iter().map(|(_, quote)| *quote).collect())
}

#[test]
fn whoever_says_the_same_of_everything_changes_nothing() {
    for (count, changed) in [(SAME_LEAST - 1, SAME_LEAST - 1), (SAME_LEAST, 0), (SAME_LEAST + 1, 0)] {
        let (draft, quotes) = light(count);
        let all = |verdict| quotes.iter().map(|quote| answer(verdict, quote)).collect::<Vec<_>>();
        let found = judged(&draft, &all(Verdict::NotSupported));
        let marked = found.claims.iter().filter(|claim| claim.verdict == Verdict::NotSupported).count();
        assert_eq!(marked, changed, "{count}: {:?}", found.claims);
        if changed == 0 {
            assert_eq!(found, settled(&Opinions::new(), &draft), "the checks' own report");
        }
        let mut other = all(Verdict::NotSupported);
        other[0].verdict = Some(Verdict::Supported);
        let found = judged(&draft, &other);
        let marked = found.claims.iter().filter(|claim| claim.verdict == Verdict::NotSupported).count();
        assert_eq!(marked, count - 1, "one that differs makes it a judgement");
        let found = judged(&draft, &all(Verdict::Supported));
        assert!(found.claims.iter().all(|claim| claim.judged_by == JudgedBy::Model), "agreeing changes nothing");
    }
}

#[test]
fn what_was_asked_is_counted_with_what_came_of_it() {
    let (draft, quotes) = light(3);
    let answers = [
        answer(Verdict::NotSupported, quotes[0]),
        answer(Verdict::NotSupported, "not there, not anywhere"),
        Judgement::default(),
    ];
    let found = judged(&draft, &answers);
    assert_eq!(counts(3, &found.claims), Some(JudgeCounts { asked: 3, counted: 1, refused: 2 }));
    assert_eq!(counts(0, &found.claims), None);
    assert_eq!(Evaluation::from_claims(&found.claims).verdicts.not_supported, 1);
}

#[test]
fn no_more_statements_are_asked_about_than_the_limit() {
    for (count, want) in
        [(MOST_JUDGED - 1, MOST_JUDGED - 1), (MOST_JUDGED, MOST_JUDGED), (MOST_JUDGED + 1, MOST_JUDGED)]
    {
        let draft = vec![TURNED; count].join("\n\n");
        assert_eq!(questions(&settled(&Opinions::new(), &draft), &texts()).len(), want, "{count}");
    }
}

#[test]
fn a_call_holds_as_many_tokens_as_the_limit() {
    let mut found = settled(&Opinions::new(), TURNED);
    let of = |found: &SettledDraft| questions(found, &texts()).first().map(|question| question.tokens);
    let alone = of(&found).expect("a question");
    let word = tokens::count(" ice ice") - tokens::count(" ice");
    assert_eq!(word, 1, "the filler is a token a word");
    let statement = found.claims[0].text.clone();
    for (tokens, asked) in [(CALL_TOKENS - 1, true), (CALL_TOKENS, true), (CALL_TOKENS + 1, false)] {
        found.claims[0].text = format!("{statement}{}", " ice".repeat((tokens - alone) as usize));
        assert_eq!(of(&found), asked.then_some(tokens), "{tokens}");
    }
}

#[test]
fn a_reason_ends_at_its_limit() {
    let first = settled(&Opinions::new(), TURNED);
    let asked = questions(&first, &texts());
    let most = JUDGED_REASON_CHARS;
    for (chars, want) in [(most - 1, most - 1), (most, most), (most + 1, most)] {
        let given = Judgement { reason: "ä".repeat(chars), ..answer(Verdict::Partly, "lost a third of its ice") };
        let opinions = counted(&asked, &[given], &first.claims, &texts());
        assert_eq!(opinions[&0].reason.chars().count(), want);
    }
}

#[test]
fn a_question_is_put_as_long_as_its_share_lasts() {
    let free = JudgingUse::default();
    let limits = JudgingUse { max_tokens: Some(100_000), max_usd: Some(1.0), left_ms: Some(10_000), ..free };
    let share = 100_000 * SHARE_PERCENT / 100;
    let next = 1_000 + BESIDE_TOKENS;
    for (spent, want) in [
        (free, true),
        (limits, true),
        (JudgingUse { asked: MOST_JUDGED - 1, ..free }, true),
        (JudgingUse { asked: MOST_JUDGED, ..free }, false),
        (JudgingUse { unanswered: UNANSWERED_MOST - 1, ..free }, true),
        (JudgingUse { unanswered: UNANSWERED_MOST, ..free }, false),
        (JudgingUse { judging_tokens: share - next, ..limits }, true),
        (JudgingUse { judging_tokens: share - next + 1, ..limits }, false),
        (JudgingUse { tokens: 100_000 - next, ..limits }, true),
        (JudgingUse { tokens: 100_000 - next + 1, ..limits }, false),
        (JudgingUse { judging_usd: 0.19, ..limits }, true),
        (JudgingUse { judging_usd: 0.2, ..limits }, false),
        (JudgingUse { usd: 0.99, ..limits }, true),
        (JudgingUse { usd: 1.0, ..limits }, false),
        (JudgingUse { judging_ms: 1_999, ..limits }, true),
        (JudgingUse { judging_ms: 2_000, ..limits }, false),
        (JudgingUse { tokens: 1_000_000_000, usd: 1e9, judging_ms: u64::MAX, ..free }, true),
    ] {
        assert_eq!(may_ask(&spent, 1_000), want, "{spent:?}");
    }
}

#[test]
fn a_statement_that_failed_a_check_is_closed_to_opinions() {
    let found = settled(&Opinions::new(), TURNED);
    let open = found.claims[0].clone();
    assert!(is_open(&open));
    use CheckKind::{Date, Name, Negation, Number, Quoted, Subject, Unit};
    for kind in [Number, Date, Unit, Name, Negation, Quoted, Subject] {
        let failed = Check { kind, said: "5 %".to_owned(), found: None, holds: false };
        let claim = Claim { checks: vec![failed], ..open.clone() };
        assert_eq!(is_open(&claim), kind == Subject, "{kind:?}");
    }
    for verdict in [Verdict::Verbatim, Verdict::NotSupported, Verdict::Disputed] {
        assert!(!is_open(&Claim { verdict, ..open.clone() }));
    }
    // An opinion on a statement that may not be asked about changes nothing.
    let opinion = |rests_on| Opinion { verdict: Verdict::Supported, reason: String::new(), rests_on };
    let draft = "The glacier of Brem did not lose a third of its ice in the last decade. [1]";
    let by_checks = settle(QUERY, draft, &findings(), &sources(), &texts(), true);
    let forced = Opinions::from([(0, opinion(open.rests_on.clone().expect("a quote")))]);
    assert_eq!(settled(&forced, draft), by_checks);
}
