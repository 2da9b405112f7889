//! Pointers to places that state the answer of a sub-question explicitly: the field or sentence that states a relation, and the field at
//! the head of the document that the relation leads to.
//!
//! Such a place shares few words with the question ("Who wrote the proposal that …?" and `Author: …`), so ranking by words would miss it
//! among all passages of the documents.

use precis_evidence::question::asking_words::AnswerKind;
use precis_evidence::question::entity::{identifiers, key};
use precis_evidence::question::field::fields;
use precis_language::relation::{asks_for_author, names_author};
use precis_language::words::lower_words;
use precis_proto::CharRange;
use precis_proto::research::Pointer;
use precis_text::terms::{likeness, query_terms, terms};

use super::course::ResearchCourse;
use super::coverage::SubQuestionTarget;
use super::pool::PooledPassage;

/// Most pointers to statements of one relation.
const MOST_STATEMENTS: usize = 3;
/// Longest field that counts as an answer, in characters; a longer one is running text after a colon. Chosen, not measured.
const MOST_CHARS: usize = 300;
/// The pointers of a course, in the order of the plan.
pub(super) fn pointers(course: &ResearchCourse) -> Vec<Pointer> {
    let mut found: Vec<Pointer> = Vec::new();
    for (sought, known) in course.sought.iter().zip(&course.known) {
        for (place, statement) in known.statements.iter().take(MOST_STATEMENTS) {
            push(&mut found, sought, course.pool.get(*place), statement.range);
        }
        let led =
            sought.after.iter().filter_map(|before| course.known.get(*before)).flat_map(|known| &known.statements);
        for (_, statement) in led.take(MOST_STATEMENTS) {
            let is_it = |document: &str| course.pool.own(document).is_some_and(|own| key(own) == key(&statement.other));
            let mut heads = course.pool.all().iter().filter(|passage| passage.hit.range.start == 0);
            let Some(head) = heads.find(|head| is_it(&head.hit.document)) else { continue };
            if let Some(range) = answering(sought, &head.hit.text) {
                push(&mut found, sought, head, range);
            }
        }
        if sought.after.is_empty() && sought.relation.is_none() {
            for (head, range) in of_its_own(course, sought) {
                push(&mut found, sought, head, range);
            }
        }
    }
    found
}

/// Head fields that answer a sub-question about a document it names: "Who wrote PEP 8", "What is the status of PEP 8". Empty if the
/// question has other terms: it is then about the document's content.
fn of_its_own<'c>(course: &'c ResearchCourse, sought: &SubQuestionTarget) -> Vec<(&'c PooledPassage, CharRange)> {
    let text = &sought.sub_question.text;
    let named = identifiers(text);
    let said: Vec<String> = named.iter().flat_map(|name| terms(name)).collect();
    let rest: Vec<String> = query_terms(text).into_iter().filter(|term| !said.contains(term)).collect();
    let is_named =
        |document: &str| course.pool.own(document).is_some_and(|own| named.iter().any(|name| key(name) == key(own)));
    let is_head = |passage: &&PooledPassage| passage.hit.range.start == 0 && is_named(&passage.hit.document);
    let asks_for = |head: &PooledPassage| {
        let range = answering(sought, &head.hit.text)?;
        let name = head.hit.text.chars().skip(range.start).take_while(|c| *c != ':').collect::<String>();
        let is_told = |term: &String| asks_for_author(term) || terms(&name).iter().any(|own| likeness(term, own) > 0.0);
        rest.iter().all(is_told).then_some(range)
    };
    course.pool.all().iter().filter(is_head).filter_map(|head| Some((head, asks_for(head)?))).collect()
}

fn push(found: &mut Vec<Pointer>, sought: &SubQuestionTarget, passage: &PooledPassage, range: CharRange) {
    let from = passage.hit.range.start;
    let text: String = passage.hit.text.chars().skip(range.start).take(range.len()).collect();
    let pointer = Pointer {
        sub_question: sought.sub_question.text.clone(),
        document: passage.hit.document.clone(),
        range: CharRange::new(from + range.start, from + range.end),
        text,
    };
    let is_there = |known: &Pointer| (&known.document, known.range) == (&pointer.document, pointer.range);
    if range.len() <= MOST_CHARS && !found.iter().any(is_there) {
        found.push(pointer);
    }
}

