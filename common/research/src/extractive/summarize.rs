//! The summarize tasks: reduces a text to its most important sentences.

use precis_proto::fidelity::FidelityLevel;
use precis_proto::task::{NumberedSummary, ShortText, Summaries, SummarizeTask, SummarizeTogetherTask, Summary};
use precis_text::equal_words::equal_words;
use precis_text::sentences;

use super::mmr::{self, MmrItem};
use super::pool::{self, Sentence, SentencePool};

/// Least quality of a sentence; lower ones are used only if there is nothing better.
const DEBRIS: f64 = 0.3;
/// Most sentences of a summary, whatever the target allows.
const MOST_SENTENCES: usize = 120;
/// Most key points.
const MOST_POINTS: usize = 12;

/// Reduces `task.text` to verbatim sentences within `task.target_tokens` as counted by `count`.
///
/// `headline` gives the best sentence. `key_points` gives the best sentence as summary and the best sentences, including it, as points,
/// most important first; both together fit the target. Every other level gives sentences in text order, joined by a space. If the target
/// is too small for any sentence, the result is the longest beginning of the best one that fits, at least one word. A text without words
/// gives its title.
#[must_use]
pub fn summarize(task: &SummarizeTask, count: &dyn Fn(&str) -> u64) -> Summary {
    let pool = pool(task);
    let order = order(&pool);
    if order.is_empty() {
        let title = task.title.trim();
        return Summary {
            summary: if title.is_empty() { "(no text)".to_owned() } else { title.to_owned() },
            key_points: Vec::new(),
        };
    }
    match task.level {
        FidelityLevel::Headline => {
            Summary { summary: headline(&pool, &order, task.target_tokens, count), key_points: Vec::new() }
        }
        FidelityLevel::KeyPoints => key_points(&pool, &order, task.target_tokens, count),
        FidelityLevel::Raw
        | FidelityLevel::Condensed
        | FidelityLevel::Digest
        | FidelityLevel::Truncated
        | FidelityLevel::Dropped => {
            Summary { summary: prose(&pool, &order, task.target_tokens, count), key_points: Vec::new() }
        }
    }
}

/// As [`summarize`], for each of several texts.
#[must_use]
pub fn summarize_together(task: &SummarizeTogetherTask, count: &dyn Fn(&str) -> u64) -> Summaries {
    let one = |text: &ShortText| {
        let (level, query) = (task.level, task.query.clone());
        let ShortText { id, title, text, target_tokens } = text.clone();
        NumberedSummary { id, summary: summarize(&SummarizeTask { level, query, title, text, target_tokens }, count) }
    };
    Summaries { summaries: task.texts.iter().map(one).collect() }
}

fn pool(task: &SummarizeTask) -> SentencePool<'_> {
    let texts: Vec<&str> = sentences::sentences_with_ranges(&task.text).map(|(_, text)| text).collect();
    let all = texts.len().max(1) as f64;
    let graded: Vec<Sentence<'_>> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| Sentence {
            text,
            title: "",
            prior: 1.0 - index as f64 / all,
            quality: sentences::quality(text),
        })
        .collect();
    let whole: Vec<Sentence<'_>> = graded.iter().filter(|s| s.quality >= DEBRIS).cloned().collect();
    pool::rank(&task.query, if whole.is_empty() { graded } else { whole })
}

/// Indexes of the sentences, best first, without repeats.
fn order(pool: &SentencePool<'_>) -> Vec<usize> {
    let words: Vec<String> = pool.sentences.iter().map(|sentence| equal_words(sentence.text)).collect();
    let known = pool.vectors.iter().zip(&pool.worth).zip(&words);
    let items: Vec<MmrItem<'_>> =
        known.map(|((vector, score), words)| MmrItem { score: *score, source: 0, vector, words }).collect();
    mmr::select(&items, MOST_SENTENCES)
}

fn prose(pool: &SentencePool<'_>, order: &[usize], target: u64, count: &dyn Fn(&str) -> u64) -> String {
    let mut chosen: Vec<usize> = Vec::new();
    let mut spent = 0;
    for &index in order {
        let cost = count(pool.sentences[index].text) + 1;
        if spent + cost <= target {
            spent += cost;
            chosen.push(index);
        }
    }
    // The sum above allows one token per joint, which nearly always suffices; if not, the least important sentence is dropped.
    while !chosen.is_empty() {
        let text = join_sentences(pool, &chosen);
        if count(&text) <= target {
            return text;
        }
        chosen.pop();
    }
    headline(pool, order, target, count)
}

fn join_sentences(pool: &SentencePool<'_>, chosen: &[usize]) -> String {
    let mut sorted = chosen.to_vec();
    sorted.sort_unstable();
    sorted.iter().map(|&i| pool.sentences[i].text).collect::<Vec<_>>().join(" ")
}

