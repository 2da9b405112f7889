//! What applies to an element: the strongest declaration for each property, with the variables of the element.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::declarations::{Declaration, Declared, MatchedClaims};
use super::declared_values::read_declaration;
use super::text_look::{ElementDeclarations, Strength};
use super::variables::{Variables, resolve};

/// The declarations among `matched` that apply to an element, added to `claimed`; and its variables, those of `around` if it has none of
/// its own. Takes the cost of variables from `steps_left`.
pub(super) fn cascade(
    matched: &[MatchedClaims<'_>],
    claimed: &mut ElementDeclarations,
    around: Option<&Rc<Variables>>,
    steps_left: &Cell<usize>,
) -> Option<Rc<Variables>> {
    let variables = variables(matched, around);
    for (claims, specificity, order) in matched {
        for claim in *claims {
            match claim {
                Declared::Known(declaration) => claimed.add(*declaration, *specificity, *order),
                Declared::Variable { name, value, is_important, is_sure } => {
                    let value = resolve(value, variables.as_ref(), steps_left);
                    read_declaration(name, &value, &mut |property, value| {
                        let declaration = Declaration { property, value, is_important: *is_important };
                        let declaration = if *is_sure { Some(declaration) } else { declaration.if_unsure() };
                        declaration.into_iter().for_each(|one| claimed.add(one, *specificity, *order));
                    });
                }
                Declared::Custom { .. } | Declared::Counters { .. } => {}
            }
        }
    }
    variables
}

fn variables(matched: &[MatchedClaims<'_>], around: Option<&Rc<Variables>>) -> Option<Rc<Variables>> {
    let mut own: BTreeMap<&str, (Strength, &str)> = BTreeMap::new();
    for (claims, specificity, order) in matched {
        for claim in *claims {
            if let Declared::Custom { name, value, is_important } = claim {
                let strength = (*is_important, *specificity, *order);
                let best = own.entry(name).or_insert((strength, value));
                if best.0 <= strength {
                    *best = (strength, value);
                }
            }
        }
    }
    if own.is_empty() {
        return around.map(Rc::clone);
    }
    let own = own.into_iter().map(|(name, (_, value))| (name.to_owned(), value.to_owned())).collect();
    Some(Rc::new(Variables::new(own, around)))
}