/// The head field that answers a sub-question: the author field if the author is asked for, else one whose name is asked for, else the
/// first with a time if a time is asked for.
fn answering(sought: &SubQuestionTarget, head: &str) -> Option<CharRange> {
    let fields = fields(head);
    // A field whose name is part of a document's, as of `PEP-Delegate` in that of PEP 8, is not asked for by naming the document.
    let names: Vec<String> = identifiers(&sought.sub_question.text).iter().flat_map(|name| terms(name)).collect();
    let asked = query_terms(&sought.sub_question.text).into_iter().filter(|term| !names.contains(term));
    let asked: Vec<String> = asked.collect();
    let asks_maker = lower_words(&sought.sub_question.text).iter().any(|word| asks_for_author(word));
    let filled = || fields.iter().filter(|field| !field.value.is_empty());
    let maker = filled().filter(|_| asks_maker).find(|field| names_author(&field.name.to_lowercase()));
    // The first field holds the document's own number (`PEP: 8`), so it matches any question that names the document.
    let own = fields.first().map(|first| first.name);
    let is_asked = |name: &String| asked.iter().any(|term| likeness(term, name) > 0.0);
    let named = || filled().find(|field| Some(field.name) != own && terms(field.name).iter().any(is_asked));
    let asks_time = sought.wanted.wanted == AnswerKind::Time;
    let time = || filled().filter(|_| asks_time).find(|field| sought.wanted.is_met(field.value) == Some(true));
    let field = maker.or_else(named).or_else(time)?;
    Some(field.range(head))
}

#[cfg(test)]
mod tests {
    use precis_evidence::question::analysis::analyse;
    use precis_proto::research::{Hit, Lane};

    use super::super::{Depth, PassageSearch, PassageSearchError, TermFrequencies, investigate, plan};
    use super::*;

    struct TwoHits([Hit; 2]);

    impl TermFrequencies for TwoHits {}

    impl PassageSearch for TwoHits {
        fn search(&mut self, _: &str, _: usize) -> Result<Vec<Hit>, PassageSearchError> {
            Ok(self.0.to_vec())
        }
    }

    fn hit(document: &str, text: &str) -> Hit {
        Hit {
            document: document.to_owned(),
            range: CharRange::new(0, text.chars().count()),
            text: text.to_owned(),
            score: 1.0,
            ..Hit::default()
        }
    }

    const NINE: &str = "PEP: 9 Title: Nine Author: Ann Bell <a@b.c> Status: Final Created: 01-Jul-2002 Requires: 12 Content-Type: text";
    const TWELVE: &str =
        "PEP: 12 Title: Zwölf Author: Bob Ray <b@c.d> Status: Draft Created: 03-May-2005 Content-Type: text";

    #[test]
    fn the_answering_field_is_located_in_the_related_document() {
        for (question, want) in [
            ("What does PEP 9 require, and who wrote the required PEP?", ["Requires: 12", "Author: Bob Ray <b@c.d>"]),
            (
                "What does PEP 9 require, and when was the required one created?",
                ["Requires: 12", "Created: 03-May-2005"],
            ),
            ("What does PEP 9 require, and what is that one's status?", ["Requires: 12", "Status: Draft"]),
            ("Who wrote PEP 9 and what is its status?", ["Author: Ann Bell <a@b.c>", "Status: Final"]),
            ("When was PEP 12 created, and who is its author?", ["Created: 03-May-2005", "Author: Bob Ray <b@c.d>"]),
        ] {
            let mut shelf = TwoHits([hit("pep-0009.txt", NINE), hit("pep-0012.txt", TWELVE)]);
            let found = investigate(plan(&analyse(question)), Lane::Local, Depth::Standard, None, &mut shelf);
            let said: Vec<String> = found
                .pointers
                .iter()
                .map(|pointer| {
                    let text = if pointer.document == "pep-0009.txt" { NINE } else { TWELVE };
                    let there: String = text.chars().skip(pointer.range.start).take(pointer.range.len()).collect();
                    assert_eq!(there, pointer.text);
                    there
                })
                .collect();
            assert_eq!(said, want, "{question}");
        }
    }

    #[test]
    fn a_field_with_the_document_name_is_not_asked_by_it() {
        let nine = "PEP: 9 Title: Nine PEP-Delegate: Ann Bell <a@b.c> Status: Final Content-Type: text";
        let pointed = |question: &str| {
            let mut shelf = TwoHits([hit("pep-0009.txt", nine), hit("pep-0012.txt", TWELVE)]);
            let found = investigate(plan(&analyse(question)), Lane::Local, Depth::Standard, None, &mut shelf);
            found.pointers.into_iter().map(|pointer| pointer.text).collect::<Vec<String>>()
        };
        assert_eq!(pointed("What is PEP 9?"), Vec::<String>::new());
        assert_eq!(pointed("Who was the delegate of PEP 9?"), ["PEP-Delegate: Ann Bell <a@b.c>"]);
    }
}
