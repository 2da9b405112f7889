//! What stands in front of a sentence and is no part of it: bullets, reference marks, section numbers, headings.
//!
//! Canonical text has no lines, so `1 Introduction Foo bar is …` arrives as one stretch. The heading is told from the
//! sentence by its capitals, its number, and the word that opens the sentence. In doubt nothing is taken away.

use super::lexicon;

/// Most words a heading may have.
const HEADING_WORDS: usize = 12;

/// Bytes at the start of `piece` that are no part of its sentence, at most its length.
pub(super) fn length(piece: &str) -> usize {
    let marks = marks(piece);
    let tokens: Vec<Token<'_>> = tokens(&piece[marks..]).take(HEADING_WORDS + 4).collect();
    let start = marks + heading(&tokens).map_or(0, |index| tokens[index].at);
    start + self::marks(&piece[start..])
}

/// Bullets, closing marks, dashes, numbers in brackets, white space.
fn marks(piece: &str) -> usize {
    let mut rest = piece;
    loop {
        let trimmed = rest.trim_start_matches(|c: char| {
            c.is_whitespace()
                || lexicon::is_bullet(c)
                || matches!(c, ')' | ']' | '}' | ',' | ';' | ':' | '|' | '*' | '†' | '‡' | '–' | '—' | '·')
        });
        let trimmed = parenthesis(enumerator(foreign_bullet(bracketed_number(trimmed))));
        if trimmed.len() == rest.len() {
            return piece.len() - rest.len();
        }
        rest = trimmed;
    }
}

/// A bullet of a symbol font that came out as a letter: `Ê Connaître …`.
fn foreign_bullet(text: &str) -> &str {
    if lexicon::is_strange_bullet(text) { text.trim_start_matches(|c| c != ' ') } else { text }
}

/// The mark of a list item: `(2) installing …`, `(iv) …`, `(b) …`.
fn enumerator(text: &str) -> &str {
    let Some((mark, rest)) = text.strip_prefix('(').and_then(|inner| inner.split_once(") ")) else {
        return text;
    };
    let is_roman = !mark.is_empty() && mark.len() <= 4 && mark.bytes().all(|b| b"ivx".contains(&b));
    let is_mark = mark.len() == 1 || (mark.len() == 2 && mark.bytes().all(|b| b.is_ascii_digit())) || is_roman;
    if is_mark && mark.chars().all(|c| c.is_ascii_alphanumeric()) { rest } else { text }
}

/// A title in parentheses before the sentence: `(Properties of parts) Every part …`.
fn parenthesis(text: &str) -> &str {
    let Some((title, rest)) = text.strip_prefix('(').and_then(|inner| inner.split_once(") ")) else {
        return text;
    };
    let is_title = title.chars().count() <= 60 && !title.contains(['(', '.', '!', '?']);
    if is_title && rest.starts_with(char::is_uppercase) { rest } else { text }
}

fn bracketed_number(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('[') else {
        return text;
    };
    match inner.split_once(']') {
        Some((number, rest))
            if !number.is_empty() && number.len() <= 4 && number.bytes().all(|b| b.is_ascii_digit()) =>
        {
            rest
        }
        _ => text,
    }
}

#[derive(Clone, Copy)]
struct Token<'a> {
    at: usize,
    text: &'a str,
}

fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    text.split_whitespace().map(move |word| Token { at: word.as_ptr().addr() - text.as_ptr().addr(), text: word })
}

impl<'a> Token<'a> {
    fn is_title(self) -> bool {
        self.text.trim_start_matches(['(', '"', '“']).chars().next().is_some_and(char::is_uppercase)
    }

    fn is_lower(self) -> bool {
        self.text.chars().next().is_some_and(char::is_lowercase)
    }

    fn is_number(self) -> bool {
        self.text.chars().next().is_some_and(char::is_numeric)
    }

