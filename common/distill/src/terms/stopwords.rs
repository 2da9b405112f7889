//! Function words that say nothing about what a query is after.
//!
//! Chosen by hand: articles, pronouns, prepositions, auxiliaries, question words. None is longer than five letters: longer
//! ones are rare enough for their weight to stay small, and `between` or `without` may be what is asked. Left out as well
//! are words that carry meaning in another of these languages (`war`, `hat`, `door`, `son`, `mais`, `ai`).

use std::collections::HashSet;
use std::sync::LazyLock;

/// Longest function word, in characters.
const MAX_CHARS: usize = 5;

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

static WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lists = [ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH];
    lists.iter().flat_map(|list| list.split_whitespace()).collect()
});

/// Whether `word`, in lower case, is a function word of one of the languages.
pub(super) fn contains(word: &str) -> bool {
    word.chars().count() <= MAX_CHARS && WORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_function_word_is_longer_than_five_letters() {
        let long: Vec<_> = WORDS.iter().filter(|word| word.chars().count() > MAX_CHARS).collect();
        assert!(long.is_empty(), "{long:?}");
    }

    #[test]
    fn content_words_of_one_language_are_not_function_words_of_another() {
        for word in [
            "war", "hat", "door", "son", "era", "us", "men", "man", "car", "sin", "come", "mais", "ai", "tot", "eu",
            "between", "should",
        ] {
            assert!(!contains(word), "{word}");
        }
    }

    #[test]
    fn each_language_has_its_articles_and_question_words() {
        for word in ["the", "what", "der", "wie", "les", "quel", "los", "qué", "gli", "chi", "os", "quem", "het", "hoe"]
        {
            assert!(contains(word), "{word}");
        }
    }
}
