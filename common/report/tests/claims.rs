//! How much the comparison of words doubts, and what it doubts for nothing: a labelled set made over real documents.
//!
//! ```text
//! PRECIS_CLAIMS_DOCS=FOLDER[:FOLDER] cargo test -p precis-report --test claims -- --nocapture
//! ```
//!
//! Each FOLDER holds documents of any format, in folders or not; they are not part of this repository. Without it the set is made over
//! a few sentences of our own, which only shows that every kind can be made. PRECIS_CLAIMS_SEED chooses another set.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "a measurement that prints")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use precis_extract::{ExtractLimits, Hint, HtmlMode, extract};
use precis_proto::claim::{CheckKind, Claim, Verdict};
use precis_proto::finding::{Finding, Quote};
use precis_proto::source::Source;
use precis_proto::{CharRange, SourceId};
use precis_report::claims::{SourceTexts, settle};
use precis_text::CanonicalText;
use precis_text::sentences::{is_whole, of_block};

/// Documents of a round, quotes of each, and documents at most.
const DOCUMENTS: usize = 6;
const QUOTES: usize = 12;
const MOST_DOCUMENTS: usize = 180;

/// What is done to a sentence of a quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Verbatim,
    DroppedClause,
    OtherForm,
    Number,
    Date,
    Name,
    Negated,
    Wider,
    WrongQuote,
}

const KINDS: [Kind; 9] = [
    Kind::Verbatim,
    Kind::DroppedClause,
    Kind::OtherForm,
    Kind::Number,
    Kind::Date,
    Kind::Name,
    Kind::Negated,
    Kind::Wider,
    Kind::WrongQuote,
];

impl Kind {
    fn is_true(self) -> bool {
        matches!(self, Self::Verbatim | Self::DroppedClause | Self::OtherForm)
    }

    /// The check that should fail; none where the verdict alone tells.
    fn check(self) -> Option<CheckKind> {
        match self {
            Self::Number => Some(CheckKind::Number),
            Self::Date => Some(CheckKind::Date),
            Self::Name => Some(CheckKind::Name),
            Self::Negated => Some(CheckKind::Negation),
            _ => None,
        }
    }

    /// Whether a statement of this kind may fail `check`: a number beside a month is a date.
    fn may_fail(self, check: CheckKind) -> bool {
        let dated = |kind| matches!(kind, CheckKind::Number | CheckKind::Date);
        self.check().is_some_and(|own| own == check || (dated(own) && dated(check)))
    }
}

/// Numbers that look drawn and are the same in every run.
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

struct Document {
    id: SourceId,
    text: CanonicalText,
    quotes: Vec<Quote>,
}

fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            documents(&entry, found);
        } else if entry.extension().is_some_and(|e| ["txt", "html", "pdf", "rst", "md"].iter().any(|known| e == *known))
        {
            found.push(entry);
        }
    }
}

fn read(path: &Path, draws: &mut Draws) -> Option<Document> {
    let bytes = std::fs::read(path).ok().filter(|bytes| bytes.len() < 3_000_000)?;
    let name = path.file_name()?.to_string_lossy().into_owned();
    let hint = Hint { content_type: None, name: &name };
    let text = extract(&bytes, &hint, HtmlMode::Main, &ExtractLimits::default()).ok()?.text;
    document(&name, text, draws)
}

fn document(name: &str, text: CanonicalText, draws: &mut Draws) -> Option<Document> {
    let id = SourceId::new(name.replace(|c: char| !c.is_ascii_alphanumeric(), "-")).ok()?;
    let mut ranges: Vec<CharRange> = Vec::new();
    for block in text.leaf_blocks() {
        for sentence in of_block(text.slice(block.range())) {
            let range = CharRange::new(block.start + sentence.start, block.start + sentence.end);
            if (40..400).contains(&range.len()) && is_whole(text.slice(range)) {
                ranges.push(range);
            }
        }
    }
    let mut quotes: Vec<Quote> = Vec::new();
    while quotes.len() < QUOTES && !ranges.is_empty() {
        let range = ranges.swap_remove(draws.below(ranges.len()));
        let quote = Quote {
            source_id: id.clone(),
            locator: text.locator(range),
            text: text.slice(range).to_owned(),
            headings: Vec::new(),
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        };
        if quotes.iter().all(|known| known.text != quote.text) {
            quotes.push(quote);
        }
    }
    (!quotes.is_empty()).then_some(Document { id, text, quotes })
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn is_year(digits: &str) -> bool {
    digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20") || digits.starts_with("18"))
}

/// Runs of digits that stand on their own.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && bytes[at].is_ascii_digit() {
            at += 1;
        }
        let glued = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_' || *b >= 0x80);
        let before = start.checked_sub(1).and_then(|at| bytes.get(at));
        if !glued(before)
            && !glued(bytes.get(at))
            && !matches!(before, Some(b'-' | b'[' | b'.' | b','))
            && text[start..at].trim_start_matches('0').len() == at - start
        {
            found.push((start, at));
        }
    }
    found
}

