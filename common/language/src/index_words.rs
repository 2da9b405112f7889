//! Function words that are no index terms: they do not tell what a query is about.
//!
//! This list is part of the digest format: scores, hashes and indexes depend on every word of it. More words for other uses belong in
//! `function_words`.
//!
//! Chosen by hand: articles, pronouns, prepositions, auxiliaries, question words. None is longer than five letters: longer ones are rare,
//! so their weight stays small, and `between` or `without` may be what is asked. Words that carry meaning in another of these languages
//! are left out (`war`, `hat`, `door`, `son`, `mais`, `ai`).

use std::sync::LazyLock;

const ENGLISH: &str = "a about after again all also an and any are as at be been being both but by can could did do \
    does done each for from had has have he her hers him his how i if in into is it its just may me might more most \
    must my no nor not of off on only onto or other our ours out over own per same shall she so some such than that \
    the their them then there these they this those to too up upon very via was we were what when where which while \
    who whom whose why will with would you your";

const GERMAN: &str = "aber als am auch auf aus bei beim bis da das dass dein dem den denn der des dich die dies \
    diese dir doch du durch ein eine einem einen einer eines er es euch euer für gegen habe haben hast hatte ich ihm \
    ihn ihnen ihr ihre im ins ist ja kann kein keine mein mich mir mit nach nicht noch nur ob oder ohne schon sehr \
    sein seine seit sich sie sind soll sowie um und uns unser vom von vor warum wegen weil wenn wer wie wir wird wo \
    zu zum zur über";

const FRENCH: &str = "au aux avec ce ceci cela ces cet cette chez ci comme dans de des donc dont du elle elles en \
    est et il ils je la le les leur leurs lui mes moi mon ne ni nos notre nous on ont ou où par pas pour que quel \
    quels qui quoi sa sans se ses si sont sous sur ta tes toi tu un une vos votre vous été être";

const SPANISH: &str = "al ante como con cual cuál de del desde donde dónde el ella ellas ellos en entre eres es esa \
    esas ese eso esos esta estas este esto estos está fue ha han hasta la las le les lo los me mi mis muy más nada \
    ni nos o os para pero por que quien quién qué se ser si sobre su sus te ti tu tus un una unas uno unos y ya yo";

const ITALIAN: &str = "agli al alla alle allo anche che chi ci con cui da dagli dai dal dalla dei del della delle \
    dello di e ed fra gli ha hanno i il in la le lei li lo loro lui ma mi mio ne negli nei nel nella nelle noi non o \
    per però più qual quale se si sono su sua sue sui sul sulla suo suoi ti tra tu un una uno vi voi è";

const PORTUGUESE: &str = "ao aos as até com como da das de dela dele do dos e ela elas ele eles em entre essa esse \
    esta este está foi há isso isto já lhe mas me meu muito na nas nem no nos não nós o os ou para pela pelo por \
    quais qual quem se sem ser seu seus sua suas são só te tem um uma vos à às";

const DUTCH: &str = "aan al alle als bij dat de der deze die dit een en er had heb hebt heeft hem het hier hij hoe \
    hun ik in is je jij kan maar me met mij mijn na naar niet nog nu of om onder ons ook op over te tegen toch u uit \
    uw van veel voor waar wat wel werd wie wij wordt zal ze zich zij zijn zo";

/// Slots of the table, a power of two a few times the number of words.
const SLOTS: usize = 2_048;
/// Longest function word, in bytes.
const MAX_BYTES: usize = 7;

/// Hash table of the words with open addressing; free slots are empty.
static WORDS: LazyLock<[&'static str; SLOTS]> = LazyLock::new(|| {
    let mut table = [""; SLOTS];
    for word in words() {
        let at = slots(word).find(|&at| table[at].is_empty() || table[at] == word);
        table[at.expect("more slots than words")] = word;
    }
    table
});

fn words() -> impl Iterator<Item = &'static str> {
    let lists = [ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH];
    lists.into_iter().flat_map(str::split_whitespace)
}

/// The slots in which to look for a word of 1 to [`MAX_BYTES`] bytes, in order.
fn slots(word: &str) -> impl Iterator<Item = usize> {
    let bytes = word.as_bytes();
    let number = |at: usize| bytes[at..at + 4].iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
    let key = match bytes.len() {
        long @ 4.. => number(0) << 32 | number(long - 4),
        short => u64::from(bytes[0]) << 16 | u64::from(bytes[short / 2]) << 8 | u64::from(bytes[short - 1]),
    };
    // Fibonacci hashing: the top bits of a product with 2^64 over the golden ratio.
    let first = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - SLOTS.ilog2())) as usize;
    (0..SLOTS).map(move |step| (first + step) % SLOTS)
}

/// Whether `word`, in lower case, is a function word of one of the languages.
pub fn is_index_function_word(word: &str) -> bool {
    if !(1..=MAX_BYTES).contains(&word.len()) {
        return false;
    }
    let table = &*WORDS;
    slots(word).map(|at| table[at]).take_while(|held| !held.is_empty()).any(|held| held == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_function_word_is_longer_than_five_letters_and_each_is_found() {
        let odd: Vec<_> = words().filter(|word| word.chars().count() > 5 || !is_index_function_word(word)).collect();
        assert!(odd.is_empty(), "{odd:?}");
        for word in ["", "x", "theory", "the ", "\0the", "acknowledgement"] {
            assert!(!is_index_function_word(word), "{word:?}");
        }
    }

    #[test]
    fn content_words_of_one_language_are_not_function_words_of_another() {
        for word in [
            "war", "hat", "door", "son", "era", "us", "men", "man", "car", "sin", "come", "mais", "ai", "tot", "eu",
            "between", "should",
        ] {
            assert!(!is_index_function_word(word), "{word}");
        }
    }

    #[test]
    fn each_language_has_its_articles_and_question_words() {
        for word in ["the", "what", "der", "wie", "les", "quel", "los", "qué", "gli", "chi", "os", "quem", "het", "hoe"]
        {
            assert!(is_index_function_word(word), "{word}");
        }
    }
}
