//! Splits a question into parts that can be asked one after another.

use precis_language::detect;
use precis_language::question_shape::{
    asks_for_all, asks_for_much, commas_open_inner_questions, goes_before_asking, is_nameless, is_of, is_relative,
    is_relative_without_comma, joins_questions, means_thing, opens_yes_or_no,
};
use precis_language::question_words::{asks_for_no_thing, asks_for_subject, is_question_word};
use precis_language::words::{WrittenWord, tokens};
use precis_text::terms::{likeness, terms};

use super::entity::{EntityKind, entities, is_thing, key};
use super::relation::Relation;
use crate::question::query::asking_worth;

/// One part of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionPart {
    /// Its text, in the words of the question.
    pub text: String,
    /// Index of the part whose answer it needs.
    pub rests_on: Option<usize>,
}

/// Fewest words of a clause.
const LEAST_WORDS: usize = 2;
/// Fewest terms that the rest of a clause must ask about the described thing.
const LEAST_ASKED: usize = 1;

/// The parts of `question`, which is in `language`, in order; never empty.
pub(super) fn parts(question: &str, language: &str) -> Vec<QuestionPart> {
    let clauses = clauses(question);
    let mut parts: Vec<QuestionPart> = Vec::new();
    for clause in &clauses {
        let rests = !parts.is_empty() && rests_on(clause, &parts[parts.len() - 1].text);
        let before = rests.then(|| parts.len() - 1);
        if let Some(named) = before.and_then(|at| with_name(clause, &parts[at].text, language)) {
            parts.push(QuestionPart { text: named, rests_on: None });
            continue;
        }
        if let Some(inner) = description_in(clause, language).filter(|_| before.is_none()) {
            parts.push(QuestionPart { text: inner, rests_on: None });
            parts.push(QuestionPart { text: clause.clone(), rests_on: Some(parts.len() - 1) });
        } else {
            parts.push(QuestionPart { text: clause.clone(), rests_on: before });
        }
    }
    parts
}

/// A word and its byte range.
struct ClauseWord<'t> {
    start: usize,
    end: usize,
    lower: String,
    text: &'t str,
}

fn words(text: &str) -> Vec<ClauseWord<'_>> {
    let word = |word: WrittenWord<'_>| (word.range.clone(), word.lower());
    let found = tokens(text, &['-']).map(word);
    found.map(|(r, lower)| ClauseWord { start: r.start, end: r.end, lower, text: &text[r] }).collect()
}

/// The clauses of `question`: split at question marks and semicolons, and at a joining word that is followed by a question word, or, behind a
/// comma, by a verb that opens a question for yes or no: "How long does it last, and can it be prolonged?". Those before the last joining word
/// are a list, split at commas before a question word.
pub fn clauses(question: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let may_list = !detect(question).known.is_none_or(commas_open_inner_questions);
    for sentence in question.split_inclusive(['?', '？', ';']) {
        let words = words(sentence);
        let before = found.len();
        let mut from = 0;
        for at in LEAST_WORDS..words.len() {
            let asks = |at: usize| words.get(at).is_some_and(|word| is_question_word(&word.lower));
            let is_before = words.get(at + 1).is_some_and(|word| goes_before_asking(&word.lower));
            let is_behind_comma = sentence[..words[at].start].trim_end().ends_with(',');
            let is_verb = words.get(at + 1).is_some_and(|word| opens_yes_or_no(&word.lower));
            let opens = asks(at + 1) || (is_before && asks(at + 2)) || (is_behind_comma && is_verb);
            // "Who says where and when it meets?" asks one thing.
            let is_join = joins_questions(&words[at].lower) && !asks(at - 1);
            let left = words[..at].iter().filter(|word| word.start >= from).count();
            if is_join && opens && left >= LEAST_WORDS && words.len() - at > LEAST_WORDS {
                push(&mut found, &sentence[from..words[at].start]);
                from = words[at].end;
            }
        }
        push(&mut found, &sentence[from..]);
        if may_list && found.len() > before + 1 {
            let listed: Vec<String> = found[before..].iter().flat_map(|clause| listed_clauses(clause)).collect();
            found.splice(before.., listed);
        }
    }
    if found.is_empty() {
        found.push(question.trim().to_owned());
    }
    found
}

