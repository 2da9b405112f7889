//! Excerpts of provider messages for logs and reports: short, on one line, with everything that looks like a key masked.

/// Most characters kept.
const MAX_CHARS: usize = 200;
/// A run of letters and digits of this length that contains both is taken for a secret.
const SECRET_CHARS: usize = 20;

/// Returns `text` on one line, at most [`MAX_CHARS`] characters, with keys masked.
pub(crate) fn of(text: &str) -> String {
    // Enough words for the limit without scanning a long body.
    let start: String = text.chars().take(MAX_CHARS * 4).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut announced = false;
    let mut words = Vec::new();
    for word in start.split_whitespace() {
        let is_secret = announced || names_a_secret(word) || looks_secret(word);
        words.push(if is_secret { "***" } else { word });
        announced = announces(word);
    }
    // Cut only after masking: the first half of a key would not be recognised as one.
    words.join(" ").chars().take(MAX_CHARS).collect()
}

/// [`of`] for a report: also masks file paths of the provider's machine.
pub(super) fn for_people(text: &str) -> String {
    let masked = of(text)
        .split(' ')
        .map(|word| if is_path(word) { "***".to_owned() } else { word.to_owned() })
        .collect::<Vec<_>>();
    masked.join(" ")
}

/// Whether `word` is an absolute file path: at least two names, the first not an API prefix (`/v1/models` is an address).
fn is_path(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
    let mut names = bare.split('/').skip(1);
    let first = names.next().unwrap_or_default();
    bare.starts_with('/') && names.next().is_some() && !matches!(first, "v1" | "v1beta" | "api")
}

/// Masks the words of `said` that occur in `sent`, so that a server that echoes a request does not put it into a log. Words of three
/// characters or fewer are kept.
pub(crate) fn without_sent<'a>(said: &str, sent: impl Iterator<Item = &'a str> + Clone) -> String {
    mask_sent_words(said, sent, |_| false)
}

/// [`without_sent`] that keeps the common words of refusals: documents contain them too, and a refusal is unreadable without them.
pub(super) fn without_documents<'a>(said: &str, sent: impl Iterator<Item = &'a str> + Clone) -> String {
    mask_sent_words(said, sent, |word| PLAIN.contains(&word.to_ascii_lowercase().as_str()))
}

fn mask_sent_words<'a>(
    said: &str,
    sent: impl Iterator<Item = &'a str> + Clone,
    is_plain: impl Fn(&str) -> bool,
) -> String {
    let is_sent =
        |word: &str| word.chars().count() > 3 && !is_plain(word) && sent.clone().any(|text| text.contains(word));
    let masked = said.split(' ').map(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        if is_sent(bare) { "***".to_owned() } else { without_parts(word, &is_sent) }
    });
    masked.collect::<Vec<_>>().join(" ")
}

/// Masks the parts of `word` that were sent: text echoed in JSON or in an address is separated by punctuation, not by spaces.
fn without_parts(word: &str, is_sent: &impl Fn(&str) -> bool) -> String {
    let (mut kept, mut rest) = (String::with_capacity(word.len()), word);
    while let Some(start) = rest.find(char::is_alphanumeric) {
        let (signs, from) = rest.split_at(start);
        let (part, behind) = from.split_at(from.find(|c: char| !c.is_alphanumeric()).unwrap_or(from.len()));
        kept.push_str(signs);
        kept.push_str(if is_sent(part) { "***" } else { part });
        rest = behind;
    }
    kept + rest
}

/// Words in which servers refuse requests, of more than three letters, in lower case.
const PLAIN: [&str; 96] = [
    "access",
    "account",
    "again",
    "allowed",
    "authentication",
    "balance",
    "bearer",
    "been",
    "billing",
    "cannot",
    "check",
    "code",
    "configured",
    "connection",
    "content",
    "context",
    "could",
    "credentials",
    "credit",
    "current",
    "denied",
    "details",
    "disabled",
    "does",
    "error",
    "exceeded",
    "exceeds",
    "exist",
    "exists",
    "expected",
    "expired",
    "failed",
    "field",
    "find",
    "forbidden",
    "format",
    "found",
    "have",
    "header",
    "however",
    "incorrect",
    "input",
    "internal",
    "invalid",
    "keys",
    "large",
    "later",
    "length",
    "limit",
    "limits",
    "loaded",
    "login",
    "long",
    "maximum",
    "messages",
    "missing",
    "model",
    "models",
    "must",
    "option",
    "organization",
    "output",
    "overloaded",
    "parameter",
    "payment",
    "permission",
    "plan",
    "please",
    "project",
    "prompt",
    "provide",
    "provided",
    "quota",
    "reached",
    "reduce",
    "refused",
    "request",
    "required",
    "response",
    "resulted",
    "retry",
    "server",
    "service",
    "should",
    "status",
    "support",
    "supported",
    "that",
    "this",
    "token",
    "tokens",
    "unavailable",
    "unsupported",
    "value",
    "with",
    "your",
];
/// Words that announce a secret if a colon or an equals sign follows.
const SECRETS: [&str; 9] =
    ["password", "passwd", "pwd", "passphrase", "secret", "token", "key", "credential", "credentials"];

