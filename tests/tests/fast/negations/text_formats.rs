//! Captions, notebooks, JSON, Org and XML with the sentences in their forms.

use super::placed::{PlacedSentence, SentenceForm};
use super::writers::{Format, each, md, words};

pub(super) const FORMATS: &[Format] = &[
    Format { ending: "vtt", is_latin: false, write: |all| format!("WEBVTT\n\n{}", cues(all, '.')).into_bytes() },
    Format { ending: "srt", is_latin: false, write: |all| cues(all, ',').into_bytes() },
    Format { ending: "ipynb", is_latin: false, write: notebook },
    Format { ending: "json", is_latin: false, write: json },
    Format { ending: "mediawiki", is_latin: false, write: mediawiki },
    Format { ending: "org", is_latin: false, write: org },
    Format { ending: "xml", is_latin: false, write: xml },
];

/// Every sentence in cues of a line each, behind a pause; `point` separates the milliseconds.
fn cues(all: &[PlacedSentence], point: char) -> String {
    let mut seconds = 0;
    let mut cue = |line: &str, pause: u64| {
        seconds += pause;
        let clock =
            |seconds: u64| format!("{:02}:{:02}:{:02}{point}000", seconds / 3600, seconds / 60 % 60, seconds % 60);
        let times = format!("{} --> {}", clock(seconds), clock(seconds + 1));
        seconds += 1;
        format!("{seconds}\n{times}\n{line}\n\n")
    };
    let mut out = String::new();
    for placed in all {
        let text = words(placed);
        let half = text.find(' ').map_or(text.len(), |at| at + 1);
        out.push_str(&cue(text[..half].trim_end(), 30));
        if half < text.len() {
            out.push_str(&cue(&text[half..], 0));
        }
    }
    out
}

fn notebook(all: &[PlacedSentence]) -> Vec<u8> {
    let cells: Vec<serde_json::Value> = all
        .chunks(10)
        .map(|some| serde_json::json!({ "cell_type": "markdown", "source": String::from_utf8_lossy(&md(some)) }))
        .collect();
    serde_json::json!({ "nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells }).to_string().into_bytes()
}

fn json(all: &[PlacedSentence]) -> Vec<u8> {
    let (cells, others): (Vec<&PlacedSentence>, Vec<&PlacedSentence>) =
        all.iter().partition(|placed| placed.form == SentenceForm::Cell);
    let rows: Vec<serde_json::Value> =
        cells.iter().map(|placed| serde_json::json!({ "rule": "a", "text": words(placed) })).collect();
    let items: Vec<String> = others.iter().map(|placed| words(placed)).collect();
    serde_json::json!({ "rows": rows, "items": items }).to_string().into_bytes()
}

fn mediawiki(all: &[PlacedSentence]) -> Vec<u8> {
    each(all, |form, words| match form {
        SentenceForm::Item => format!("* {words}\n\n"),
        SentenceForm::Heading => format!("== {words} ==\n\n"),
        SentenceForm::Cell => format!("{{|\n! Rule !! Text\n|-\n| a || {words}\n|}}\n\n"),
        _ => format!("{words}\n\n"),
    })
    .into_bytes()
}

fn org(all: &[PlacedSentence]) -> Vec<u8> {
    each(all, |form, words| match form {
        SentenceForm::Item => format!("- {words}\n\n"),
        SentenceForm::Heading => format!("** {words}\n\n"),
        SentenceForm::Cell => format!("| Rule | Text |\n|------+------|\n| a | {words} |\n\n"),
        _ => format!("{words}\n\n"),
    })
    .into_bytes()
}

fn xml(all: &[PlacedSentence]) -> Vec<u8> {
    let body = each(all, |form, words| match form {
        SentenceForm::Item => format!("<list><list-item><p>{words}</p></list-item></list>"),
        SentenceForm::Heading => format!("<sec><title>{words}</title></sec>"),
        SentenceForm::Cell => format!("<table><tr><td>a</td><td>{words}</td></tr></table>"),
        _ => format!("<p>{words}</p>"),
    });
    format!("<?xml version='1.0' encoding='utf-8'?><article><body>{body}</body></article>").into_bytes()
}