fn alter(kind: Kind, text: &str, names: &[String], draws: &mut Draws) -> Option<String> {
    match kind {
        Kind::Verbatim | Kind::WrongQuote => Some(text.to_owned()),
        Kind::DroppedClause => {
            let (head, tail) = text.split_once(", ")?;
            let few = |part: &str| part.split_whitespace().count() < 4;
            (!few(head) && !few(tail)).then(|| if draws.below(2) == 0 { format!("{head}.") } else { tail.to_owned() })
        }
        Kind::OtherForm if text.starts_with(|c: char| !c.is_alphabetic()) => None,
        Kind::OtherForm => {
            let lower: String = text.chars().take(1).flat_map(char::to_lowercase).chain(text.chars().skip(1)).collect();
            let mut said = format!("According to the text, {lower}");
            for (from, to) in [
                (" %", " percent"),
                ("%", " percent"),
                (" percent", "%"),
                (" also ", " "),
                (" two ", " 2 "),
                (" three ", " 3 "),
                ("’", "'"),
                (" isn't ", " is not "),
            ] {
                if said.contains(from) && draws.below(2) == 0 {
                    said = said.replacen(from, to, 1);
                    break;
                }
            }
            Some(said)
        }
        Kind::Number | Kind::Date => {
            let wants_year = kind == Kind::Date;
            if wants_year {
                let month = MONTHS.iter().position(|month| text.contains(&format!(" {month} ")) && *month != "May");
                if let Some(month) = month.filter(|_| draws.below(2) == 0) {
                    let other = MONTHS[(month + 1 + draws.below(10)) % 12];
                    return Some(text.replacen(&format!(" {} ", MONTHS[month]), &format!(" {other} "), 1));
                }
            }
            let places: Vec<(usize, usize)> =
                numbers(text).into_iter().filter(|(a, b)| is_year(&text[*a..*b]) == wants_year).collect();
            if places.is_empty() {
                return None;
            }
            let (start, end) = places[draws.below(places.len())];
            let at = start + draws.below(end - start).max(usize::from(wants_year) * 2);
            let old = text.as_bytes()[at];
            let new = b'1' + ((old - b'0') as usize + draws.below(8)) as u8 % 9;
            (new != old).then(|| format!("{}{}{}", &text[..at], new as char, &text[at + 1..]))
        }
        Kind::Name => {
            let words: Vec<&str> = text.split(' ').collect();
            let is_name = |w: &str| {
                w.len() > 4
                    && w.chars().next().is_some_and(char::is_uppercase)
                    && w.chars().skip(1).all(|c| c.is_lowercase() && c.is_ascii())
            };
            let opens = |at: usize| at == 0 || words[at - 1].ends_with(['.', ':', '!', '?', '”', '"']);
            let places: Vec<usize> = (1..words.len())
                .filter(|at| is_name(words[*at]) && !opens(*at) && !MONTHS.contains(&words[*at]))
                .collect();
            if places.is_empty() {
                return None;
            }
            let at = places[draws.below(places.len())];
            let other = names
                .iter()
                .cycle()
                .skip(draws.below(names.len()))
                .take(names.len())
                .find(|name| !text.contains(name.as_str()) && name[..3] != words[at][..3])?;
            let mut words = words;
            words[at] = other;
            Some(words.join(" "))
        }
        Kind::Negated => {
            let turns = [
                (" is not ", " is "),
                (" was not ", " was "),
                (" are not ", " are "),
                (" does not ", " does "),
                (" cannot ", " can "),
                (" is ", " is not "),
                (" was ", " was not "),
                (" are ", " are not "),
                (" were ", " were not "),
                (" has ", " has no "),
                (" can ", " cannot "),
                (" should ", " should not "),
                (" ist ", " ist nicht "),
                (" wird ", " wird nicht "),
                (" sind ", " sind keine "),
                (" es ", " no es "),
                (" fue ", " no fue "),
                (" est ", " n'est pas "),
            ];
            let (from, to) = turns.iter().find(|(from, _)| text.contains(from))?;
            Some(text.replacen(from, to, 1))
        }
        Kind::Wider => {
            let turns = [
                (" some ", " all "),
                (" Some ", " All "),
                (" may ", " will "),
                (" might ", " will "),
                (" could ", " will "),
                (" often ", " always "),
                (" sometimes ", " always "),
                (" usually ", " always "),
                (" many ", " all "),
                (" most ", " all "),
                ("Some ", "All "),
                ("Many ", "All "),
                ("Most ", "All "),
            ];
            let (from, to) = turns.iter().find(|(from, _)| text.contains(from))?;
            Some(text.replacen(from, to, 1))
        }
    }
}

