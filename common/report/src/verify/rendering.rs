//! Checks the files rendered next to a report against what its data renders to.

use precis_proto::response::ReportData;

use super::mismatch::Mismatch;
use crate::response::VERSION;

/// Whether this version wrote the report, so that its renderings can be reproduced byte for byte.
#[must_use]
pub fn is_rendered_by(data: &ReportData) -> bool {
    data.generated.as_ref().is_some_and(|generated| generated.version == VERSION)
}

/// Compares the bytes `found` in the file `name` with its rendering; `None` if they are equal. The line in the mismatch is that of the
/// first difference.
#[must_use]
pub fn compare_rendering(name: &str, found: &[u8], wanted: &str) -> Option<Mismatch> {
    let want = wanted.as_bytes();
    if want == found {
        return None;
    }
    let same = found.iter().zip(want).take_while(|(a, b)| a == b).count();
    let line = found[..same].iter().filter(|b| **b == b'\n').count() + 1;
    Some(Mismatch::Rendering { name: name.to_owned(), line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_named() {
        let wanted = "one\ntwo\nthree\n";
        let line = |found: &str| compare_rendering("report.md", found.as_bytes(), wanted).map(|m| m.to_string());
        assert_eq!(line(wanted), None);
        let at = |n: usize| Some(format!("report.md: line {n} differs from what report.json renders to"));
        assert_eq!(line("one\ntwo\nthree"), at(3));
        assert_eq!(line("one\ntwo\nthree\nfour\n"), at(4));
        assert_eq!(line(""), at(1));
        assert_eq!(line("one\nTwo\nthree\n"), at(2));
    }
}
