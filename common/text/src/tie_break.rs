//! The order of sources that are alike in everything that counts.

use precis_proto::SourceId;

/// Stands for the ids of found sources among those of given ones.
const FOUND: &str = "found";

/// Returns the key by which sources that are equally important are ordered: a given source by its id, a found one by `found_at`, its place
/// among the sources of the session, because its id is a hash and says nothing.
pub fn tie_break(source_id: &SourceId, found_at: Option<usize>) -> (&str, usize, &str) {
    let id = source_id.as_str();
    found_at.map_or((id, 0, id), |place| (FOUND, place, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_sources_are_ordered_by_id_and_found_ones_by_discovery() {
        let id = |text: &str| SourceId::new(text).expect("an id");
        let (a, z, first, second) = (id("a"), id("z"), id("found-ff"), id("found-00"));
        let mut sources = [(&z, None), (&second, Some(10)), (&a, None), (&first, Some(9))];
        sources.sort_by(|(one, at), (other, place)| tie_break(one, *at).cmp(&tie_break(other, *place)));
        assert_eq!(sources.map(|(id, _)| id), [&a, &first, &second, &z]);
    }
}
