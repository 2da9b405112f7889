//! [`FieldNames`]: what a field is called where the elements have no known meaning: by its own name, and by those around it if its own does not
//! tell it from others. `<supersedes><spec>` and `<requires><spec>` are two things, as the name of a buyer and the name of a seller are.

use std::collections::{HashMap, HashSet};

/// Most names of one field. Chosen, not measured.
const MAX_NAMES: usize = 3;

/// What is known of the elements of one name.
#[derive(Debug, Default)]
struct Named {
    /// The names of the elements around them.
    around: HashSet<String>,
    /// The names of the elements directly in them.
    inside: HashSet<String>,
    count: usize,
}

/// The elements of a document by name.
#[derive(Debug, Default)]
pub(super) struct FieldNames {
    names: HashMap<String, Named>,
}

impl FieldNames {
    /// Adds the element called `name` with the names of its children, and the name of the element around it.
    pub(super) fn add(&mut self, name: &str, children: &[String], around: &str) {
        let named = self.names.entry(name.to_owned()).or_default();
        named.count += 1;
        named.inside.extend(children.iter().cloned());
        named.around.insert(around.to_owned());
    }

    /// The name of the field whose element is the last one of `path`, the names from the root element to it.
    pub(super) fn of(&self, path: &[&str]) -> String {
        let mut from = path.len().saturating_sub(1);
        // The root element holds everything, so its name tells nothing apart.
        while from > 1
            && path.len() - from < MAX_NAMES
            && self.is_unclear(path[from], path[from - 1], from + 1 < path.len())
        {
            from -= 1;
        }
        path[from..].join(" ")
    }

    /// Whether `name` in `around` needs the name around it: elements of that name stand in others too, the one around it holds nothing else
    /// or is one of several. Above the first name only the first of these counts.
    fn is_unclear(&self, name: &str, around: &str, is_above: bool) -> bool {
        let is_in_others = self.names.get(name).is_some_and(|named| named.around.len() > 1);
        let holder = self.names.get(around);
        is_in_others || (!is_above && holder.is_some_and(|holder| holder.inside.len() == 1 || holder.count > 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(elements: &[(&str, &[&str], &str)]) -> FieldNames {
        let mut names = FieldNames::default();
        for (name, children, around) in elements {
            let children: Vec<String> = children.iter().map(|&child| child.to_owned()).collect();
            names.add(name, &children, around);
        }
        names
    }

    #[test]
    fn a_field_has_the_names_that_tell_it_from_others() {
        let names = names(&[
            ("title", &[], "head"),
            ("spec", &[], "requires"),
            ("spec", &[], "replaces"),
            ("requires", &["spec"], "head"),
            ("replaces", &["spec"], "head"),
            ("day", &[], "change"),
            ("day", &[], "change"),
            ("who", &[], "change"),
            ("change", &["day", "who"], "head"),
            ("change", &["day"], "head"),
            ("town", &[], "address"),
            ("town", &[], "address"),
            ("address", &["town", "street"], "buyer"),
            ("address", &["town", "street"], "seller"),
            ("head", &["title", "requires", "replaces", "change"], "doc"),
        ]);
        for (path, want) in [
            (&["doc", "head", "title"][..], "title"),
            (&["doc", "head", "requires", "spec"], "requires spec"),
            (&["doc", "head", "replaces", "spec"], "replaces spec"),
            (&["doc", "head", "change", "who"], "change who"),
            (&["doc", "buyer", "address", "town"], "buyer address town"),
            (&["doc", "town"], "town"),
            (&["doc"], "doc"),
            (&["doc", "x", "unseen"], "unseen"),
            (&[], ""),
        ] {
            assert_eq!(names.of(path), want, "{path:?}");
        }
    }

    #[test]
    fn a_field_has_a_most_of_names() {
        let every = ["a", "b", "c", "d", "e"];
        let everywhere: Vec<(&str, &[&str], &str)> =
            every.iter().flat_map(|name| every.iter().map(move |around| (*name, &[][..], *around))).collect();
        let names = names(&everywhere);
        for (depth, want) in [(MAX_NAMES, "b c"), (MAX_NAMES + 1, "b c d"), (MAX_NAMES + 2, "c d e")] {
            assert_eq!(names.of(&every[..depth]), want, "{depth}");
        }
    }
}