fn source(document: &Document) -> Source {
    let content = document.text.hash();
    serde_json::from_value(serde_json::json!({
        "source_id": document.id, "title": "", "origin": { "content": content },
        "text": { "content": content, "chars": document.text.chars(), "tokens": 1, "pages": document.text.pages().len() },
    }))
    .expect("a source")
}

/// One statement with what was done to it and what came of it.
struct Row {
    kind: Kind,
    said: String,
    claim: Claim,
}

fn measure(documents: &[Document], draws: &mut Draws, rows: &mut Vec<Row>) -> f64 {
    let names: Vec<String> = documents
        .iter()
        .flat_map(|d| &d.quotes)
        .flat_map(|q| q.text.split(' ').skip(1).map(str::to_owned).collect::<Vec<_>>())
        .filter(|w| {
            w.len() > 5
                && w.chars().next().is_some_and(|c| c.is_ascii_uppercase())
                && w.chars().skip(1).all(|c| c.is_ascii_lowercase())
        })
        .collect();
    let quotes: Vec<&Quote> = documents.iter().flat_map(|d| &d.quotes).collect();
    let findings: Vec<Finding> = quotes
        .iter()
        .zip(1..)
        .map(|(quote, n)| Finding {
            finding_id: n,
            topic: String::new(),
            statement: quote.text.clone(),
            quotes: vec![(*quote).clone()],
            score: 0.5,
            tokens: 1,
            similarity: None,
        })
        .collect();
    let sources: Vec<Source> = documents.iter().map(source).collect();
    let texts: SourceTexts = documents.iter().map(|d| (d.id.clone(), d.text.clone())).collect();
    let (mut made, mut draft) = (Vec::new(), "# Report\n".to_owned());
    for (n, finding) in findings.iter().enumerate() {
        let start = draws.below(KINDS.len());
        let tried = (0..KINDS.len()).map(|k| KINDS[(start + k) % KINDS.len()]);
        let Some((kind, said)) = tried.into_iter().find_map(|kind| {
            let said = alter(kind, &finding.quotes[0].text, &names, draws)?;
            // What Markdown reads otherwise is another test's.
            let plain = !said.contains(['[', '*', '_', '`', '<', '&', '|', '\\', '#', '~', '>'])
                && !said.starts_with(|c: char| c.is_numeric() || "-+=:".contains(c));
            plain.then_some((kind, said))
        }) else {
            continue;
        };
        let other = &findings[(n + QUOTES + draws.below(findings.len() / 2)) % findings.len()];
        let wrong = kind == Kind::WrongQuote && other.quotes[0].source_id != finding.quotes[0].source_id;
        let cite = if wrong { other } else { finding };
        draft.push_str(&format!("\n{said} [{}]\n", cite.finding_id));
        made.push((if kind == Kind::WrongQuote && !wrong { Kind::Verbatim } else { kind }, said));
    }
    let begun = Instant::now();
    let settled = settle("What are the main facts?", &draft, &findings, &sources, &texts, true);
    let seconds = begun.elapsed().as_secs_f64();
    assert_eq!(settled.claims.len(), made.len(), "a claim for each statement");
    rows.extend(made.into_iter().zip(settled.claims).map(|((kind, said), claim)| Row { kind, said, claim }));
    seconds
}

fn own_documents(draws: &mut Draws) -> Vec<Document> {
    let texts = [
        "The mill in Ostrava was built by Havel in 1874 and has 12 stones, which were brought from Moravia. Some of its rooms are open. The wheel is not turning. In March the river rises by 2 %, and many visitors come to see it.",
        "A ferry of the Lindqvist line crosses the sound 14 times each day, and it carries 300 cars. The crossing of 1962 was the first. It may be closed in winter. Most captains are from Gothenburg, where the line has its office.",
    ];
    texts
        .iter()
        .enumerate()
        .filter_map(|(n, text)| document(&format!("own-{n}"), CanonicalText::from_plain(text), draws))
        .collect()
}

