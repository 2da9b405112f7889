//! Inflection: whether two words are forms of one word where their letters alone do not show it, as `paid` and `pay`, `cities` and `city`,
//! `aufgenommen` and `aufnehmen`.
//!
//! Terms have no language, so the rules of all languages hold for every word; a word that two languages share has the forms of both.
//! The regular rules of a language are in a file of its own, its irregular words are rows of `paradigms`.

mod english;
mod german;
mod irregular;
mod paradigms;

/// Whether `a` and `b`, both in lower case, are different forms of one word by the tables and rules of this room.
///
/// ```
/// use precis_language::inflection::are_forms;
///
/// assert!(are_forms("pays", "paid") && are_forms("duty", "duties") && are_forms("using", "used"));
/// assert!(are_forms("aufgenommen", "aufnehmen") && are_forms("zahlt", "gezahlt"));
/// assert!(!are_forms("rat", "rated") && !are_forms("paid", "said"));
/// ```
#[must_use]
pub fn are_forms(a: &str, b: &str) -> bool {
    may_be_forms(a, b) && (english::are_forms(a, b) || irregular::are_forms(a, b) || german::are_forms(a, b))
}

/// Whether the beginnings of two words allow [`are_forms`]: a look at few bytes that excludes most pairs.
#[must_use]
pub fn may_be_forms(a: &str, b: &str) -> bool {
    let (first, other) = (a.as_bytes().first(), b.as_bytes().first());
    first == other || irregular::may_begin_otherwise(a) || irregular::may_begin_otherwise(b)
}

/// The words that [`are_forms`] calls forms of `word`, in lower case, each once and ascending; many of them are no words, because endings
/// are joined to every stem.
#[must_use]
pub fn forms(word: &str) -> Vec<String> {
    let mut all = english::forms(word);
    all.extend(irregular::forms(word));
    all.extend(german::forms(word));
    all.retain(|form| form != word);
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = "pay pays paid paying repay repaid hold held holds holding go went gone write wrote written writing city cities \
        duty duties apply applied applies applying use used uses using move moved moving plan planned planning plane planes \
        rat rate rated rating hop hope hoped hopping die dies died dying child children leaf leaves crisis crises say said \
        aufnehmen aufgenommen aufnimmt aufnahme aufzunehmen zahlen zahlt gezahlt einzahlen eingezahlt einzuzahlen geht ging \
        gegangen venir viennent venu devient devenu tiene tener tuvo obtuvo viene vennero make made making sell sold";

    #[test]
    fn forms_are_exactly_what_is_told_to_be_forms() {
        let words: Vec<&str> = WORDS.split_whitespace().collect();
        for a in &words {
            let all = forms(a);
            for b in words.iter().filter(|b| b != &a) {
                assert_eq!(are_forms(a, b), are_forms(b, a), "{a} {b}");
                assert_eq!(all.iter().any(|form| form == b), are_forms(a, b), "{a} {b}");
            }
        }
    }

    #[test]
    fn forms_of_one_word_meet_and_other_words_do_not() {
        let meets = "pays/paid feeds/fed holds/held keeps/kept builds/built buys/bought sells/sold leaves/left goes/went takes/taken \
            writes/wrote chooses/chosen withdraws/withdrew makes/making gives/given uses/used moves/moved lives/living city/cities \
            study/studied die/dying plan/planned child/children person/people woman/women half/halves index/indices \
            hire/hired close/closing zahlen/gezahlt einzahlen/eingezahlt nimmt/genommen übernommen/übernimmt fährt/gefahren gilt/galt \
            werken/gewerkt nachzuweisende/nachweist einzuhalten/eingehalten vient/venu tenu/tiennent prend/pris peut/pouvait paie/payer sait/su tiene/tuvo hace/hizo vuelve/volvió \
            viene/venne tiene/tenuto faz/fez têm/teve pode/pôde";
        for pair in meets.split_whitespace() {
            let (a, b) = pair.split_once('/').expect("a pair");
            assert!(are_forms(a, b), "{pair}");
        }
        let strangers = "paid/said rat/rated hop/hoped car/caring plan/planed sing/single need/net bed/be thing/the star/staring \
            see/seed fee/feed gehören/hören zugang/gehen zustand/stehen fahren/führt gericht/reichen gebäude/bauen gestern/stern read/red mean/men king/ken 2019/2018 zahl/zahn new/net";
        for pair in strangers.split_whitespace() {
            let (a, b) = pair.split_once('/').expect("a pair");
            assert!(!are_forms(a, b), "{pair}");
        }
    }
}
