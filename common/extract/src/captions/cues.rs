//! The cues of a file of captions (WebVTT, W3C; SubRip as players read it): blocks with a line of times, and their words without tags.

/// The characters between the times of a cue.
const ARROW: &str = "-->";

/// One cue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Cue {
    pub(super) start_ms: u64,
    pub(super) end_ms: u64,
    /// Who speaks, if a voice tag says so.
    pub(super) speaker: Option<String>,
    /// Its lines without tags, entities resolved.
    pub(super) words: String,
}

/// The content of a file.
#[derive(Debug, Default)]
pub(super) struct CaptionFile {
    pub(super) title: Option<String>,
    pub(super) cues: Vec<Cue>,
    /// Number of comments, styles and regions.
    pub(super) notes: usize,
}

/// Whether `source` begins as WebVTT does, and has a cue.
pub(crate) fn is_vtt(source: &str) -> bool {
    let rest = source.trim_start_matches('\u{feff}').strip_prefix("WEBVTT");
    let begins = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
    begins && source.lines().any(|line| times(line).is_some())
}

/// Whether `source` begins with a cue of SubRip: its number, then its times.
pub(crate) fn is_srt(source: &str) -> bool {
    let mut lines = source.trim_start_matches('\u{feff}').trim_start().lines();
    let is_number =
        lines.next().is_some_and(|line| !line.is_empty() && line.trim().bytes().all(|b| b.is_ascii_digit()));
    is_number && lines.next().is_some_and(|line| times(line).is_some())
}

/// The cues of `source`.
pub(super) fn of(source: &str) -> CaptionFile {
    let mut file = CaptionFile::default();
    let mut lines = source.trim_start_matches('\u{feff}').lines().peekable();
    if source.trim_start_matches('\u{feff}').starts_with("WEBVTT") {
        let title =
            lines.next().unwrap_or_default().trim_start_matches("WEBVTT").trim_start_matches([' ', '\t', '-', '–']);
        file.title = Some(precis_text::normalize(title)).filter(|title| !title.is_empty());
        // The head of the file goes to the first blank line, or to a cue.
        while lines.next_if(|line| !line.trim().is_empty() && times(line).is_none()).is_some() {}
    }
    let mut cue: Option<Cue> = None;
    let mut is_note = false;
    while let Some(line) = lines.next() {
        if let Some(begun) = times(line) {
            file.cues.extend(cue.replace(begun));
            is_note = false;
        } else if line.trim().is_empty() {
            file.cues.extend(cue.take());
            is_note = false;
        } else if let Some(cue) = &mut cue {
            if !cue.words.is_empty() {
                cue.words.push('\n');
            }
            words(line, cue, &mut file.cues);
        } else if !is_note && lines.peek().is_none_or(|next| times(next).is_none()) {
            // A line before the times is the name or number of a cue; any other text outside of cues is a note.
            file.notes += 1;
            is_note = true;
        }
    }
    file.cues.extend(cue);
    file.cues.retain(|cue| !cue.words.trim().is_empty());
    file
}

/// The cue that the line of times begins: two times, of which a damaged file may lack the second, and nothing else but settings such as
/// `align:start`. An arrow that somebody speaks of is no such line.
fn times(line: &str) -> Option<Cue> {
    let (start, rest) = line.split_once(ARROW)?;
    let time = |text: &str| milliseconds(text).filter(|_| text.contains(':'));
    let mut rest = rest.split_whitespace();
    let start_ms = time(start.trim())?;
    let end_ms = rest.next().and_then(time).unwrap_or(start_ms);
    rest.all(|setting| setting.contains(':')).then(|| Cue { start_ms, end_ms, ..Cue::default() })
}

/// `HH:MM:SS.mmm`, hours optional, with a point or a comma.
fn milliseconds(time: &str) -> Option<u64> {
    let (clock, part) = time.split_once(['.', ',']).unwrap_or((time, "0"));
    let mut seconds = 0_u64;
    for part in clock.split(':') {
        seconds = seconds.checked_mul(60)?.checked_add(part.parse().ok()?)?;
    }
    seconds.checked_mul(1000)?.checked_add(part.parse().ok()?)
}