#[test]
fn model_alterations_are_caught_and_unaltered_text_is_left_alone() {
    let seed = std::env::var("PRECIS_CLAIMS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7_u64);
    let mut draws = Draws(0x2545_F491_4F6C_DD1D ^ seed);
    let folders = std::env::var("PRECIS_CLAIMS_DOCS").unwrap_or_default();
    let mut paths = Vec::new();
    folders.split(':').filter(|f| !f.is_empty()).for_each(|folder| documents(Path::new(folder), &mut paths));
    for at in (1..paths.len()).rev() {
        paths.swap(at, draws.below(at + 1));
    }
    paths.truncate(MOST_DOCUMENTS);
    let has_documents = !paths.is_empty();
    let all: Vec<Document> = if has_documents {
        paths.iter().filter_map(|path| read(path, &mut draws)).collect()
    } else {
        own_documents(&mut draws)
    };
    if !has_documents {
        println!(
            "PRECIS_CLAIMS_DOCS names no documents: the set is made over a few sentences, and nothing is measured"
        );
    }
    let (mut rows, mut seconds, mut bytes) = (Vec::new(), 0.0, 0);
    let mut rest = &all[..];
    while !rest.is_empty() {
        let (round, others) = rest.split_at(DOCUMENTS.min(rest.len()));
        rest = others;
        bytes += round.iter().map(|d| d.text.as_str().len()).sum::<usize>();
        seconds += measure(round, &mut draws, &mut rows);
    }
    table(&rows);
    println!("{} statements, {} documents of {bytes} bytes, settled in {:.1} ms", rows.len(), all.len(), seconds * 1e3);
    if std::env::var_os("PRECIS_CLAIMS_SHOW").is_some() {
        for row in rows.iter().filter(|row| doubted(&row.claim) == row.kind.is_true()) {
            let failing: Vec<String> = row
                .claim
                .checks
                .iter()
                .filter(|c| !c.holds)
                .map(|c| format!("{} {:?} {:?}", c.kind.as_str(), c.said, c.found))
                .collect();
            println!(
                "{:?} {}: {}\n    {}\n    {failing:?}",
                row.kind,
                row.claim.verdict.as_str(),
                row.said,
                row.claim.rests_on.as_ref().map_or("", |q| q.text.as_str())
            );
        }
    }
    let share = |kind: Kind, holds: &dyn Fn(&Row) -> bool| {
        let of_kind: Vec<&Row> = rows.iter().filter(|row| row.kind == kind).collect();
        (!of_kind.is_empty()).then(|| of_kind.iter().filter(|row| holds(row)).count() as f64 / of_kind.len() as f64)
    };
    if has_documents {
        assert!(rows.len() >= 300, "a set of {} statements is too small", rows.len());
        for kind in [Kind::Number, Kind::Date, Kind::Name] {
            assert!(share(kind, &|row| doubted(&row.claim)).is_none_or(|caught| caught >= 0.95), "{kind:?}");
        }
        assert!(share(Kind::Negated, &|row| doubted(&row.claim)).is_none_or(|caught| caught >= 0.9));
        let alarms = rows.iter().filter(|row| row.kind.is_true() && doubted(&row.claim)).count();
        let held = rows.iter().filter(|row| row.kind.is_true()).count();
        assert!(alarms as f64 <= 0.02 * held as f64, "{alarms} false alarms among {held}");
        let proved = rows.iter().filter(|row| !row.kind.is_true() && row.claim.verdict.is_supported()).count();
        assert_eq!(proved, 0, "words prove nothing that was altered");
    } else {
        assert!(rows.iter().all(|row| row.kind != Kind::Verbatim || row.claim.verdict == Verdict::Verbatim));
    }
}

/// Whether words of a statement differ from its quotes: a figure, a name, a negation. Shares of words do not count.
fn doubted(claim: &Claim) -> bool {
    claim.checks.iter().any(|check| !check.holds && (check.kind != CheckKind::Subject || !check.said.ends_with(" %")))
}

/// For each kind: how many, how many are proved, how many are doubted, and of the statements that fail the check of the kind, how many are
/// of it.
fn table(rows: &[Row]) {
    println!("| kind | statements | verbatim | doubted | share | precision of its check |");
    println!("|---|---|---|---|---|---|");
    let mut by_kind: BTreeMap<Kind, Vec<&Row>> = BTreeMap::new();
    rows.iter().for_each(|row| by_kind.entry(row.kind).or_default().push(row));
    for (kind, own) in &by_kind {
        let verbatim = own.iter().filter(|row| row.claim.verdict == Verdict::Verbatim).count();
        let caught = own.iter().filter(|row| doubted(&row.claim)).count();
        let precision = kind.check().map_or("–".to_owned(), |check| {
            let fails = |row: &&Row| row.claim.checks.iter().any(|c| c.kind == check && !c.holds);
            let all = rows.iter().filter(fails).filter(|row| row.kind != Kind::WrongQuote).count();
            let right = rows.iter().filter(fails).filter(|row| row.kind.may_fail(check)).count();
            format!("{:.3}", right as f64 / all.max(1) as f64)
        });
        println!(
            "| {kind:?} | {} | {verbatim} | {caught} | {:.3} | {precision} |",
            own.len(),
            caught as f64 / own.len() as f64
        );
    }
}
