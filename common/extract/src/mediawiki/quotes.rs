//! Apostrophes that mark emphasis: two for italics, three for bold, five for both.

/// `line` without the apostrophes that mark emphasis. Those that an editor meant as apostrophes stay, by the rules of MediaWiki: one of four,
/// all beyond five, and one of three where neither bold nor italics would end on the line, as in `l'''amour''`.
pub(super) fn without_emphasis(line: &str) -> String {
    if !line.contains("''") {
        return line.to_owned();
    }
    let runs = runs(line);
    let marks = |run: &Run| if run.length >= 5 { 5 } else { run.length.min(3) };
    let number = |length: usize| runs.iter().filter(|run| marks(run) == length).count();
    let both = number(5);
    let is_unbalanced = (number(3) + both) % 2 == 1 && (number(2) + both) % 2 == 1;
    let halved = if is_unbalanced { halved_run(line, &runs) } else { None };
    let (mut out, mut copied) = (String::with_capacity(line.len()), 0);
    for (at, run) in runs.iter().enumerate() {
        out.push_str(&line[copied..run.start]);
        let kept = run.length - marks(run) + usize::from(halved == Some(at));
        out.extend(std::iter::repeat_n('\'', kept));
        copied = run.start + run.length;
    }
    out + &line[copied..]
}

/// Two or more apostrophes.
struct Run {
    start: usize,
    length: usize,
}

fn runs(line: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut at = 0;
    while let Some(found) = line[at..].find("''") {
        let start = at + found;
        let length = line[start..].bytes().take_while(|byte| *byte == b'\'').count();
        runs.push(Run { start, length });
        at = start + length;
    }
    runs
}

/// The run of three of which one is an apostrophe: the first behind a single letter, else behind a word, else behind a space.
fn halved_run(line: &str, runs: &[Run]) -> Option<usize> {
    let place = |run: &Run| {
        let mut before = line[..run.start].chars().rev();
        match (before.next(), before.next()) {
            (Some(' '), _) => 2,
            (_, Some(' ')) => 0,
            _ => 1,
        }
    };
    let threes = runs.iter().enumerate().filter(|(_, run)| matches!(run.length, 3 | 4));
    threes.min_by_key(|(_, run)| place(run)).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_emphasis_go_and_apostrophes_stay() {
        for (line, want) in [
            ("''a'' '''b''' '''''c'''''", "a b c"),
            ("it's 'so' and ''not", "it's 'so' and not"),
            ("l'''amour'' de", "l'amour de"),
            ("''''four'''' and ''''''six''''''", "'four' and 'six'"),
            ("'''bold ''both'''''", "bold both"),
            ("'''Ann's''' own", "Ann's own"),
        ] {
            assert_eq!(without_emphasis(line), want, "{line}");
        }
        assert_eq!(without_emphasis(&"'".repeat(1_000_000)).len(), 999_995);
    }
}
