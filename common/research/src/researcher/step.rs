//! The calls of a turn: which are made, and which are refused or answered from the log without charge.

use precis_proto::research::{DirectiveStop, Query, Served};
use precis_proto::task::{QUERY_CHARS, READ_ADDRESSES, SEARCH_QUERIES, ToolCall, TurnRole};

use super::call_result::CallResult;
use super::course::TurnLine;
use super::order::Action;
use super::outcome::{ActionOutcome, Novelty};
use super::record::ReadRecord;
use super::repeats::{RepeatVerdict, normalize};
use super::results;
use super::state::{KnownResult, Researcher};

/// Thoughts in a row that end a directive.
pub const THOUGHTS_IN_A_ROW: u32 = 3;
/// Times a result may be requested, including the first.
const MOST_READS: usize = 2;
/// Most characters of a model's or tool's text that are repeated in a message.
const ECHO_CHARS: usize = 200;

impl Researcher {
    /// Makes the calls of a turn in order, up to the one that ends it.
    pub(super) fn make(&mut self, calls: Vec<ToolCall>) -> Vec<Action> {
        let mut actions = Vec::new();
        for call in calls {
            if !matches!(call, ToolCall::Think { .. }) {
                self.thoughts_in_a_row = 0;
            }
            match call {
                ToolCall::Think { text } => self.think(text),
                ToolCall::Search { queries } => self.search(queries, &mut actions),
                ToolCall::Read { addresses } => self.read(addresses, &mut actions),
                ToolCall::Complete { summary } => {
                    self.complete(summary, &mut actions);
                    break;
                }
            }
            if self.stopped.is_some() {
                break;
            }
        }
        actions
    }

    fn say(&mut self, role: TurnRole, text: String) {
        self.waiting.push(CallResult::message(role, text));
    }

    fn key(&mut self) -> u32 {
        let key = self.next_key;
        self.next_key += 1;
        key
    }

    fn think(&mut self, text: String) {
        self.has_thought = true;
        self.thoughts_in_a_row += 1;
        self.waiting.push(CallResult::message(TurnRole::Think, text));
        if self.thoughts_in_a_row >= THOUGHTS_IN_A_ROW {
            self.end(DirectiveStop::Loop);
        }
    }

    fn search(&mut self, queries: Vec<String>, actions: &mut Vec<Action>) {
        let queries: Vec<String> =
            queries.into_iter().take(SEARCH_QUERIES).filter(|q| !normalize(q).is_empty()).collect();
        self.say(TurnRole::Call, format!("search: {}", queries.join(" | ")));
        // Results of a search under way have not been seen, so a thought after it does not count.
        let unseen = self.waiting.iter().any(|part| matches!(part, CallResult::Search { .. }));
        if unseen || (self.searches > 0 && !self.has_thought) {
            self.say(TurnRole::Result, "Reflect first: think about the last results, then search.".to_owned());
            return;
        }
        if queries.is_empty() {
            self.say(TurnRole::Result, "There is no word in the query.".to_owned());
        }
        let (mut not_made, mut later, mut now) = (0, 0, self.searches_now());
        for query in queries {
            match self.repeats.ask(&query) {
                RepeatVerdict::Loop => {
                    self.say(
                        TurnRole::Result,
                        format!("\"{query}\" was searched for twice before: the directive ends."),
                    );
                    self.end(DirectiveStop::Loop);
                    return;
                }
                RepeatVerdict::FromLog(place) => self.answer_from_log(query, place),
                RepeatVerdict::New if self.searches_left() == 0 => {
                    self.repeats.not_made(&query);
                    not_made += 1;
                }
                RepeatVerdict::New if now == 0 => {
                    self.repeats.not_made(&query);
                    later += 1;
                }
                RepeatVerdict::New => {
                    now -= 1;
                    self.make_search(query, actions);
                }
            }
        }
        self.search_calls += 1;
        if later > 0 {
            let text = format!("{later} queries were not made: searches are kept for after you have thought.");
            self.say(TurnRole::Result, text);
        }
        if not_made > 0 {
            self.say(TurnRole::Result, format!("{not_made} queries were not made: no search is left."));
        }
    }