/// The questions that `clause` lists: split at commas before a question word with its verb, where a question stands before them. What has a
/// comma of its own is inserted, and no question: "What does Ann, who is in charge, earn".
fn listed_clauses(clause: &str) -> Vec<String> {
    let words = words(clause);
    let (mut found, mut from) = (Vec::new(), 0);
    for at in LEAST_WORDS..words.len() {
        let begins = words[at].start;
        let before: Vec<&ClauseWord<'_>> = words[..at].iter().filter(|word| word.start >= from).collect();
        let is_behind_question = before.len() >= LEAST_WORDS && before.iter().any(|word| is_question_word(&word.lower));
        let is_behind_comma = clause[..begins].trim_end().ends_with(',');
        if is_behind_comma && is_behind_question && asks_with_verb(&words[at..]) && is_one_piece(&clause[begins..]) {
            push(&mut found, &clause[from..begins]);
            from = begins;
        }
    }
    push(&mut found, &clause[from..]);
    found
}

/// Whether `words` begin with a question word and the verb of a direct question, directly or behind what is asked for: "what does it cost",
/// "what roles are there". Others may belong to the sentence before: "who runs the pool", "when it is dark".
fn asks_with_verb(words: &[ClauseWord<'_>]) -> bool {
    let is_verb = |at: usize| words.get(at).is_some_and(|word| opens_yes_or_no(&word.lower));
    let is_thing = |word: &ClauseWord<'_>| !terms(word.text).is_empty() || is_question_word(&word.lower);
    let asks = words.first().is_some_and(|word| is_question_word(&word.lower));
    // "Guests, who are not members" describes them.
    let may_describe = words.first().is_some_and(|word| is_relative(&word.lower));
    asks && ((is_verb(1) && !may_describe) || (words.get(1).is_some_and(is_thing) && is_verb(2)))
}

/// Whether the question that `rest` begins with ends at its first comma, because nothing or another question follows.
fn is_one_piece(rest: &str) -> bool {
    let Some((_, behind)) = rest.split_once(',') else { return true };
    behind.trim().is_empty() || asks_with_verb(&words(behind))
}

fn push(found: &mut Vec<String>, clause: &str) {
    let bare =
        clause.trim().trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '?' | '？' | '.' | '。'));
    let bare = bare.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '¿' | '¡'));
    if bare.chars().any(char::is_alphanumeric) {
        found.push(bare.to_owned());
    }
}

/// Whether `clause` is about the answer to `before`, that is, names nothing that `before` does not name.
#[must_use]
pub fn rests_on(clause: &str, before: &str) -> bool {
    let known = terms(before);
    entities(clause)
        .iter()
        .filter(|entity| !matches!(entity.kind, EntityKind::Number) && !entity.opens)
        .all(|entity| terms(&entity.text).iter().all(|term| known.iter().any(|held| likeness(held, term) > 0.0)))
}

/// `clause` with "it" replaced by the thing that `before` names: "who wrote it" after "What does PEP 5 add" becomes "who wrote PEP 5".
/// `None` if "it" may be the answer to `before`, as after "Which film did Ann make" and "What does PEP 5 require".
fn with_name(clause: &str, before: &str, language: &str) -> Option<String> {
    let things: Vec<_> = entities(before).into_iter().filter(|entity| is_thing(entity, language)).collect();
    let [thing] = &things[..] else { return None };
    let asks = words(before).into_iter().find(|word| is_question_word(&word.lower))?.lower;
    // Nobody calls the answer to who, when, why or how "it", so "it" is the named thing.
    let is_named_alone = match thing.kind {
        EntityKind::Identifier | EntityKind::Quoted => true,
        _ => asks_for_no_thing(&asks),
    };
    if !is_named_alone || Relation::from_question(before).is_some() {
        return None;
    }
    let pronoun = words(clause).into_iter().find(|word| means_thing(&word.lower))?;
    let own = if pronoun.lower == "its" { "'s" } else { "" };
    Some(format!("{}{}{own}{}", &clause[..pronoun.start], thing.text, &clause[pronoun.end..]))
}

/// The description inside a clause that must be resolved before the clause can be answered: "the film that Ann made" in "Who wrote
/// the film that Ann made". It names a thing, and the rest of the clause asks more about it.
fn description_in(clause: &str, language: &str) -> Option<String> {
    let words = words(clause);
    relative(clause, &words, language).or_else(|| possessive(clause, &words, language))
}

