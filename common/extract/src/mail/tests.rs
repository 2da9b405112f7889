use super::super::package::fixture::render_leaf;
use super::attachments::MAX_LISTED;
use super::body::MAX_PARTS;
use super::*;
use crate::attached::Refusal;

/// Reads a message whose attachments are all of another format.
fn read(bytes: &[u8]) -> Option<MailText> {
    super::read(bytes, &mut |_, _| Err(Refusal::OtherFormat))
}

fn lines(source: &str) -> Vec<String> {
    read(source.replace('\n', "\r\n").as_bytes()).expect("a message").leaves.iter().map(render_leaf).collect()
}

const HEAD: &str = "From: =?utf-8?q?J=C3=BCrgen?= <j@x.org>\nTo: a@b.c, \"B, C\" <d@e.f>\nDate: Mon, 6 May 2024 10:00:00 +0200\n\
    Subject: =?iso-8859-1?Q?K=FCndigung?=\n =?utf-8?B?IGRlciBWZXJ0csOkZ2U=?=\nMIME-Version: 1.0\n";

#[test]
fn fields_are_decoded_and_the_body_is_read_as_what_it_is() {
    let head = [
        "heading1 : Kündigung der Verträge",
        "field : From: Jürgen <j@x.org>",
        "field : To: a@b.c, B, C <d@e.f>",
        "field : Date: Mon, 6 May 2024 10:00:00 +0200",
    ];
    for (body, want) in [
        (
            "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nNicht =FCber=\nall.\n\n- Kein Fall.\n",
            &["paragraph : Nicht überall.", "list_item1 -: - Kein Fall."][..],
        ),
        (
            "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nTmV2ZXIgYWdhaW4u\n",
            &["paragraph : Never again."],
        ),
        (
            "Content-Type: text/html\n\n<p>No <b>party</b> pays.</p><p style='display:none'>gone</p><table><tr><td>a<td>b</table>",
            &["paragraph : No party pays.", "table_row1 : a|b"],
        ),
        (
            "Content-Type: multipart/alternative; boundary=q\n\n--q\nContent-Type: text/plain\n\nPlain.\n--q\nContent-Type: text/html\n\n<p>Html.\n--q--\n",
            &["paragraph : Plain."],
        ),
        (
            "\nI agree.\n\n> You do not\n> pay.\n>> Never.\n",
            &["paragraph : I agree.", "quotation : You do not\npay.", "quotation : Never."],
        ),
    ] {
        let found = lines(&format!("{HEAD}{body}"));
        assert_eq!(found[..4], head);
        assert_eq!(found[4..].iter().map(|line| line.trim()).collect::<Vec<_>>(), want, "{body}");
    }
}

fn with_attachments(count: usize) -> String {
    let part = "--q\nContent-Type: application/pdf\nContent-Disposition: attachment; filename*=utf-8''%C3%BC.pdf\nContent-Transfer-Encoding: base64\n\nAAAA\n";
    format!("{HEAD}Content-Type: multipart/mixed; boundary=q\n\n--q\n\nSee there.\n{}--q--\n", part.repeat(count))
}

#[test]
fn attachments_are_listed_up_to_a_number() {
    for (given, listed) in
        [(1, 1), (MAX_LISTED - 1, MAX_LISTED - 1), (MAX_LISTED, MAX_LISTED), (MAX_LISTED + 1, MAX_LISTED)]
    {
        let found = read(with_attachments(given).as_bytes()).expect("a message");
        let attached = || found.leaves.iter().filter(|leaf| leaf.text.starts_with("Attachment: "));
        assert_eq!(attached().count(), listed, "{given}");
        assert_eq!(attached().next().expect("one").text, "Attachment: ü.pdf (application/pdf, 3 bytes)");
        assert_eq!(found.remarks.last(), Some(&format!("attachments are listed and not read: {given}")));
    }
}

#[test]
fn bodies_are_read_up_to_a_number() {
    for (given, read_parts) in [(MAX_PARTS - 1, MAX_PARTS - 1), (MAX_PARTS, MAX_PARTS), (MAX_PARTS + 1, MAX_PARTS)] {
        let part = "--q\nContent-Type: text/plain\n\nWords.\n";
        let source = format!("{HEAD}Content-Type: multipart/mixed; boundary=q\n\n{}--q--\n", part.repeat(given));
        let found = read(source.as_bytes()).expect("a message");
        assert_eq!(found.leaves.iter().filter(|leaf| leaf.text.trim() == "Words.").count(), read_parts, "{given}");
    }
}

#[test]
fn addresses_are_shown_up_to_a_number() {
    for (given, kept) in
        [(MAX_ADDRESSES - 1, MAX_ADDRESSES - 1), (MAX_ADDRESSES, MAX_ADDRESSES), (MAX_ADDRESSES + 1, MAX_ADDRESSES)]
    {
        let to = vec!["a@b.c"; given].join(", ");
        let found = lines(&format!("From: x@y.z\nTo: {to}\n\nWords."));
        let shown = found.iter().find(|line| line.contains("To: ")).expect("a field");
        assert_eq!(shown.matches("a@b.c").count(), kept, "{given}");
    }
}

#[test]
fn a_message_is_known_by_its_fields() {
    let hint = |name| Hint { content_type: None, name };
    for (source, name, want) in [
        ("From: a@b.c\nSubject: x\n\nbody", "a.eml", true),
        ("From: a@b.c\nSubject: x\n\nbody", "a.txt", false),
        ("Received: by x\nFrom: a@b.c\nDate: now\n\nbody", "", true),
        ("Words.\n\nFrom: a@b.c", "a.eml", false),
        ("", "a.eml", false),
    ] {
        assert_eq!(is_mail(source.as_bytes(), &hint(name)), want, "{source:?} {name}");
    }
}