    fn make_search(&mut self, query: String, actions: &mut Vec<Action>) {
        let key = self.key();
        (self.searches, self.calls, self.has_thought) = (self.searches + 1, self.calls + 1, false);
        let place = self.note(query.clone(), Served::None);
        self.repeats.record(&query, place);
        self.waiting.push(CallResult::Search { key, place });
        actions.push(Action::Search { key, query });
    }

    /// Records a query and returns the index of its record.
    fn note(&mut self, query: String, served: Served) -> usize {
        let n = self.queries.len() as u32 + 1;
        let (text, provider) = (Some(query), String::new());
        let (failure, withheld) = (None, None);
        self.queries.push(Query {
            n,
            text,
            provider,
            hits: 0,
            new: 0,
            related: 0,
            duplicate: 0,
            served,
            usd: 0.0,
            failure,
            withheld,
        });
        self.queries.len() - 1
    }

    fn answer_from_log(&mut self, query: String, place: Option<usize>) {
        let text = match place.and_then(|place| self.queries.get(place)) {
            Some(before) => format!(
                "\"{query}\" was searched for before, as query {}: {} results, {} new. Their numbers stand above.",
                before.n, before.hits, before.new
            ),
            None => format!("\"{query}\" was searched for earlier in the session; its results are known."),
        };
        self.note(query, Served::Log);
        self.say(TurnRole::Result, text);
    }

    fn read(&mut self, addresses: Vec<String>, actions: &mut Vec<Action>) {
        let addresses: Vec<String> = addresses.into_iter().take(READ_ADDRESSES).collect();
        self.say(TurnRole::Call, format!("read: {}", addresses.join(" | ")));
        for written in addresses {
            let wanted = PageWanted::new(&written);
            let Some(KnownResult { number, address, .. }) = self.known.get(wanted.name).cloned() else {
                let said = echo(&written);
                self.say(
                    TurnRole::Result,
                    format!("\"{said}\": no such result. Only what a search has found can be read."),
                );
                let failure = Some("no such result".to_owned());
                self.reads.push(ReadRecord {
                    number: String::new(),
                    address: said,
                    page: None,
                    is_read: false,
                    failure,
                });
                continue;
            };
            let Some(page) = self.page(&number, wanted.step) else {
                self.say(TurnRole::Result, format!("[{number}] has no such page that was not read."));
                continue;
            };
            let is_same = |read: &&ReadRecord| read.number == number && (page.is_none() || read.page == page);
            let before = self.reads.iter().filter(is_same).count().min(1) + self.read_again(&number, page);
            if before >= MOST_READS {
                self.say(TurnRole::Result, format!("[{number}] was asked for twice before: the directive ends."));
                self.end(DirectiveStop::Loop);
                return;
            }
            if before > 0 {
                *self.again.entry((number.clone(), page)).or_default() += 1;
                self.say(TurnRole::Result, format!("[{number}] was read before; what it says stands above."));
            } else if self.calls_left() == 0 {
                self.say(TurnRole::Result, format!("[{number}] was not read: no call is left."));
            } else {
                let key = self.key();
                self.calls += 1;
                self.reads.push(ReadRecord {
                    number: number.clone(),
                    address: address.clone(),
                    page,
                    is_read: false,
                    failure: None,
                });
                self.waiting.push(CallResult::Read { key, place: self.reads.len() - 1 });
                actions.push(Action::Read { key, number, address, page });
            }
        }
    }

    /// The page of a result that is wanted, `Some(None)` for the one with the best passage; `None` if there is none that was not read.
    fn page(&self, number: &str, step: PageStep) -> Option<Option<u32>> {
        let known = self.pages.get(number);
        let is_unread =
            |n: &u32| !self.reads.iter().any(|read| read.number == number && read.page == Some(*n) && read.is_read);
        match (step, known) {
            (PageStep::Best, _) | (PageStep::Next | PageStep::Previous, None) => Some(None),
            (PageStep::Next, Some((n, of))) => (n + 1..=*of).find(is_unread).map(Some),
            (PageStep::Previous, Some((n, _))) => (1..*n).rev().find(is_unread).map(Some),
        }
    }

    fn read_again(&self, number: &str, page: Option<u32>) -> usize {
        self.again.get(&(number.to_owned(), page)).copied().unwrap_or_default()
    }