    /// Without the marks at its end.
    fn bare(self) -> &'a str {
        self.text.trim_end_matches([',', '.', ':', ';'])
    }

    fn is_capitals(self) -> bool {
        let letters = self.text.chars().filter(|c| c.is_alphabetic()).count();
        letters >= 2 && !self.text.chars().any(char::is_lowercase)
    }

    /// `3`, `3.`, `3)`, `2.3`, `2.3.1`, `IV.`
    fn is_section_number(self) -> bool {
        let bare = self.text.trim_end_matches(['.', ')']);
        let arabic = !bare.is_empty()
            && bare.split('.').all(|n| (1..=2).contains(&n.len()) && n.bytes().all(|b| b.is_ascii_digit()));
        let roman = bare.len() < self.text.len() && !bare.is_empty() && bare.chars().all(|c| "IVX".contains(c));
        arabic || roman
    }

    fn ends_clause(self) -> bool {
        self.text.ends_with(['.', ',', ';', '!', '?'])
    }

    fn belongs_to_heading(self) -> bool {
        self.is_title() || self.is_number() || lexicon::is_connector(self.text)
    }
}

/// Index of the token that opens the sentence, where a heading or a number stands before it.
fn heading(tokens: &[Token<'_>]) -> Option<usize> {
    let first = usize::from(tokens.first()?.is_section_number());
    let run = tokens.iter().skip(first).take_while(|t| t.belongs_to_heading()).count();
    let run_end = first + run.min(HEADING_WORDS);
    let is_plain = |index: usize| tokens.get(index).is_some_and(|next| next.is_lower() || next.is_number());
    let opens = |index: usize| {
        let names_first = lexicon::is_heading(tokens[index - 1].text) || lexicon::is_german_opener(tokens[index].text);
        let joined = lexicon::is_connector(&tokens[index - 1].text.to_lowercase());
        let before_name = index > first + 1 && !joined && lexicon::goes_before_names(tokens[index].text);
        is_plain(index + 1) || ((names_first || before_name) && is_plain(index + 2))
    };

    if first == 1 && run > 0 && lexicon::is_starter(tokens[1].text) && opens(1) {
        return Some(1);
    }
    labelled(tokens)
        .or_else(|| repeated(tokens))
        .or_else(|| taken_up(tokens))
        .or_else(|| named(tokens, first))
        .or_else(|| capitals(tokens, first))
        .or_else(|| inner_capitals(tokens))
        .or_else(|| {
            let found = (first + 1..run_end).find(|&index| {
                is_opener(tokens[index].text, index > first + 1)
                    && opens(index)
                    && is_heading(&tokens[first..index], first == 1)
            });
            found.or_else(|| numbered(tokens, first, run_end))
        })
}

/// `Definition 18 Ein Raum heißt …`: a label, its number, and a capital.
fn labelled(tokens: &[Token<'_>]) -> Option<usize> {
    let (label, number, opener) = (tokens.first()?, tokens.get(1)?, tokens.get(2)?);
    let follows = opener.is_title() && opener.text.chars().nth(1).is_some();
    (lexicon::is_label(label.text) && number.is_number() && number.text.len() <= 6 && follows).then_some(2)
}

/// `Speedtests SpeedTests is …`: a heading of one word, taken up by the sentence.
fn repeated(tokens: &[Token<'_>]) -> Option<usize> {
    let (heading, opener) = (tokens.first()?, tokens.get(1)?);
    let same = heading.is_title() && opener.is_title() && heading.text.to_lowercase() == opener.text.to_lowercase();
    (same && heading.text.chars().count() > 3).then_some(1)
}

/// `Long Beach, California People and Place Long Beach, covering …`: the first two words of the headings, taken up by the
/// sentence behind them.
fn taken_up(tokens: &[Token<'_>]) -> Option<usize> {
    let (one, two) = (tokens.first()?, tokens.get(1)?);
    if !one.is_title() || !two.is_title() || lexicon::is_starter(one.text) {
        return None;
    }
    let same = |index: usize| tokens[index].bare() == one.bare() && tokens[index + 1].bare() == two.bare();
    let found = (3..tokens.len().min(HEADING_WORDS + 1).saturating_sub(1)).find(|&index| same(index))?;
    let is_run = tokens[..found].iter().all(|t| t.belongs_to_heading()) && tokens[found - 1].is_title();
    (is_run && !tokens[found - 1].ends_clause()).then_some(found)
}

/// `Power Sleep Study A. SLEEP ENVIRONMENT Go through …`: long words in capitals behind other headings.
fn inner_capitals(tokens: &[Token<'_>]) -> Option<usize> {
    let is_long = |t: &Token<'_>| t.is_capitals() && t.text.chars().count() >= 5;
    let start = tokens.iter().take(HEADING_WORDS).position(is_long)?;
    let run = tokens[start..].iter().take_while(|t| is_long(t)).count();
    let opener = start + run;
    let follows = tokens.get(opener)?.is_title() && tokens.get(opener + 1)?.is_lower();
    (start > 0 && run >= 2 && follows && tokens[..start].iter().all(|t| t.is_title())).then_some(opener)
}

/// `Introduction Commerce on the Internet has …`: a known heading and then a capital.
fn named(tokens: &[Token<'_>], first: usize) -> Option<usize> {
    let word = tokens.get(first)?.text;
    let is_known = lexicon::is_sure_heading(word) || (first == 1 && lexicon::is_heading(word));
    let follows = tokens.get(first + 1)?.is_title() && tokens.get(first + 2)?.is_lower();
    (is_known && follows).then_some(first + 1)
}

/// Whether `word` opens a sentence behind a heading; behind a single word only the surer ones count.
fn is_opener(word: &str, behind_several: bool) -> bool {
    if behind_several && word.chars().nth(1).is_some() {
        lexicon::is_starter(word)
    } else {
        lexicon::is_strong_starter(word)
    }
}

/// `RESULTS AND DISCUSSION The yield …`
fn capitals(tokens: &[Token<'_>], first: usize) -> Option<usize> {
    let run =
        tokens.iter().skip(first).take_while(|t| t.is_capitals() || matches!(t.text, "&" | "-" | "–" | "/")).count();
    let index = first + run;
    let opener = tokens.get(index)?;
    let follows = tokens.get(index + 1)?.is_lower() && opener.is_title();
    let long = run >= 2 || (run == 1 && (tokens[first].text.chars().count() >= 6 || lexicon::is_starter(opener.text)));
    (run > 0 && long && follows && !tokens[index - 1].ends_clause()).then_some(index)
}

/// Whether the words before a sentence opener are a heading: capitalised, unpunctuated, and not openers themselves.
fn is_heading(words: &[Token<'_>], is_numbered: bool) -> bool {
    let names = words.iter().filter(|w| w.is_title() && !lexicon::is_starter(w.text)).count();
    let plain = words.iter().all(|w| !w.ends_clause());
    let single =
        words.len() > 1 || is_numbered || lexicon::is_heading(words[0].text) || words[0].text.chars().count() >= 6;
    names > 0 && plain && single && words.last().is_some_and(|w| !w.is_lower())
}

/// `2 Related Work Several approaches have …`: behind a section number the last capital before lower case opens the sentence.
fn numbered(tokens: &[Token<'_>], first: usize, run_end: usize) -> Option<usize> {
    if first == 0 || run_end < first + 2 {
        return None;
    }
    let opener = (first + 1..run_end).rev().find(|&index| tokens[index].is_title())?;
    let follows = tokens.get(opener + 1).is_some_and(|next| next.is_lower());
    (follows && tokens[first..opener].iter().all(|t| !t.ends_clause()) && tokens[opener - 1].is_title())
        .then_some(opener)
}
