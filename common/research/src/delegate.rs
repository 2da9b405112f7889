//! Admits or refuses the directives of a supervisor by the scaling rule; the prompt states the rule, this code enforces it.

use std::collections::BTreeSet;

use precis_proto::research::Complexity;
use precis_proto::task::{Delegation, DirectiveDraft, PlanRow};

use super::researcher::normalize;

/// Most directives of a round.
pub const MOST_DIRECTIVES: usize = 5;

/// Number of directives that a round may have, from 1 to [`MOST_DIRECTIVES`]: one for each of the `elements` compared if there are at
/// least two; else 2 for a simple question, 3 for a moderate one, 5 for a complex one.
///
/// ```
/// use precis_research::allowed_directives;
/// use precis_proto::research::Complexity;
///
/// assert_eq!(allowed_directives(Complexity::Moderate, 0), 3);
/// assert_eq!(allowed_directives(Complexity::Simple, 4), 4);
/// assert_eq!(allowed_directives(Complexity::Complex, 9), 5);
/// ```
#[must_use]
pub fn allowed_directives(class: Complexity, elements: usize) -> usize {
    match (elements, class) {
        (2.., _) => elements.min(MOST_DIRECTIVES),
        (_, Complexity::Simple) => 2,
        (_, Complexity::Moderate) => 3,
        (_, Complexity::Complex) => MOST_DIRECTIVES,
    }
}

/// How many directives a round may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectiveBound {
    /// Most directives under the scaling rule and the bound of a round.
    pub most: usize,
    /// Directives that the searches left are enough for.
    pub funded: usize,
    /// Things that the question compares; 0 if it is not a comparison.
    pub compared: usize,
}

/// The directives that are sent, and those that are refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DirectiveAdmission {
    /// By priority, then in the order written; at most as many as allowed.
    pub admitted: Vec<DirectiveDraft>,
    /// In the order in which they were written.
    pub refused: Vec<RefusedDirective>,
}

/// A directive that is not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedDirective {
    /// Its topic.
    pub topic: String,
    /// Why it was refused.
    pub why: RefusalReason,
}

impl RefusedDirective {
    /// The line shown to the supervisor's next thought.
    #[must_use]
    pub fn line(&self) -> String {
        let topic: String = self.topic.chars().take(TOPIC_CHARS).collect();
        let more = if self.topic.chars().nth(TOPIC_CHARS).is_some() { "…" } else { "" };
        match self.why {
            RefusalReason::OverBound(most) => {
                format!("\"{topic}{more}\" was not sent: at most {most} directives a round")
            }
            RefusalReason::Unfunded(funded) => {
                format!("\"{topic}{more}\" was not sent: the searches left are enough for {funded} directives")
            }
            RefusalReason::SentBefore => format!("\"{topic}{more}\" was not sent: the same was looked for before"),
            RefusalReason::NoSubQuestion => {
                format!("\"{topic}{more}\" was not sent: it works on no sub-question of the plan")
            }
            RefusalReason::SameSide => {
                format!("\"{topic}{more}\" was not sent: another one looks at the same from the same side")
            }
            RefusalReason::OneForEach => {
                format!("\"{topic}{more}\" was not sent: each of the things compared has a directive of its own")
            }
        }
    }
}

/// Characters of a topic in the line of a refusal.
const TOPIC_CHARS: usize = 120;

/// Why a directive was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalReason {
    /// More than this number of directives.
    OverBound(usize),
    /// The searches left are enough for this number of directives.
    Unfunded(usize),
    /// Another directive has the same topic, in this round or an earlier one.
    SentBefore,
    /// It names no sub-question of the plan.
    NoSubQuestion,
    /// Another directive of this round takes the same perspective on the same sub-questions.
    SameSide,
    /// Every thing it compares already has its own directive.
    OneForEach,
}

/// Records the directive's perspective on its sub-questions; returns `false` if another directive already takes the same one. A directive
/// without a perspective never collides.
fn is_own_side(directive: &DirectiveDraft, sides: &mut BTreeSet<(BTreeSet<String>, String)>) -> bool {
    let side = normalize(&directive.perspective);
    side.is_empty() || sides.insert((directive.sub_questions.iter().cloned().collect(), side))
}

/// Directives with their indexes in the delegation.
struct PlacedDirectives {
    wanted: Vec<(usize, DirectiveDraft)>,
    refused: Vec<(usize, RefusedDirective)>,
}

