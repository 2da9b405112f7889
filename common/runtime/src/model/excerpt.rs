//! What a provider said, fit for a log line: short, one line, without anything that looks like a key.

/// Most characters kept.
const MAX_CHARS: usize = 200;
/// A run of letters and digits this long that holds both is taken for a secret.
const SECRET_CHARS: usize = 20;

/// `text` on one line, at most [`MAX_CHARS`] characters, keys masked.
pub(super) fn of(text: &str) -> String {
    // More than enough words for the limit; a long body is not gone through.
    let start: String = text.chars().take(MAX_CHARS * 4).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut bearer = false;
    let mut words = Vec::new();
    for word in start.split_whitespace() {
        words.push(if bearer || looks_secret(word) { "***" } else { word });
        bearer = word.trim_end_matches(':').eq_ignore_ascii_case("bearer");
    }
    words.join(" ").chars().take(MAX_CHARS).collect()
}

/// `said` without the words that stand in `sent`: a server that repeats what it was sent must not carry it into a log. Words of
/// three characters and less say nothing.
pub(super) fn without_sent<'a>(said: &str, sent: impl Iterator<Item = &'a str> + Clone) -> String {
    let masked = said.split(' ').map(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_sent = bare.chars().count() > 3 && sent.clone().any(|text| text.contains(bare));
        if is_sent { "***" } else { word }
    });
    masked.collect::<Vec<_>>().join(" ")
}

fn looks_secret(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    if ["sk-", "sk_", "key-", "api-", "gsk_", "xai-", "aiza"].iter().any(|p| starts_a_part(&lower, p)) {
        return true;
    }
    word.split(|c: char| !c.is_ascii_alphanumeric()).any(|run| {
        run.len() >= SECRET_CHARS
            && run.bytes().any(|b| b.is_ascii_digit())
            && run.bytes().any(|b| b.is_ascii_alphabetic())
    })
}

/// Whether `prefix` stands in `word` at its start or behind a character that is no letter or digit, with something after it.
fn starts_a_part(word: &str, prefix: &str) -> bool {
    word.match_indices(prefix).any(|(at, _)| {
        let before = word[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric()) && word.len() > at + prefix.len() + 4
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_masked_and_words_are_kept() {
        for (said, kept) in [
            ("Incorrect API key provided: sk-proj-abc123XYZ. Find", "Incorrect API key provided: *** Find"),
            ("key='sk-ab12cd34' is wrong", "*** is wrong"),
            ("Authorization: Bearer abc.def was refused", "Authorization: Bearer *** was refused"),
            ("token a1b2c3d4e5f6a7b8c9d0e1 expired", "token *** expired"),
            ("maximum context length is 4096 tokens", "maximum context length is 4096 tokens"),
            ("risk-averse models\nand\tothers\u{0}", "risk-averse models and others"),
            ("", ""),
        ] {
            assert_eq!(of(said), kept);
        }
    }

    #[test]
    fn an_excerpt_is_short() {
        assert_eq!(of(&"字 ".repeat(10_000)).chars().count(), 200);
    }

    #[test]
    fn what_was_sent_is_not_repeated() {
        let sent = ["The zebrafinch sings at dawn.", "Who sings?"];
        assert_eq!(
            without_sent("context of 8192 exceeded by prompt: \"zebrafinch sings\" at 9,000", sent.into_iter()),
            "context of 8192 exceeded by prompt: *** *** at 9,000"
        );
    }
}