/// Whether the next word is a secret: `Bearer`, `password:`, `token =`.
fn announces(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != ':' && c != '=');
    let name = bare.trim_end_matches([':', '=']);
    name.eq_ignore_ascii_case("bearer") || (name.len() < bare.len() && is_secrets_name(name))
}

/// Whether `word` contains a secret after its name: `password=…`, `"token":"…"`. The name decides, since a password may look like words.
fn names_a_secret(word: &str) -> bool {
    let cut = word.find([':', '=']);
    cut.is_some_and(|at| {
        let value = word[at + 1..].trim_matches(|c: char| !c.is_alphanumeric());
        !value.is_empty() && is_secrets_name(word[..at].trim_matches(|c: char| !c.is_alphanumeric()))
    })
}

/// Whether `name` is or ends with the name of a secret: `api_key`, `access-token`.
fn is_secrets_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    SECRETS.iter().any(|secret| {
        lower.strip_suffix(secret).is_some_and(|before| before.is_empty() || before.ends_with(['_', '-', '.']))
    })
}

fn looks_secret(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    if ["sk-", "sk_", "gsk_", "xai-", "aiza"].iter().any(|p| starts_a_part(&lower, p)) {
        return true;
    }
    // An address may contain `api-keys`; a key contains digits.
    if word.bytes().any(|b| b.is_ascii_digit()) && ["key-", "api-"].iter().any(|p| starts_a_part(&lower, p)) {
        return true;
    }
    word.split(|c: char| !c.is_ascii_alphanumeric()).any(|run| {
        run.len() >= SECRET_CHARS
            && run.bytes().any(|b| b.is_ascii_digit())
            && run.bytes().any(|b| b.is_ascii_alphabetic())
    })
}

/// Whether `prefix` occurs in `word` at its start or after a character that is not a letter or digit, followed by at least five characters.
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
            ("wrong password: correct-horse-battery for ada", "wrong password: *** for ada"),
            ("login failed (password=correct-horse)", "login failed ***"),
            ("{\"api_key\":\"correct-horse\"} denied", "*** denied"),
            ("access token = abc def", "access token = abc def"),
            ("the key: it is missing", "the key: *** is missing"),
            ("error: key not found", "error: key not found"),
            ("maximum context length is 4096 tokens", "maximum context length is 4096 tokens"),
            ("see https://example.org/account/api-keys.", "see https://example.org/account/api-keys."),
            ("key-12345678 and api-12345678 expired", "*** and *** expired"),
            ("risk-averse models\nand\tothers\u{0}", "risk-averse models and others"),
            ("", ""),
        ] {
            assert_eq!(of(said), kept);
        }
    }

    #[test]
    fn a_report_has_the_words_and_not_the_paths() {
        for (said, kept) in [
            ("key sk-live-1234567890 of /srv/private is wrong", "key *** of *** is wrong"),
            ("cannot read '/etc/ssl/ca.pem'.", "cannot read ***"),
            ("POST /v1/chat/completions: no such model", "POST /v1/chat/completions: no such model"),
            ("yes/no and 1/2 and /", "yes/no and 1/2 and /"),
        ] {
            assert_eq!(for_people(said), kept);
        }
    }

    #[test]
    fn an_excerpt_is_short() {
        assert_eq!(of(&"字 ".repeat(10_000)).chars().count(), 200);
    }

    #[test]
    fn a_refusal_stays_readable_and_tells_nothing_of_documents() {
        let sent = ["The zebrafinch is provided with an incorrect model of this key."];
        assert_eq!(
            without_documents("Incorrect API key provided for this model: zebrafinch", sent.into_iter()),
            "Incorrect API key provided for this model: ***"
        );
        let is_sorted = PLAIN.is_sorted() && PLAIN.iter().all(|word| word.len() > 3 && *word == word.to_lowercase());
        assert!(is_sorted, "each of them once, found at a glance");
    }

    #[test]
    fn what_was_sent_is_not_repeated() {
        let sent = ["The zebrafinch sings at dawn.", "Who sings?"];
        assert_eq!(
            without_sent("context of 8192 exceeded by prompt: \"zebrafinch sings\" at 9,000", sent.into_iter()),
            "context of 8192 exceeded by prompt: *** *** at 9,000"
        );
        for (said, kept) in [
            (r#"{"query":"zebrafinch","code":401}"#, r#"{"query":"***","code":401}"#),
            ("no results at /search?q=zebrafinch&n=9", "no results at /search?q=***&n=9"),
            ("(zebrafinch)-sings: the", "(***)-***: the"),
            ("zebrafinches remain", "zebrafinches remain"),
        ] {
            assert_eq!(without_sent(said, sent.into_iter()), kept);
        }
    }
}
