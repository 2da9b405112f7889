//! Characters of the font Wingdings.

/// Runs of characters: the number of the first, and the characters; `\0` stands for one without a common symbol.
pub(super) const WINGDINGS: &[(u8, &str)] = &[
    (0x21, "✏✂✁\0\0\0\0☎✆✉"),
    (0x36, "⌛"),
    (0x3e, "✇✍"),
    (0x41, "✌\0\0\0☜☞☝☟"),
    (0x4a, "☺\0☹"),
    (0x4e, "☠"),
    (0x51, "✈☼\0❄\0✞\0✠✡☪☯"),
    (0x5e, "♈♉♊♋♌♍♎♏♐♑♒♓"),
    (0x6c, "●❍■□\0❑❒⬧⧫◆❖⬥⌧⍓⌘"),
    (0x80, "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿"),
    (0x9e, "·•"),
    (0xa1, "○"),
    (0xa4, "◉◎\0▪◻"),
    (0xab, "★✶✴✹✵"),
    (0xd5, "⌫⌦\0➢\0\0\0➲"),
    (0xdf, "←→↑↓↖↗↙↘"),
    (0xe8, "➔"),
    (0xef, "⇦⇨⇧⇩⬄⇳⬁⬀⬃⬂▭▫✗✓☒☑"),
];
