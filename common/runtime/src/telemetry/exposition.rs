//! The metrics in the older text format of Prometheus (version 0.0.4), for readers that do not ask for OpenMetrics. Pure.

/// Content type of OpenMetrics.
pub(super) const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Content type of the older format.
pub(super) const PLAIN: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Whether a reader with this `Accept` header gets the older format: it names plain text and not OpenMetrics. A reader that names neither,
/// such as a browser or curl, gets OpenMetrics.
pub(super) fn wants_plain(accept: Option<&str>) -> bool {
    let named: Vec<String> = accept
        .unwrap_or_default()
        .split(',')
        .map(|one| one.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
        .collect();
    let names = |kind: &str| named.iter().any(|one| one == kind);
    names("text/plain") && !names("application/openmetrics-text")
}

/// Returns `openmetrics` in the older format: the help and the type of a counter are of its name with `_total`, and there are neither units
/// nor an end mark.
pub(super) fn plain(openmetrics: &str) -> String {
    let counters: Vec<&str> =
        openmetrics.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.strip_suffix(" counter")).collect();
    let mut text = String::with_capacity(openmetrics.len());
    for line in openmetrics.lines() {
        if line == "# EOF" || line.starts_with("# UNIT ") {
            continue;
        }
        match parse_description(line).filter(|(_, name, _)| counters.contains(name)) {
            Some((mark, name, rest)) => text.push_str(&format!("{mark}{name}_total {rest}\n")),
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

/// The mark, the name and the rest of a line that describes a family.
fn parse_description(line: &str) -> Option<(&str, &str, &str)> {
    let mark = ["# HELP ", "# TYPE "].into_iter().find(|mark| line.starts_with(mark))?;
    let (name, rest) = line[mark.len()..].split_once(' ')?;
    Some((mark, name, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_gets_the_format_it_names() {
        let prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1";
        for (accept, is_plain) in [
            (None, false),
            (Some("*/*"), false),
            (Some(prometheus), false),
            (Some("text/plain;version=0.0.4"), true),
            (Some("Text/Plain , */*;q=0.1"), true),
            (Some("text/html"), false),
        ] {
            assert_eq!(wants_plain(accept), is_plain, "{accept:?}");
        }
    }

    #[test]
    fn counters_are_described_under_the_name_of_their_samples() {
        let openmetrics = "# HELP a_b Things.\n# TYPE a_b counter\n# UNIT a_b seconds\na_b_total{x=\"# EOF\"} 1\n# HELP c C counter.\n# TYPE c gauge\nc 2\n# EOF\n";
        let expected = "# HELP a_b_total Things.\n# TYPE a_b_total counter\na_b_total{x=\"# EOF\"} 1\n# HELP c C counter.\n# TYPE c gauge\nc 2\n";
        assert_eq!(plain(openmetrics), expected);
    }
}
