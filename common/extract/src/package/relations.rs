//! Relations of a part (ECMA-376, part 2): the other parts that its ids refer to.

use std::collections::BTreeMap;

use super::archive::Package;
use super::markup::{Markup, walk};
use super::part_name::resolve;

/// The target of a relation and its kind, the last word of its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackageRelation {
    pub(super) kind: String,
    /// Name of the other part.
    pub(super) part: String,
}

/// The relations of `part` by id; empty if it has none.
pub(super) fn of(package: &mut Package<'_>, part: &str) -> BTreeMap<String, PackageRelation> {
    let (dir, name) = part.rsplit_once('/').unwrap_or(("", part));
    let list = package.part(resolve("", &format!("{dir}/_rels/{name}.rels")).as_str()).unwrap_or_default();
    let mut relations = BTreeMap::new();
    walk(&list, |event| {
        let Markup::Open(element) = event else { return };
        let is_outside = element.attribute("TargetMode").is_some_and(|mode| mode == "External");
        let found = (element.attribute("Id"), element.attribute("Type"), element.attribute("Target"));
        if let ((Some(id), Some(kind), Some(target)), false) = (found, is_outside) {
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            relations.insert(id, PackageRelation { kind, part: resolve(part, &target) });
        }
    });
    relations
}

#[cfg(test)]
mod tests {
    use super::super::fixture::zip_parts;
    use super::*;

    #[test]
    fn a_relation_names_a_part_of_the_package() {
        let bytes = zip_parts(&[(
            "xl/_rels/workbook.xml.rels",
            "<r><Relationship Id='a' Type='http://x/worksheet' Target='worksheets/one.xml'/>\
             <Relationship Id='b' Type='http://x/theme' Target='/xl/theme.xml'/>\
             <Relationship Id='c' Type='http://x/link' Target='http://a.b' TargetMode='External'/></r>",
        )]);
        let found = of(&mut Package::open(&bytes).expect("an archive"), "xl/workbook.xml");
        let found: Vec<_> = found.iter().map(|(id, r)| (id.as_str(), r.kind.as_str(), r.part.as_str())).collect();
        assert_eq!(found, [("a", "worksheet", "xl/worksheets/one.xml"), ("b", "theme", "xl/theme.xml")]);
        assert!(of(&mut Package::open(&bytes).expect("an archive"), "other.xml").is_empty());
    }
}
