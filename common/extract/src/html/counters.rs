//! [`Counters`]: the numbers that style sheets count while a page is walked (CSS Lists 3). A number that is not certain, because a rule may
//! apply or not, is unknown, and so is every text with it.

use std::rc::Rc;

use super::counter_list::{COUNTER_PROPERTIES, CounterProperty};
use super::declarations::{Declared, MatchedClaims};
use super::text_look::Strength;

/// Most counters that are open at one place, nested ones included; beyond it all numbers are unknown. Chosen: a page has a handful, nested
/// as deeply as its lists.
const MAX_OPEN: usize = 200;

/// One change of one counter; `None` if it is not certain.
pub(super) type CounterChange = (CounterProperty, Rc<str>, Option<i64>);

/// What an element does to counters, in order.
#[derive(Debug, Default)]
pub(super) struct CounterChanges {
    changes: Vec<CounterChange>,
    /// Whether any counter may be changed, by a declaration that is not understood.
    may_change_all: bool,
}

impl CounterChanges {
    /// Those of the strongest declarations among `matched`.
    pub(super) fn among(matched: &[MatchedClaims<'_>]) -> Self {
        let mut best: [Option<(Strength, &Declared)>; COUNTER_PROPERTIES] = [None; COUNTER_PROPERTIES];
        for (claims, specificity, order) in matched {
            for claim in *claims {
                if let Declared::Counters { property, is_important, .. } = claim {
                    let strength = (*is_important, *specificity, *order);
                    let best = &mut best[*property as usize];
                    if best.is_none_or(|(before, _)| before <= strength) {
                        *best = Some((strength, claim));
                    }
                }
            }
        }
        let mut found = Self::default();
        for (_, claim) in best.into_iter().flatten() {
            if let Declared::Counters { property, changes, is_sure, .. } = claim {
                found.may_change_all |= changes.is_none();
                let known = changes.iter().flat_map(|list| list.iter());
                found
                    .changes
                    .extend(known.map(|(name, number)| (*property, Rc::clone(name), is_sure.then_some(*number))));
            }
        }
        found
    }

    /// Adds changes that come before all others.
    pub(super) fn begin_with(&mut self, changes: Vec<CounterChange>) {
        self.changes.splice(0..0, changes);
    }
}

/// The counters that are open where the walk stands.
#[derive(Debug, Default)]
pub(super) struct Counters {
    /// In the order in which they were made; inner ones follow outer ones.
    open: Vec<OpenCounter>,
    is_over: bool,
}

#[derive(Debug)]
struct OpenCounter {
    name: Rc<str>,
    /// Number of elements around the element that made it. It counts for that element, what is in it, and what follows it beside it.
    depth: usize,
    value: Option<i64>,
}

impl Counters {
    /// Applies what an element does that has `depth` elements around it.
    pub(super) fn apply(&mut self, depth: usize, changes: &CounterChanges) {
        if changes.may_change_all {
            self.open.iter_mut().for_each(|counter| counter.value = None);
        }
        for (property, name, number) in &changes.changes {
            match (property, self.innermost(name)) {
                (CounterProperty::Reset, Some(counter)) if counter.depth == depth => counter.value = *number,
                (CounterProperty::Reset, _) | (CounterProperty::Increment | CounterProperty::Set, None) => {
                    self.make(name, depth, *number);
                }
                (CounterProperty::Set, Some(counter)) => counter.value = *number,
                (CounterProperty::Increment, Some(counter)) => {
                    counter.value = counter.value.zip(*number).map(|(value, by)| value.saturating_add(by));
                }
            }
        }
    }

    /// Ends the counters that were made inside an element with `depth` elements around it.
    pub(super) fn leave(&mut self, depth: usize) {
        while self.open.pop_if(|counter| counter.depth > depth).is_some() {}
    }

    /// The number of the innermost counter called `name`; 0 if there is none; `None` if it is unknown.
    pub(super) fn value(&self, name: &str) -> Option<i64> {
        let innermost = self.open.iter().rfind(|counter| &*counter.name == name);
        innermost.map_or(Some(0), |counter| counter.value).filter(|_| !self.is_over)
    }

    /// The numbers of all counters called `name`, the outermost first; 0 if there are none; `None` if one is unknown.
    pub(super) fn values(&self, name: &str) -> Option<Vec<i64>> {
        if self.is_over {
            return None;
        }
        let found = self.open.iter().filter(|counter| &*counter.name == name);
        let values: Vec<i64> = found.map(|counter| counter.value).collect::<Option<_>>()?;
        Some(if values.is_empty() { vec![0] } else { values })
    }

    fn innermost(&mut self, name: &str) -> Option<&mut OpenCounter> {
        self.open.iter_mut().rfind(|counter| &*counter.name == name)
    }

    fn make(&mut self, name: &Rc<str>, depth: usize, value: Option<i64>) {
        match self.open.len() < MAX_OPEN {
            true => self.open.push(OpenCounter { name: Rc::clone(name), depth, value }),
            false => self.is_over = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::declarations::claims;
    use super::*;

    fn changes(style: &str) -> CounterChanges {
        CounterChanges::among(&[(&claims(style), [0; 4], 0)])
    }

    #[test]
    fn a_counter_holds_for_what_is_in_and_beside_its_element() {
        let mut counters = Counters::default();
        counters.apply(1, &changes("counter-reset:a 4"));
        counters.apply(2, &changes("counter-increment:a;counter-reset:b"));
        counters.apply(3, &changes("counter-reset:a;counter-increment:a 2 b"));
        assert_eq!((counters.values("a"), counters.value("b")), (Some(vec![5, 2]), Some(1)));
        counters.leave(2);
        assert_eq!((counters.values("a"), counters.value("b")), (Some(vec![5]), Some(1)));
        counters.apply(2, &changes("counter-reset:b 7;counter-set:a 9"));
        assert_eq!((counters.value("a"), counters.values("b")), (Some(9), Some(vec![7])));
        counters.leave(1);
        assert_eq!(counters.value("b"), Some(0));
    }

    #[test]
    fn what_is_not_certain_is_unknown_until_it_is_reset() {
        let mut counters = Counters::default();
        counters.apply(1, &changes("counter-reset:a b"));
        counters
            .apply(1, &CounterChanges { changes: vec![(CounterProperty::Increment, "a".into(), None)], ..changes("") });
        assert_eq!((counters.value("a"), counters.value("b")), (None, Some(0)));
        counters.apply(1, &changes("counter-increment:a"));
        assert_eq!(counters.value("a"), None);
        counters.apply(1, &changes("counter-reset:reversed(x)"));
        assert_eq!(counters.value("b"), None);
        counters.apply(1, &changes("counter-reset:a"));
        assert_eq!(counters.value("a"), Some(0));
    }

    #[test]
    fn counters_are_bounded() {
        for (given, is_known) in [(MAX_OPEN - 1, true), (MAX_OPEN, true), (MAX_OPEN + 1, false)] {
            let mut counters = Counters::default();
            (0..given).for_each(|depth| counters.apply(depth, &changes("counter-reset:a 1")));
            assert_eq!(counters.value("a"), is_known.then_some(1), "{given}");
        }
    }
}