/// Splits directives for several sub-questions if at least two things are `compared`: one for each of these sub-questions that has no
/// directive of its own; refused if all have one.
fn one_for_each(directives: Vec<DirectiveDraft>, plan: &[PlanRow], compared: usize) -> PlacedDirectives {
    let of = |directive: &DirectiveDraft| -> Vec<&PlanRow> {
        plan.iter().filter(|row| directive.sub_questions.contains(&row.id)).collect()
    };
    // All of them before the loop: a directive written later may cover a sub-question alone.
    let mut taken: BTreeSet<String> =
        directives.iter().map(of).filter(|rows| rows.len() == 1).flatten().map(|row| row.id.clone()).collect();
    let (mut wanted, mut refused) = (Vec::new(), Vec::new());
    for (place, directive) in directives.into_iter().enumerate() {
        let rows = of(&directive);
        if compared < 2 || rows.len() < 2 {
            wanted.push((place, directive));
            continue;
        }
        let own: Vec<&PlanRow> = rows.into_iter().filter(|row| taken.insert(row.id.clone())).collect();
        if own.is_empty() {
            refused.push((place, RefusedDirective { topic: directive.topic, why: RefusalReason::OneForEach }));
            continue;
        }
        wanted.extend(own.into_iter().map(|row| {
            let (sub_questions, topic) = (vec![row.id.clone()], format!("{} ({})", directive.topic, row.text));
            (place, DirectiveDraft { sub_questions, topic, ..directive.clone() })
        }));
    }
    PlacedDirectives { wanted, refused }
}

/// Decides which directives of `delegation` are sent: at most as many as `bound` allows, no topic twice, no perspective twice on the same
/// sub-questions, and one for each of the things that are compared; these share directives if the searches left are not enough for one
/// each. `sent` are the topics of earlier rounds.
#[must_use]
pub fn admit(delegation: Delegation, plan: &[PlanRow], sent: &[String], bound: DirectiveBound) -> DirectiveAdmission {
    let DirectiveBound { most, funded, compared } = bound;
    let most = most.min(MOST_DIRECTIVES);
    let mut topics: Vec<String> = sent.iter().map(|topic| normalize(topic)).collect();
    let mut sides: BTreeSet<(BTreeSet<String>, String)> = BTreeSet::new();
    let mut sound: Vec<(usize, DirectiveDraft)> = Vec::new();
    let PlacedDirectives { wanted, mut refused } = one_for_each(delegation.directives, plan, compared);
    for (place, mut directive) in wanted {
        let topic = normalize(&directive.topic);
        directive.sub_questions.retain(|id| plan.iter().any(|row| row.id == *id));
        // `is_own_side` comes last, because it records the side: a refused directive must not keep out another one.
        let why = if directive.sub_questions.is_empty() || topic.is_empty() {
            Some(RefusalReason::NoSubQuestion)
        } else if topics.contains(&topic) {
            Some(RefusalReason::SentBefore)
        } else if !is_own_side(&directive, &mut sides) {
            Some(RefusalReason::SameSide)
        } else {
            None
        };
        match why {
            Some(why) => refused.push((place, RefusedDirective { topic: directive.topic, why })),
            None => {
                topics.push(topic);
                directive.priority = directive.priority.clamp(1, 3);
                sound.push((place, directive));
            }
        }
    }
    sound.sort_by_key(|(_, directive)| directive.priority);
    if compared >= 2 && funded > 0 {
        share_compared(&mut sound, most, funded);
    }
    let over = sound.split_off(sound.len().min(most.min(funded)));
    let over = over.into_iter().enumerate().map(|(n, (place, one))| {
        let why = match funded.saturating_add(n) < most {
            true => RefusalReason::Unfunded(funded),
            false => RefusalReason::OverBound(most),
        };
        (place, RefusedDirective { topic: one.topic, why })
    });
    refused.extend(over);
    refused.sort_by_key(|(place, _)| *place);
    DirectiveAdmission {
        admitted: sound.into_iter().map(|(_, directive)| directive).collect(),
        refused: refused.into_iter().map(|(_, refused)| refused).collect(),
    }
}