/// The description that starts at the noun before a relative pronoun inside the clause.
fn relative(clause: &str, words: &[ClauseWord<'_>], language: &str) -> Option<String> {
    let at = (LEAST_WORDS..words.len().saturating_sub(1)).find(|at| {
        let word = &words[*at];
        let before = &words[at - 1];
        let behind_comma = clause[before.end..word.start].contains(',');
        // German puts a comma before a relative clause and capitalizes its nouns.
        let is_german = behind_comma && before.text.starts_with(char::is_uppercase);
        is_relative(&word.lower)
            && (is_relative_without_comma(&word.lower) || is_german)
            && !terms(&before.lower).is_empty()
    })?;
    let noun = noun_phrase(words, at - 1);
    // "Who thought that …" describes nothing: a described noun follows an article, a preposition or a word like "which".
    let before = words.get(noun.checked_sub(1)?)?;
    if !terms(&before.lower).is_empty() || asks_for_subject(&before.lower) {
        return None;
    }
    let inner = clause[words[noun].start..].trim();
    let outer = &clause[..words[noun].start];
    if is_chain(inner, outer, language) {
        return Some(inner.to_owned());
    }
    // "When was the person who made F born": the question continues after the last name.
    let last = entities(inner).into_iter().rfind(|entity| is_thing(entity, language))?;
    let mut end = last.at + last.text.len();
    // "the work that F replaced": the name is the subject, so its verb belongs to the description.
    let is_subject = clause[words[at].end..].trim_start().starts_with(&last.text);
    let behind = words.iter().filter(|word| is_subject && word.start >= words[noun].start + end);
    if let Some(verb) = behind.into_iter().find(|word| !terms(&word.lower).is_empty()) {
        end = verb.end - words[noun].start;
    }
    let (inner, behind) = (inner.get(..end)?, inner.get(end..)?);
    is_chain(inner, &format!("{outer} {behind}"), language).then(|| inner.to_owned())
}

/// Index of the first word of the noun phrase that ends at `at`: back to its article or to a word that is not a term.
fn noun_phrase(words: &[ClauseWord<'_>], at: usize) -> usize {
    let mut from = at;
    while from > 0
        && at - from < 3
        && !terms(words[from - 1].text).is_empty()
        && !is_question_word(&words[from - 1].lower)
    {
        from -= 1;
    }
    from
}

/// "director of F" if the clause asks more about the director: from the noun before the last "of" to the thing after it.
fn possessive(clause: &str, words: &[ClauseWord<'_>], language: &str) -> Option<String> {
    let ofs: Vec<usize> = (1..words.len().saturating_sub(1)).filter(|at| is_of(&words[*at].lower)).collect();
    // Excludes an "of" inside a name.
    let is_free =
        |at: usize| !words[at - 1].text.starts_with(char::is_uppercase) && !terms(words[at - 1].text).is_empty();
    let at = ofs.into_iter().rev().find(|at| is_free(*at))?;
    let noun = at - 1;
    if is_nameless(&words[noun].lower) {
        return None;
    }
    let thing = entities(&clause[words[at].end..]).into_iter().find(|entity| is_thing(entity, language))?;
    let thing_end = words[at].end + thing.at + thing.text.len();
    let inner = clause[words[noun].start..thing_end.min(clause.len()).max(words[at].end)].trim();
    let rest = format!("{} {}", &clause[..words[noun].start], clause.get(thing_end..).unwrap_or_default());
    is_chain(inner, &rest, language).then(|| inner.to_owned())
}

/// Whether `inner` names a thing and `rest` asks for something that is not in `inner`.
fn is_chain(inner: &str, rest: &str, language: &str) -> bool {
    let names = entities(inner).iter().any(|entity| is_thing(entity, language));
    let said = terms(inner);
    let says = |term: &String| {
        let word = term.as_str();
        let only_asks = is_nameless(word) || asks_for_all(word) || asks_for_much(word) || is_question_word(word);
        !only_asks && asking_worth(word) >= 1.0 && !said.contains(term)
    };
    let asked = terms(rest).iter().filter(|term| says(term)).count();
    names && asked >= LEAST_ASKED && key(inner) != key(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_parted_where_another_begins_or_rests_on_it() {
        for (question, want) in [
            ("Who wrote Hamlet?", vec![("Who wrote Hamlet", None)]),
            (
                "How does the pool open, what does it cost, and how many people fit?",
                vec![
                    ("How does the pool open", None),
                    ("what does it cost", Some(0)),
                    ("how many people fit", Some(1)),
                ],
            ),
            (
                "What is a pool, what rules are there, why are they strict, and who pays?",
                vec![
                    ("What is a pool", None),
                    ("what rules are there", Some(0)),
                    ("why are they strict", Some(1)),
                    ("who pays", Some(2)),
                ],
            ),
            (
                "What does the guard, who is in charge, earn, and when is it paid?",
                vec![("What does the guard, who is in charge, earn", None), ("when is it paid", Some(0))],
            ),
            (
                "What is the rule for guests, who are not members, and how is it enforced?",
                vec![("What is the rule for guests, who are not members", None), ("how is it enforced", Some(0))],
            ),
            (
                "Who decides, when it is dark, and who signs?",
                vec![("Who decides, when it is dark", None), ("who signs", Some(0))],
            ),
            ("What is said of pools, what of lakes?", vec![("What is said of pools, what of lakes", None)]),
            (
                "Wie wird bestimmt, wer zahlt, und wann wird gezahlt?",
                vec![("Wie wird bestimmt, wer zahlt", None), ("wann wird gezahlt", Some(0))],
            ),
            (
                "What does PEP 409 require, and who wrote the required PEP?",
                vec![("What does PEP 409 require", None), ("who wrote the required PEP", Some(0))],
            ),
            (
                "Which PEP superseded PEP 5 (Guidelines), and what is that one's status?",
                vec![("Which PEP superseded PEP 5 (Guidelines)", None), ("what is that one's status", Some(0))],
            ),
            (
                "When did Rome fall and who ruled Persia?",
                vec![("When did Rome fall", None), ("who ruled Persia", None)],
            ),
            (
                "Who wrote the film that Ann Bell made in Rome?",
                vec![
                    ("film that Ann Bell made in Rome", None),
                    ("Who wrote the film that Ann Bell made in Rome", Some(0)),
                ],
            ),
            (
                "Where was the director of Blue Moon born?",
                vec![("director of Blue Moon", None), ("Where was the director of Blue Moon born", Some(0))],
            ),
            (
                "When was the person who directed Blue Moon born?",
                vec![
                    ("person who directed Blue Moon", None),
                    ("When was the person who directed Blue Moon born", Some(0)),
                ],
            ),
            (
                "When was the film that Ann Bell replaced shot?",
                vec![("film that Ann Bell replaced", None), ("When was the film that Ann Bell replaced shot", Some(0))],
            ),
            (
                "What does PEP 572 add and who wrote it?",
                vec![("What does PEP 572 add", None), ("who wrote PEP 572", None)],
            ),
            (
                "Who directed the film Blue Moon, and what was its budget?",
                vec![("Who directed the film Blue Moon", None), ("what was Blue Moon's budget", None)],
            ),
            (
                "What does PEP 409 require, and who wrote it?",
                vec![("What does PEP 409 require", None), ("who wrote it", Some(0))],
            ),
            (
                "Which film did Ann Bell make and when was it shot?",
                vec![("Which film did Ann Bell make", None), ("when was it shot", Some(0))],
            ),
            ("Who thought that Rome was old?", vec![("Who thought that Rome was old", None)]),
            ("What is the capital of France?", vec![("What is the capital of France", None)]),
            ("Wer schrieb Faust und wann starb er?", vec![("Wer schrieb Faust", None), ("wann starb er", Some(0))]),
            (
                "¿Quién pintó el Guernica y cuándo murió?",
                vec![("Quién pintó el Guernica", None), ("cuándo murió", Some(0))],
            ),
            ("谁写了《红楼梦》？", vec![("谁写了《红楼梦》", None)]),
            ("", vec![("", None)]),
        ] {
            let found = parts(question, precis_language::detect(question).tag);
            let found: Vec<(&str, Option<usize>)> = found.iter().map(|p| (p.text.as_str(), p.rests_on)).collect();
            assert_eq!(found, want, "{question}");
        }
    }
}
