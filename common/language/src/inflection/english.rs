//! The regular inflections of English: `-s`, `-ed`, `-ing`, with what they do to the end of a word.
//!
//! A word's bases are found by taking endings off and asking of each candidate whether its own inflections hold the word, so that taking
//! off and putting on are one rule.

/// Letters a base must have: shorter ones are rests of words (`th` of `thing`).
const BASE_LETTERS: usize = 3;
/// What a form may have beyond the letters that it shares with another form, besides a doubled letter.
const RESTS: [&str; 12] = ["", "s", "es", "d", "ed", "ing", "e", "y", "ie", "ies", "ied", "ying"];

/// Whether a base is common to both words.
pub(super) fn are_forms(a: &str, b: &str) -> bool {
    // Most pairs end here, before a word is built.
    let shared = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let may_end = |word: &str| {
        let rest = &word.as_bytes()[shared..];
        let is_doubled = shared > 0 && rest.first() == word.as_bytes().get(shared - 1);
        RESTS.iter().any(|own| own.as_bytes() == rest || (is_doubled && own.as_bytes() == &rest[1..]))
    };
    let may_be_forms = shared > 0 && may_end(a) && may_end(b) && may_be_inflected(a) && may_be_inflected(b);
    if !may_be_forms {
        return false;
    }
    let of_a = bases(a);
    of_a.iter().any(|base| base == b || inflections(base).iter().any(|form| form == b))
}

/// Every inflection of every base of `word`.
pub(super) fn forms(word: &str) -> Vec<String> {
    if !may_be_inflected(word) {
        return Vec::new();
    }
    bases(word)
        .into_iter()
        .flat_map(|base| {
            let mut all = inflections(&base);
            all.push(base);
            all
        })
        .collect()
}

fn may_be_inflected(word: &str) -> bool {
    word.len() >= BASE_LETTERS && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// The words that `word` may be an inflection of, itself among them.
fn bases(word: &str) -> Vec<String> {
    let mut found = vec![word.to_owned()];
    for ending in ["s", "es", "d", "ed", "ing"] {
        let Some(rest) = word.strip_suffix(ending) else { continue };
        let undoubled = rest.get(..rest.len().saturating_sub(1)).unwrap_or_default();
        let candidates = [
            rest.to_owned(),
            format!("{rest}e"),
            undoubled.to_owned(),
            rest.strip_suffix('i').map(|stem| format!("{stem}y")).unwrap_or_default(),
            rest.strip_suffix('y').map(|stem| format!("{stem}ie")).unwrap_or_default(),
        ];
        for base in candidates {
            let is_base = base.len() >= BASE_LETTERS && inflections(&base).iter().any(|form| form == word);
            if is_base && !found.contains(&base) {
                found.push(base);
            }
        }
    }
    found
}

/// The three regular forms of `base`: third person or plural, past, and `-ing`; none of what no word can be, `str` and `the` before `-ing`.
fn inflections(base: &str) -> Vec<String> {
    let with = |stem: &str, ending: &str| format!("{stem}{ending}");
    if !base.strip_suffix('e').unwrap_or(base).contains(|c| is_vowel(c) || c == 'y') {
        return Vec::new();
    }
    if let Some(stem) = base.strip_suffix("ie") {
        return vec![with(base, "s"), with(base, "d"), with(stem, "ying")];
    }
    // `see` and `fee` have no regular past: `seed` and `feed` are other words.
    if base.len() == BASE_LETTERS && base.ends_with("ee") {
        return vec![with(base, "s"), with(base, "ing")];
    }
    if let Some(stem) = base.strip_suffix('e') {
        let ing = if stem.ends_with(is_vowel) { base } else { stem };
        return vec![with(base, "s"), with(base, "d"), with(ing, "ing")];
    }
    if let Some(stem) = base.strip_suffix('y').filter(|stem| !stem.ends_with(is_vowel)) {
        return vec![with(stem, "ies"), with(stem, "ied"), with(base, "ing")];
    }
    let hisses = ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| base.ends_with(end));
    let third = with(base, if hisses { "es" } else { "s" });
    let stem = if doubles_last(base) { with(base, &base[base.len() - 1..]) } else { base.to_owned() };
    vec![third, with(&stem, "ed"), with(&stem, "ing")]
}

/// Whether `base` has one vowel with one consonant behind it, which is doubled before an ending: `plan`, `hop`.
fn doubles_last(base: &str) -> bool {
    let last = base.chars().next_back().unwrap_or('e');
    let vowels = base.chars().filter(|c| is_vowel(*c)).count();
    vowels == 1 && base.chars().rev().nth(1).is_some_and(is_vowel) && !matches!(last, 'w' | 'x' | 'y')
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_has_its_three_inflections() {
        for (base, want) in [
            ("plan", ["plans", "planned", "planning"]),
            ("apply", ["applies", "applied", "applying"]),
            ("pray", ["prays", "prayed", "praying"]),
            ("use", ["uses", "used", "using"]),
            ("agree", ["agrees", "agreed", "agreeing"]),
            ("die", ["dies", "died", "dying"]),
            ("tax", ["taxes", "taxed", "taxing"]),
            ("visit", ["visits", "visited", "visiting"]),
            ("load", ["loads", "loaded", "loading"]),
        ] {
            assert_eq!(inflections(base), want, "{base}");
            assert!(want.iter().all(|form| bases(form).iter().any(|own| own == base)), "{base}");
        }
    }
}