/// Adds the words of `line` to `cue`: tags are left out, a voice tag names the speaker. A part of the cue that another one speaks is put
/// among those `before`.
fn words(line: &str, cue: &mut Cue, before: &mut Vec<Cue>) {
    let mut rest = line;
    while let Some(at) = rest.find(['<', '&', '{']) {
        cue.words.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match rest.as_bytes()[0] {
            b'<' => tag(rest, cue, before),
            b'&' => entity(rest, cue),
            _ => rest.starts_with("{\\").then(|| rest.find('}').map(|end| end + 1)).flatten(),
        };
        let taken = taken.unwrap_or_else(|| {
            cue.words.push_str(&rest[..1]);
            1
        });
        rest = &rest[taken..];
    }
    cue.words.push_str(rest);
}

/// The length of the tag that `rest` begins with; `None` if it is none, but a sign.
fn tag(rest: &str, cue: &mut Cue, before: &mut Vec<Cue>) -> Option<usize> {
    let end = rest.find('>')?;
    let inner = &rest[1..end];
    let is_time = inner.contains(':') && milliseconds(inner).is_some();
    let is_tag = is_time || inner.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    if let Some(voice) = inner.strip_prefix('v')
        && let Some((class, name)) = voice.split_once(char::is_whitespace)
        && (class.is_empty() || class.starts_with('.'))
    {
        let speaker = Some(precis_text::normalize(name)).filter(|name| !name.is_empty());
        if !cue.words.trim().is_empty() && speaker != cue.speaker {
            let rest = Cue { start_ms: cue.start_ms, end_ms: cue.end_ms, ..Cue::default() };
            before.push(std::mem::replace(cue, rest));
        }
        cue.speaker = speaker;
    }
    is_tag.then_some(end + 1)
}

/// The length of the character reference that `rest` begins with.
fn entity(rest: &str, cue: &mut Cue) -> Option<usize> {
    const NAMED: [(&str, &str); 8] = [
        ("&amp;", "&"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&nbsp;", " "),
        ("&lrm;", ""),
        ("&rlm;", ""),
        ("&quot;", "\""),
        ("&#39;", "'"),
    ];
    let (name, text) = NAMED.iter().find(|(name, _)| rest.starts_with(name))?;
    cue.words.push_str(text);
    Some(name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cue_is_split_by_speaker_and_comparison_signs_are_no_tags() {
        let said = |source: &str| -> Vec<(Option<String>, String)> {
            of(source).cues.into_iter().map(|cue| (cue.speaker, cue.words.trim().to_owned())).collect()
        };
        let by = |name: &str, words: &str| (Some(name.to_owned()), words.to_owned());
        for (words, want) in [
            ("<v Ann>We accept.</v>\n<v Bob>We refuse.</v>", vec![by("Ann", "We accept."), by("Bob", "We refuse.")]),
            ("<v Ann>We</v>\n<v Ann>accept.</v>", vec![by("Ann", "We\naccept.")]),
            ("I <3 you and 5 > 4", vec![(None, "I <3 you and 5 > 4".to_owned())]),
            ("a <00:00:01.000>b", vec![(None, "a b".to_owned())]),
            ("Go --> there", vec![(None, "Go --> there".to_owned())]),
        ] {
            assert_eq!(said(&format!("WEBVTT\n\n00:01.000 --> 00:02.000\n{words}\n")), want, "{words}");
        }
    }

    #[test]
    fn times_are_read_with_or_without_hours() {
        for (time, want) in [
            ("00:01.500", Some(1_500)),
            ("01:00:01,001", Some(3_601_001)),
            ("1:2", Some(62_000)),
            ("x", None),
            ("18446744073709551615:00", None),
        ] {
            assert_eq!(milliseconds(time), want, "{time}");
        }
    }
}
