//! Captions of films and talks (WebVTT and SubRip): what is said, as paragraphs with the time at which each begins.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `cues` | the cues of a file: when each is shown, who speaks, and its words |
//! | `pauses` | which cues form one paragraph, by the pauses between them |
//!
//! A cue is a line on a screen and mostly half a sentence. So cues are joined, and the time of a paragraph is its marker, not prose.

mod cues;
mod pauses;

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::runs::{LeftOut, RunText, Words};

pub(super) use cues::{is_srt, is_vtt};

/// Captions as text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CaptionsText {
    /// What stands behind `WEBVTT` in the first line.
    pub(super) title: Option<String>,
    pub(super) leaves: Vec<Leaf>,
    pub(super) remarks: Vec<String>,
    /// What they do not say.
    pub(super) left_out: LeftOut,
}

/// The text of the captions in `source`.
pub(super) fn read(source: &str) -> CaptionsText {
    let file = cues::of(source);
    let cues = pauses::without_repetitions(file.cues);
    let starts = pauses::paragraph_starts(&cues);
    let mut left_out = LeftOut::default();
    let mut leaves: Vec<Leaf> = Vec::new();
    for (at, range) in starts.iter().zip(starts.iter().skip(1).chain([&cues.len()])).map(|(a, b)| (*a, *a..*b)) {
        let said = cues[range].iter().map(|cue| cue.words.as_str()).collect::<Vec<_>>().join("\n");
        let Words { text: said, left_out: unsaid, .. } = RunText::of(&said).words();
        left_out += unsaid;
        let text = cues[at].speaker.as_ref().map_or(said.clone(), |speaker| format!("{speaker}: {said}"));
        // No law of the text forbids that a sentence goes on behind a long pause; then both paragraphs say so.
        let goes_on = leaves.last().is_some_and(|before| !super::plain::ends_text(&before.text));
        let is_same = at > 0 && cues[at].speaker == cues[at - 1].speaker;
        if let Some(before) = leaves.last_mut().filter(|_| goes_on && is_same) {
            before.goes_on = true;
        }
        leaves.push(Leaf {
            marker: Some(clock(cues[at].start_ms)),
            begun_before: goes_on && is_same,
            ..Leaf::new(BlockKind::Paragraph, text)
        });
    }
    let remarks = match file.notes {
        0 => Vec::new(),
        notes => vec![format!("notes and styles beside the captions are not read: {notes}")],
    };
    CaptionsText { title: file.title, leaves, remarks, left_out }
}

/// A time as hours, minutes and seconds.
fn clock(ms: u64) -> String {
    let seconds = ms / 1000;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::super::package::fixture::render_leaf;
    use super::*;

    fn lines(source: &str) -> Vec<String> {
        read(source).leaves.iter().map(render_leaf).collect()
    }

    #[test]
    fn cues_are_paragraphs_with_the_time_at_which_they_begin() {
        let vtt = "\u{feff}WEBVTT - On ropes\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nNOTE by Ann\n\nintro\n00:01.000 --> 00:03.000 align:start\nThe rope is <i>not</i> &amp;\n\n00:03.000 --> 00:04.000\nnever sold.\n\n00:20.000 --> 00:21.000\n<v Bob Lee>It is.</v>\n\n01:00:22.000 --> 01:00:23.000\n<v.loud Bob Lee>No!\n";
        assert_eq!(
            lines(vtt),
            [
                "paragraph 00:00:01: The rope is not & never sold.",
                "paragraph 00:00:20: Bob Lee: It is.",
                "paragraph 01:00:22: Bob Lee: No!"
            ]
        );
        assert_eq!(read(vtt).title.as_deref(), Some("On ropes"));
        assert_eq!(read(vtt).remarks, ["notes and styles beside the captions are not read: 2"]);
        let srt = "1\r\n00:00:01,000 --> 00:00:03,000\r\n{\\an8}- The rope\r\n\r\n2\r\n00:00:03,100 --> 00:00:04,000 X1:9\r\n<font color=\"red\">is 5 < 6 m</font>.\r\n\r\n3\r\n00:00:30,000 --> 00:00:31,000\r\n1984\r\n";
        assert_eq!(lines(srt), ["paragraph 00:00:01: - The rope is 5 < 6 m.", "paragraph 00:00:30: 1984"]);
    }

    #[test]
    fn a_sentence_behind_a_pause_goes_on() {
        let source = "WEBVTT\n\n00:01.000 --> 00:02.000\nWe do\n\n00:40.000 --> 00:41.000\nnot agree.\n";
        let leaves = read(source).leaves;
        assert_eq!(
            leaves.iter().map(|l| (l.begun_before, l.goes_on)).collect::<Vec<_>>(),
            [(false, true), (true, false)]
        );
    }

    #[test]
    fn damaged_captions_keep_their_words() {
        for source in [
            "WEBVTT\n00:01.000 --> \nWords <b",
            "WEBVTT\n\n99:99:99.999 --> x\nWords <",
            "1\n00:00:01,0 --> 2\nWords &#x;",
        ] {
            assert!(lines(source).iter().any(|line| line.contains("Words")), "{source:?}");
        }
        assert!(lines("WEBVTT\n\n-->\n\n00:00 -->").is_empty());
    }
}
