//! Visual order to logical order for lines with letters written from right to left. A small part of the bidirectional algorithm (UAX #9)
//! run backwards: one level of embedding, numbers and Latin words keep their direction.

/// Whether most letters of the pieces are written from right to left.
pub(super) fn is_right_to_left(pieces: &[String]) -> bool {
    let (mut rtl, mut ltr) = (0usize, 0usize);
    for c in pieces.iter().flat_map(|p| p.chars()).filter(|c| c.is_alphabetic()) {
        *(if is_rtl(c) { &mut rtl } else { &mut ltr }) += 1;
    }
    rtl > ltr
}

/// Joins pieces given from left to right into text in the order it is read, with one space between two.
pub(super) fn logical(pieces: Vec<String>, right_to_left: bool) -> String {
    if !pieces.iter().any(|p| p.chars().any(is_rtl)) {
        return pieces.join(" ");
    }
    let mut read: Vec<String> = Vec::with_capacity(pieces.len());
    let mut run: Vec<String> = Vec::new();
    let ordered: Vec<String> = if right_to_left { pieces.into_iter().rev().collect() } else { pieces };
    // What runs against the line's direction was met back to front: it is turned as a whole.
    for piece in ordered {
        let rtl = piece.chars().any(is_rtl);
        if rtl == right_to_left {
            read.extend(run.drain(..).rev());
            read.push(if rtl { turned(&piece, right_to_left) } else { piece });
        } else {
            run.push(if rtl { turned(&piece, right_to_left) } else { piece });
        }
    }
    read.extend(run.drain(..).rev());
    read.join(" ")
}

/// The characters one glyph stands for, given as they are read, in the order they stand on the page.
pub(super) fn visual(text: &[char]) -> Vec<char> {
    turn_runs(text, is_rtl)
}

/// A piece with letters from right to left, as it is read. In a line from right to left everything turns but numbers and Latin words.
fn turned(piece: &str, right_to_left: bool) -> String {
    let chars: Vec<char> = piece.chars().collect();
    if !right_to_left {
        return turn_runs(&chars, is_rtl).into_iter().collect();
    }
    let back: Vec<char> = chars.into_iter().rev().map(mirrored).collect();
    turn_runs(&back, |c| c.is_alphanumeric() && !is_rtl(c)).into_iter().collect()
}

/// A bracket shown in a line from right to left is drawn as its partner.
fn mirrored(c: char) -> char {
    const PAIRS: [(char, char); 5] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>'), ('«', '»')];
    PAIRS.iter().find_map(|(a, b)| (c == *a).then_some(*b).or((c == *b).then_some(*a))).unwrap_or(c)
}

/// Turns each longest run of characters that are `of_run`; combining marks belong to the run they are in.
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
    fn only_the_part_from_right_to_left_stands_turned_on_the_page() {
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
