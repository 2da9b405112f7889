//! Which drawers and blocks of an Org document end: one that does not, before the next headline, is ordinary text, as an exporter shows it.

use std::collections::HashSet;

use super::lines::{self, OrgLine};

/// For each line that begins a drawer or a block, whether its end follows before the next headline; `false` for all others. One pass, so
/// that many beginnings cost no more than one.
pub(super) fn closings(source: &[&str]) -> Vec<bool> {
    let mut closed = vec![false; source.len()];
    // The ends between a line and the next headline, going backwards.
    let mut ends: HashSet<String> = HashSet::new();
    for (at, line) in source.iter().enumerate().rev() {
        match lines::of(line) {
            OrgLine::Headline { .. } => ends.clear(),
            OrgLine::Begin(name) => closed[at] = ends.contains(&format!("end_{}", name.to_ascii_lowercase())),
            OrgLine::Drawer => closed[at] = ends.contains(":end:"),
            _ => {}
        }
        let text = line.trim().to_ascii_lowercase();
        if text == ":end:" {
            ends.insert(text);
        } else if let Some(end) = text.strip_prefix("#+").map(str::trim).filter(|end| end.starts_with("end_")) {
            ends.insert(end.to_owned());
        }
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_counts_only_with_its_end_before_the_next_headline() {
        for (source, want) in [
            (&[":a:", "x", ":END:"][..], &[true, false, false][..]),
            (&[":a:", "x", "* H", ":END:"], &[false, false, false, false]),
            (&["#+begin_src sh", "x", "#+END_SRC"], &[true, false, false]),
            (&["#+begin_src", "#+end_quote"], &[false, false]),
        ] {
            assert_eq!(closings(source), want, "{source:?}");
        }
    }
}
