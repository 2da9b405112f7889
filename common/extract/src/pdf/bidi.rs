//! Converts visual order to logical order for lines with right-to-left letters. A small part of the bidirectional algorithm (UAX #9) in
//! reverse: one level of embedding; numbers and Latin words keep their direction.

/// Whether most letters of the pieces are written from right to left.
pub(super) fn is_right_to_left(pieces: &[String]) -> bool {
    let (mut rtl, mut ltr) = (0usize, 0usize);
    for c in pieces.iter().flat_map(|p| p.chars()).filter(|c| c.is_alphabetic()) {
        *(if is_rtl(c) { &mut rtl } else { &mut ltr }) += 1;
    }
    rtl > ltr
}

/// Joins pieces given from left to right into text in reading order, with one space between two pieces.
pub(super) fn logical(pieces: Vec<String>, right_to_left: bool) -> String {
    if !pieces.iter().any(|p| p.chars().any(is_rtl)) {
        return pieces.join(" ");
    }
    let mut read: Vec<String> = Vec::with_capacity(pieces.len());
    let mut run: Vec<String> = Vec::new();
    let ordered: Vec<String> = if right_to_left { pieces.into_iter().rev().collect() } else { pieces };
    // A run against the direction of the line arrives back to front, so it is reversed as a whole.
    for piece in ordered {
        let rtl = piece.chars().any(is_rtl);
        if rtl == right_to_left {
            read.extend(run.drain(..).rev());
            read.push(if rtl { reorder(&piece, right_to_left) } else { piece });
        } else {
            run.push(if rtl { reorder(&piece, right_to_left) } else { piece });
        }
    }
    read.extend(run.drain(..).rev());
    read.join(" ")
}

/// Converts the characters of one glyph from reading order to their order on the page.
pub(super) fn visual(text: &[char]) -> Vec<char> {
    turn_runs(text, is_rtl)
}

/// A piece with right-to-left letters in reading order. In a right-to-left line everything is reversed except numbers and Latin words.
fn reorder(piece: &str, right_to_left: bool) -> String {
    let chars: Vec<char> = piece.chars().collect();
    if !right_to_left {
        return turn_runs(&chars, is_rtl).into_iter().collect();
    }
    let back: Vec<char> = chars.into_iter().rev().map(mirror).collect();
    turn_runs(&back, |c| c.is_alphanumeric() && !is_rtl(c)).into_iter().collect()
}

/// The mirrored bracket: in a right-to-left line, a bracket is drawn as its counterpart.
fn mirror(c: char) -> char {
    const PAIRS: [(char, char); 5] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>'), ('«', '»')];
    PAIRS.iter().find_map(|(a, b)| (c == *a).then_some(*b).or((c == *b).then_some(*a))).unwrap_or(c)
}

/// Reverses each maximal run of characters for which `of_run` returns true.
fn turn_runs(chars: &[char], of_run: impl Fn(char) -> bool) -> Vec<char> {
    let mut out = Vec::with_capacity(chars.len());
    let mut run: Vec<char> = Vec::new();
    for c in chars {
        if of_run(*c) {
            run.push(*c);
        } else {
            out.extend(run.drain(..).rev());
            out.push(*c);
        }
    }
    out.extend(run.drain(..).rev());
    out
}

/// Hebrew, Arabic, Syriac, Thaana, N'Ko and their presentation forms.
fn is_rtl(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_to_left_part_is_reversed() {
        let text: Vec<char> = "שלום h".chars().collect();
        assert_eq!(visual(&text).into_iter().collect::<String>(), "םולש h");
    }

    #[test]
    fn lines_come_out_as_they_are_read() {
        let table: [(&[&str], &str); 5] = [
            (&["(2007)םולש", "אבג"], "גבא שלום(2007)"),
            (&["plain", "text"], "plain text"),
            (&["םלוע", "םולש"], "שלום עולם"),
            (&["םלוע", "PDF", "2.0", "םולש"], "שלום PDF 2.0 עולם"),
            (&["the", "word", "long", "latin", "םולש", "here"], "the word long latin שלום here"),
        ];
        for (given, want) in table {
            let pieces: Vec<String> = given.iter().map(ToString::to_string).collect();
            let rtl = is_right_to_left(&pieces);
            assert_eq!(logical(pieces, rtl), want, "{given:?}");
        }
    }
}