/// Joins each directive that the searches are not enough for, up to the `most` of a round, to one of the `funded` ones, in turn.
fn share_compared(sound: &mut Vec<(usize, DirectiveDraft)>, most: usize, funded: usize) {
    let beyond = sound.split_off(sound.len().min(most));
    let shared = sound.split_off(sound.len().min(funded));
    for (n, (_, other)) in shared.into_iter().enumerate() {
        let (_, one) = &mut sound[n % funded];
        one.topic = format!("{}\n{}", one.topic, other.topic);
        let is_new = |id: &String| !one.sub_questions.contains(id);
        let more: Vec<String> = other.sub_questions.into_iter().filter(is_new).collect();
        one.sub_questions.extend(more);
    }
    sound.extend(beyond);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bound that the searches left do not lower.
    fn bound(most: usize, compared: usize) -> DirectiveBound {
        DirectiveBound { most, funded: usize::MAX, compared }
    }

    #[test]
    fn a_question_has_as_many_directives_as_it_deserves() {
        use Complexity::{Complex, Moderate, Simple};
        for (class, elements, want) in [
            (Simple, 0, 2),
            (Simple, 1, 2),
            (Simple, 2, 2),
            (Simple, 4, 4),
            (Complex, 2, 2),
            (Moderate, 5, 5),
            (Moderate, 6, 5),
            (Moderate, 0, 3),
            (Complex, 0, 5),
        ] {
            assert_eq!(allowed_directives(class, elements), want, "{class:?} {elements}");
        }
    }

    fn directive(topic: &str, sub_question: &str, priority: u8) -> DirectiveDraft {
        DirectiveDraft {
            sub_questions: vec![sub_question.into()],
            topic: topic.into(),
            priority,
            ..DirectiveDraft::default()
        }
    }

    fn plan() -> Vec<PlanRow> {
        vec![PlanRow { id: "q1".into(), text: "t".into(), answered_when: "w".into(), priority: 1, after: Vec::new() }]
    }

    #[test]
    fn excess_repeated_and_useless_requests_are_refused_with_a_reason() {
        let directives = vec![
            directive("Ships of Rome", "q1", 3),
            directive("ships of  rome!", "q1", 1),
            directive("Roads", "q1", 2),
            directive("Bridges", "q1", 0),
            directive("Walls", "q9", 1),
            directive("Baths", "q1", 1),
        ];
        let delegation = Delegation { directives, ..Delegation::default() };
        let admission = admit(delegation, &plan(), &["Baths".into()], bound(2, 0));
        let topics: Vec<&str> = admission.admitted.iter().map(|d| d.topic.as_str()).collect();
        assert_eq!(topics, ["Bridges", "Roads"]);
        let refused: Vec<(&str, RefusalReason)> = admission.refused.iter().map(|r| (r.topic.as_str(), r.why)).collect();
        assert_eq!(
            refused,
            [
                ("Ships of Rome", RefusalReason::OverBound(2)),
                ("ships of  rome!", RefusalReason::SentBefore),
                ("Walls", RefusalReason::NoSubQuestion),
                ("Baths", RefusalReason::SentBefore),
            ]
        );
        assert_eq!(admission.refused[0].line(), "\"Ships of Rome\" was not sent: at most 2 directives a round");
    }

    #[test]
    fn two_directives_do_not_look_at_the_same_from_the_same_side() {
        let from = |topic: &str, sub_question: &str, side: &str| DirectiveDraft {
            perspective: side.into(),
            ..directive(topic, sub_question, 1)
        };
        let mut plan = plan();
        plan.push(PlanRow { id: "q2".into(), ..plan[0].clone() });
        let directives = vec![
            from("Ships", "q1", "that of a sailor"),
            from("Boats", "q1", "That of a sailor!"),
            from("Boats of oak", "q1", "that of a builder"),
            from("Roads", "q2", "that of a sailor"),
            from("Walls", "q1", ""),
            from("Baths", "q1", ""),
        ];
        let admission = admit(Delegation { directives, ..Delegation::default() }, &plan, &[], bound(5, 0));
        let topics: Vec<&str> = admission.admitted.iter().map(|d| d.topic.as_str()).collect();
        assert_eq!(topics, ["Ships", "Boats of oak", "Roads", "Walls", "Baths"]);
        assert_eq!(admission.refused, [RefusedDirective { topic: "Boats".into(), why: RefusalReason::SameSide }]);
        assert!(admission.refused[0].line().ends_with("another one looks at the same from the same side"));
    }

    #[test]
    fn a_directive_for_two_things_that_are_compared_becomes_one_for_each() {
        let row = |id: &str, text: &str| PlanRow { id: id.into(), text: text.into(), ..plan()[0].clone() };
        let plan = [row("q1", "Rome"), row("q2", "Carthage"), row("q3", "Athens")];
        let on = |topic: &str, of: &[&str]| DirectiveDraft {
            sub_questions: of.iter().map(|id| (*id).to_owned()).collect(),
            ..directive(topic, "", 1)
        };
        /// Things compared, directives wanted, those sent, topics refused.
        type Row<'t> = (usize, &'t [DirectiveDraft], &'t [&'t str], &'t [&'t str]);
        let table: [Row<'_>; 6] = [
            (2, &[on("Ships", &["q1", "q2"])], &["Ships (Rome) q1", "Ships (Carthage) q2"], &[]),
            (0, &[on("Ships", &["q1", "q2"])], &["Ships q1 q2"], &[]),
            (1, &[on("Ships", &["q1", "q2"])], &["Ships q1 q2"], &[]),
            (
                3,
                &[on("Ships", &["q1", "q2", "q3"]), on("Walls", &["q2"])],
                &["Ships (Rome) q1", "Ships (Athens) q3", "Walls q2"],
                &[],
            ),
            (
                2,
                &[on("Ships", &["q2", "q1"]), on("Walls", &["q1", "q2"])],
                &["Ships (Rome) q1", "Ships (Carthage) q2"],
                &["Walls"],
            ),
            (2, &[on("Ships", &["q1", "q9"]), on("Walls", &["q1", "q2"])], &["Ships q1", "Walls (Carthage) q2"], &[]),
        ];
        for (compared, directives, sent, refused) in table {
            let delegation = Delegation { directives: directives.to_vec(), ..Delegation::default() };
            let found = admit(delegation, &plan, &[], bound(5, compared));
            let told: Vec<String> =
                found.admitted.iter().map(|one| format!("{} {}", one.topic, one.sub_questions.join(" "))).collect();
            assert_eq!(told, sent);
            assert_eq!(found.refused.iter().map(|one| one.topic.as_str()).collect::<Vec<_>>(), refused);
            assert!(found.refused.iter().all(|one| one.line().ends_with("has a directive of its own")));
        }
    }

    #[test]
    fn nothing_is_lost_and_no_bound_is_passed_whatever_is_wanted() {
        for wanted in [0, 1, 4, 5, 6, 50] {
            for most in [0, 1, 5, 6, usize::MAX] {
                let directives = (0..wanted).map(|n| directive(&format!("topic {n}"), "q1", (n % 5) as u8)).collect();
                let admission = admit(Delegation { directives, ..Delegation::default() }, &plan(), &[], bound(most, 0));
                assert_eq!(admission.admitted.len(), wanted.min(most).min(MOST_DIRECTIVES));
                assert_eq!(admission.admitted.len() + admission.refused.len(), wanted);
            }
        }
    }

    #[test]
    fn things_compared_share_directives_where_the_searches_are_too_few() {
        let row = |n: usize| PlanRow { id: format!("q{n}"), text: format!("thing {n}"), ..plan()[0].clone() };
        let plan: Vec<PlanRow> = (1..=7).map(row).collect();
        let one = DirectiveDraft {
            sub_questions: plan.iter().map(|row| row.id.clone()).collect(),
            ..directive("Ships", "", 1)
        };
        for (funded, compared, sent, refused) in [
            (usize::MAX, 7, &["q1", "q2", "q3", "q4", "q5"][..], 2),
            (5, 7, &["q1", "q2", "q3", "q4", "q5"], 2),
            (2, 7, &["q1 q3 q5", "q2 q4"], 2),
            (1, 7, &["q1 q2 q3 q4 q5"], 2),
            (0, 7, &[], 7),
            (1, 0, &["q1 q2 q3 q4 q5 q6 q7"], 0),
        ] {
            let delegation = Delegation { directives: vec![one.clone()], ..Delegation::default() };
            let found = admit(delegation, &plan, &[], DirectiveBound { most: 5, funded, compared });
            let told: Vec<String> = found.admitted.iter().map(|one| one.sub_questions.join(" ")).collect();
            assert_eq!((told, found.refused.len()), (sent.iter().map(|s| (*s).to_owned()).collect(), refused));
        }
    }

    #[test]
    fn a_directive_the_searches_are_not_enough_for_is_refused_as_such() {
        let directives = (0..4).map(|n| directive(&format!("topic {n}"), "q1", 1)).collect();
        let delegation = Delegation { directives, ..Delegation::default() };
        let found = admit(delegation, &plan(), &[], DirectiveBound { most: 3, funded: 1, compared: 0 });
        let whys: Vec<RefusalReason> = found.refused.iter().map(|one| one.why).collect();
        use RefusalReason::{OverBound, Unfunded};
        assert_eq!(whys, [Unfunded(1), Unfunded(1), OverBound(3)]);
        assert!(found.refused[0].line().ends_with("the searches left are enough for 1 directives"));
    }
}