    /// Completes the directive. If nothing was searched yet, searches for the topic instead and continues, so that no directive ends
    /// without a search.
    fn complete(&mut self, summary: String, actions: &mut Vec<Action>) {
        let topic: String = self.order.directive.topic.chars().take(QUERY_CHARS).collect();
        let may_search = self.searches == 0 && self.searches_left() > 0 && !normalize(&topic).is_empty();
        if may_search && self.repeats.ask(&topic) == RepeatVerdict::New {
            self.say(TurnRole::Call, "complete".to_owned());
            self.say(TurnRole::Result, "Nothing was searched yet. The topic is searched for first.".to_owned());
            self.make_search(topic, actions);
            return;
        }
        self.completing = Some(summary);
    }

    /// Records the outcome of a search and returns its message.
    pub(super) fn record_search(&mut self, place: usize, outcome: ActionOutcome) -> TurnLine {
        let row = &mut self.queries[place];
        let query = row.text.clone().unwrap_or_default();
        let failure = match outcome {
            ActionOutcome::Results(found) => {
                let of = |novelty| found.results.iter().filter(|result| result.novelty == novelty).count() as u32;
                (row.new, row.related, row.duplicate) =
                    (of(Novelty::New), of(Novelty::Related), of(Novelty::Duplicate));
                row.hits = found.results.len() as u32;
                (row.provider, row.served) = (found.provider, found.served);
                for result in &found.results {
                    let one = KnownResult {
                        number: result.number.clone(),
                        address: result.address.clone(),
                        published: result.published.clone(),
                    };
                    self.known.entry(result.number.clone()).or_insert_with(|| one.clone());
                    self.known.entry(result.address.clone()).or_insert(one);
                }
                let shown = results::render_results(&query, &found.results);
                self.excerpts_left_out += shown.left_out;
                let sources = found.results.iter().filter_map(|result| result.number.parse().ok()).collect();
                return TurnLine { role: TurnRole::Result, text: shown.text, short: Some(shown.short), sources };
            }
            ActionOutcome::Text { .. } => "it brought no results".to_owned(),
            ActionOutcome::Failed(why) => why,
            ActionOutcome::Refused(why) => format!("refused: {why}"),
        };
        let text = format!("search \"{query}\" gave nothing: {}", echo(&failure));
        row.failure = Some(failure);
        TurnLine { role: TurnRole::Result, text, short: None, sources: Vec::new() }
    }

    /// Records the outcome of a read and returns its message.
    pub(super) fn have_read(&mut self, place: usize, outcome: ActionOutcome) -> TurnLine {
        let row = &mut self.reads[place];
        let failure = match outcome {
            ActionOutcome::Text { page, .. } => {
                (row.is_read, row.page) = (true, Some(page.n));
                self.pages.insert(row.number.clone(), (page.n, page.of));
                let published = self.known.get(&row.number).map_or("", |one| one.published.as_str());
                let (text, short) = results::page(&row.number, published, &page);
                let sources = row.number.parse().into_iter().collect();
                return TurnLine { role: TurnRole::Result, text, short: Some(short), sources };
            }
            ActionOutcome::Results(_) => "it brought no text".to_owned(),
            ActionOutcome::Failed(why) => why,
            ActionOutcome::Refused(why) => format!("refused: {why}"),
        };
        let text = format!("[{}] could not be read: {}", row.number, echo(&failure));
        row.failure = Some(failure);
        TurnLine { role: TurnRole::Result, text, short: None, sources: Vec::new() }
    }
}

/// Which page of a result is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PageStep {
    /// The one with the best passage.
    Best,
    /// The one after the last one read.
    Next,
    /// The one before it.
    Previous,
}

/// A result to read as a model writes it: `3`, `[3]`, its address, `3 next` or `3 previous`.
struct PageWanted<'w> {
    name: &'w str,
    step: PageStep,
}

impl<'w> PageWanted<'w> {
    fn new(written: &'w str) -> Self {
        let whole = written.trim();
        let (name, step) = match whole.rsplit_once(' ') {
            Some((name, "next")) => (name, PageStep::Next),
            Some((name, "previous")) => (name, PageStep::Previous),
            Some(_) | None => (whole, PageStep::Best),
        };
        Self { name: name.trim().trim_matches(['[', ']', '#']), step }
    }
}

/// `text` on one line, at most [`ECHO_CHARS`] characters.
fn echo(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(ECHO_CHARS).collect()
}