/// The best sentence that fits; if none does, the beginning of the best one.
fn headline(pool: &SentencePool<'_>, order: &[usize], target: u64, count: &dyn Fn(&str) -> u64) -> String {
    let best = pool.sentences[order[0]].text;
    let fitting = order.iter().map(|&i| pool.sentences[i].text).find(|text| count(text) <= target);
    fitting.map_or_else(|| beginning(best, target, count), str::to_owned)
}

/// The longest run of words from the start of `text` that fits, at least one word.
fn beginning(text: &str, target: u64, count: &dyn Fn(&str) -> u64) -> String {
    let ends: Vec<usize> =
        text.char_indices().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at).chain([text.len()]).collect();
    let fits = ends.partition_point(|&end| count(&text[..end]) <= target);
    text[..ends[fits.saturating_sub(1)]].to_owned()
}

fn key_points(pool: &SentencePool<'_>, order: &[usize], target: u64, count: &dyn Fn(&str) -> u64) -> Summary {
    let summary = headline(pool, order, target / 2, count);
    let mut left = target.saturating_sub(count(&summary));
    let mut key_points = Vec::new();
    for &index in order {
        let text = pool.sentences[index].text;
        let cost = count(text) + 1;
        if cost <= left && key_points.len() < MOST_POINTS {
            left -= cost;
            key_points.push(text.to_owned());
        }
    }
    if key_points.is_empty() {
        key_points.push(summary.clone());
    }
    Summary { summary, key_points }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "The mill grinds wheat for the whole valley. Its wheel turns with the water of the river. \
        In winter the river freezes and the wheel stands still. Farmers then carry their wheat to the town by sledge. \
        The mill grinds wheat for the whole valley. A new engine could turn the wheel in winter as well.";

    fn task(level: FidelityLevel, query: &str, target_tokens: u64) -> SummarizeTask {
        SummarizeTask { level, query: query.into(), title: "The mill".into(), text: TEXT.into(), target_tokens }
    }

    fn words(text: &str) -> u64 {
        text.split_whitespace().count() as u64
    }

    #[test]
    fn a_summary_is_verbatim_in_text_order_and_says_nothing_twice() {
        let summary = summarize(&task(FidelityLevel::Condensed, "mill in winter", 1_000), &words).summary;
        let places: Vec<usize> =
            summary.split_inclusive(". ").map(|s| TEXT.find(s.trim()).expect("verbatim")).collect();
        assert!(places.is_sorted() && places.len() == 5, "{summary}");
        assert_eq!(summary.matches("grinds wheat").count(), 1);
    }

    #[test]
    fn the_question_chooses_the_headline() {
        for (query, word) in [("What happens in winter when the river freezes?", "freezes"), ("a new engine", "engine")]
        {
            let summary = summarize(&task(FidelityLevel::Headline, query, 50), &words).summary;
            assert!(summary.contains(word) && TEXT.contains(&summary), "{query}: {summary}");
        }
    }

    #[test]
    fn every_level_fits_every_target_that_holds_a_word() {
        for level in [FidelityLevel::Condensed, FidelityLevel::KeyPoints, FidelityLevel::Headline] {
            for target in 2..60 {
                let summary = summarize(&task(level, "winter", target), &words);
                let points: u64 = summary.key_points.iter().map(|p| words(p)).sum();
                assert!(
                    words(&summary.summary) + points <= target && !summary.summary.is_empty(),
                    "{level:?} {target}"
                );
            }
        }
    }

    #[test]
    fn one_token_more_or_less_decides_about_the_last_sentence() {
        let full = words(&summarize(&task(FidelityLevel::Condensed, "winter", 1_000), &words).summary);
        let at = |target| words(&summarize(&task(FidelityLevel::Condensed, "winter", target), &words).summary);
        assert!(at(full - 1) < full);
        assert_eq!((at(full + 5), at(full + 6)), (full, full));
    }

    #[test]
    fn key_points_are_whole_sentences_best_first() {
        let summary = summarize(&task(FidelityLevel::KeyPoints, "winter river wheel", 60), &words);
        assert_eq!(summary.key_points[0], "In winter the river freezes and the wheel stands still.");
        assert!(summary.key_points.iter().all(|p| TEXT.contains(p.as_str()) && p.ends_with('.')));
    }

    #[test]
    fn text_without_words_gives_its_title_and_text_without_sentences_its_beginning() {
        let mut task = task(FidelityLevel::Condensed, "", 3);
        task.text = " \n ".into();
        assert_eq!(summarize(&task, &words).summary, "The mill");
        task.title.clear();
        assert!(!summarize(&task, &words).summary.is_empty());
        task.text = "one two three four five".into();
        assert_eq!(summarize(&task, &words).summary, "one two three");
        task.target_tokens = 0;
        assert_eq!(summarize(&task, &words).summary, "one");
    }
}