#[test]
fn broken_and_nested_messages_end() {
    for source in [
        format!("{HEAD}Content-Type: multipart/mixed; boundary=q\n\n--q\nContent-Type: text/plain\n\nWor"),
        format!("{HEAD}Content-Type: multipart/mixed\n\nWords"),
        format!("{HEAD}Content-Transfer-Encoding: base64\n\n!!!!"),
        format!("{HEAD}{}x", "Content-Type: message/rfc822\n\nFrom: a@b.c\n".repeat(5_000)),
        (0..2_000)
            .fold(HEAD.to_owned(), |s, n| s + &format!("Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n")),
    ] {
        assert!(read(source.as_bytes()).is_some());
    }
}

#[test]
fn the_charset_of_a_part_is_found_whatever_it_declares() {
    let latin1 = |text: &str| encoding_rs::WINDOWS_1252.encode(text).0.into_owned();
    let words = "Det h\u{e4}r meddelandet \u{e4}r f\u{f6}r \u{d6}rebro.";
    for (head, body) in [
        ("Content-Type: text/plain; charset=us-ascii", words.as_bytes().to_vec()),
        ("Content-Type: text/plain; charset=iso-8859-1", words.as_bytes().to_vec()),
        ("Content-Type: text/plain; charset=utf-8", latin1(words)),
        ("Content-Type: text/plain; charset=no-such", latin1(words)),
        ("Content-Type: text/plain", latin1(words)),
        ("X: y", words.as_bytes().to_vec()),
        ("Content-Type: text/html; charset=us-ascii", words.as_bytes().to_vec()),
        ("Content-Type: text/plain; charset=utf-7", b"Det h+AOQ-r meddelandet +AOQ-r f+APY-r +ANY-rebro.".to_vec()),
    ] {
        let source = [format!("From: a@b.c\r\n{head}\r\n\r\n").into_bytes(), body].concat();
        let found = read(&source).expect("a message");
        assert_eq!(found.leaves[1].text, words, "{head}");
    }
    let fields = latin1(&format!("From: J\u{fc}rgen <a@b.c>\r\nSubject: {words}\r\n\r\nWords."));
    assert_eq!(read(&fields).expect("a message").title.as_deref(), Some(words));
}

fn alternatives(plain: &str, html: &str) -> String {
    format!(
        "{HEAD}Content-Type: multipart/alternative; boundary=q\n\n--q\nContent-Type: text/plain\n\n{plain}\n--q\nContent-Type: text/html\n\n{html}\n--q--\n"
    )
}

#[test]
fn the_html_form_is_read_where_the_plain_form_is_a_stub() {
    for (plain, html, want) in [
        ("Your mail program does not show HTML.", "<p>The gate code is 5512.", "The gate code is 5512."),
        ("", "<p>The gate code is 5512.", "The gate code is 5512."),
        ("The gate code is 5512.", "<p>The gate code is <b>5512</b>.", "The gate code is 5512."),
        ("The gate code is 5512.", "<p hidden>x", "The gate code is 5512."),
    ] {
        let found = read(alternatives(plain, html).as_bytes()).expect("a message");
        assert_eq!(found.leaves.last().expect("a leaf").text.trim(), want, "{plain}");
        let said = "read the HTML form of the message: its plain form has 0 of the 5 different words".to_owned();
        assert_eq!(found.remarks, if plain.starts_with("Your") { vec![said] } else { vec![] });
    }
}

#[test]
fn text_behind_an_attachment_is_body() {
    let inner =
        alternatives("Your program shows no HTML.", "<p>The code is 5512.").replace(HEAD, "").replace("=q", "=i");
    let inner = inner.replace("--q", "--i");
    let source = format!(
        "{HEAD}Content-Type: multipart/mixed; boundary=q\n\n--q\n{inner}\n--q\nContent-Type: image/png\n\nx\n--q\nContent-Type: text/plain\n\nThe end.\n--q--\n"
    );
    let found = lines(&source);
    let found: Vec<&str> = found[4..].iter().map(|line| line.trim()).collect();
    assert_eq!(
        found,
        [
            "paragraph : The code is 5512.",
            "paragraph : The end.",
            "form_field : Attachment: without a name (image/png, 1 bytes)"
        ]
    );
}

#[test]
fn flowed_lines_are_one_paragraph() {
    let source = "From: a@b.c\nContent-Type: text/plain; format=flowed; delsp=yes\n\nThe agree \nment ends.\n";
    assert_eq!(lines(source)[1].trim(), "paragraph : The agreement ends.");
    let source = source.replace("format=flowed; ", "");
    assert_eq!(lines(&source)[1].trim(), "paragraph : The agree \nment ends.");
}

#[test]
fn a_short_line_of_a_message_is_no_heading() {
    let head = "From: Ann <ann@example.org>\nSubject: Re: Budget\nContent-Type: text/plain\n\n";
    let found =
        lines(&format!("{head}Hi Bob,\n\nApproved for 500 euros\n\nAgenda\n------\n\nOne point\n\nRegards\nAnn\n"));
    let headings: Vec<&String> = found.iter().filter(|line| line.starts_with("heading")).collect();
    assert!(headings.iter().all(|line| line.ends_with("Agenda") || line.ends_with("Re: Budget")), "{found:?}");
    assert!(headings.iter().any(|line| line.ends_with("Agenda")), "{found:?}");
}
