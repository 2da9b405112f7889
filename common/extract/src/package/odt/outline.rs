//! [`OdtOutline`]: the numbers of headings, which are computed when a document is shown.

use super::styles::{ListLevel, OdtStyles, marker};

/// How far headings have been counted, by level from 1.
#[derive(Debug, Default)]
pub(super) struct OdtOutline {
    counted: [Option<u32>; MAX_LEVELS],
}

/// Most levels of headings; the format has ten.
const MAX_LEVELS: usize = 10;

impl OdtOutline {
    /// Counts a heading of `level`, from 1, which starts at `start` if it restarts; its number, or `None` if it has none.
    pub(super) fn next(&mut self, styles: &OdtStyles, level: u8, start: Option<u32>) -> Option<String> {
        let level = usize::from(level).clamp(1, MAX_LEVELS);
        let own = styles.outline_level(level).filter(|level| level.is_numbered())?;
        let next = self.counted[level - 1].map_or(own.start, |last| last.saturating_add(1));
        self.counted[level - 1] = Some(start.unwrap_or(next));
        self.counted[level..].fill(None);
        let levels: Vec<(Option<&ListLevel>, u32)> = (1..=level)
            .map(|at| {
                let of = styles.outline_level(at);
                (of, self.counted[at - 1].unwrap_or_else(|| of.map_or(1, |of| of.start)))
            })
            .collect();
        marker(&levels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_counted_by_level() {
        let mut styles = OdtStyles::default();
        styles.read(
            b"<text:outline-style><text:outline-level-style text:level='1' style:num-format='I' style:num-prefix='Article '/>\
              <text:outline-level-style text:level='2' style:num-format='1' style:num-suffix='.' text:display-levels='2'/>\
              <text:outline-level-style text:level='3' style:num-format=''/></text:outline-style>",
        );
        let mut outline = OdtOutline::default();
        for (level, start, want) in [
            (1, None, Some("Article I")),
            (2, None, Some("I.1.")),
            (2, None, Some("I.2.")),
            (3, None, None),
            (1, None, Some("Article II")),
            (2, Some(5), Some("II.5.")),
        ] {
            assert_eq!(outline.next(&styles, level, start).as_deref(), want, "{level}");
        }
    }
}
