//! The law of meaning: what a limiting lead-in, heading or question makes of a unit goes with it, in every language and shape.

use precis_text::Leaf;
use precis_text::statement::statement_at;

use crate::passage::{context_of, cover, passages};
use crate::ranking::{Ranker, rank_widely};

use precis_proto::{Block, BlockKind};
use precis_text::CanonicalText;

use super::{Needs, items};

/// For each language a lead-in that limits, a heading that does, a question, its answer, an item and another.
const SAID: [[&str; 6]; 8] = [
    [
        "The insurance does not cover:",
        "What you may not do",
        "Can I bring a dog?",
        "Only on Mondays",
        "theft of cash",
        "damage by war",
    ],
    [
        "Die Versicherung zahlt nicht bei:",
        "Was verboten ist",
        "Darf ich einen Hund mitbringen?",
        "Nur am Montag",
        "Diebstahl von Geld",
        "Schäden durch Krieg",
    ],
    [
        "Sont exclus de la garantie :",
        "Ce qui est interdit",
        "Puis-je amener un chien ?",
        "Seulement le lundi",
        "vol d'argent",
        "dommages de guerre",
    ],
    [
        "El seguro no cubre:",
        "Lo que está prohibido",
        "¿Puedo traer un perro?",
        "Solo los lunes",
        "robo de dinero",
        "daños por guerra",
    ],
    [
        "L'assicurazione non copre:",
        "Cosa è vietato",
        "Posso portare un cane?",
        "Solo il lunedì",
        "furto di denaro",
        "danni di guerra",
    ],
    [
        "Страховка не покрывает:",
        "Что запрещено",
        "Можно ли взять собаку?",
        "Только по понедельникам",
        "кража денег",
        "ущерб от войны",
    ],
    [
        "保険の対象外となるもの：",
        "禁止されていること",
        "犬を連れて行けますか？",
        "月曜日のみ",
        "現金の盗難",
        "戦争による損害",
    ],
    ["保险不承保以下情况：", "禁止的行为", "可以带狗吗？", "仅限星期一", "现金被盗", "战争损失"],
];

fn leaf(kind: BlockKind, text: &str) -> Leaf {
    Leaf::new(kind, text)
}

fn heading(level: u8, text: &str) -> Leaf {
    Leaf { level: Some(level), ..leaf(BlockKind::Heading, text) }
}

fn item(level: u8, text: &str) -> Leaf {
    Leaf { level: Some(level), marker: Some("-".to_owned()), ..leaf(BlockKind::ListItem, text) }
}

/// The statement of the block `quoted`, as it is made from a place of the text.
fn statement(leaves: &[Leaf], quoted: &str) -> String {
    let text = CanonicalText::from_leaves(leaves);
    let blocks = text.leaf_blocks();
    let range = blocks.iter().map(Block::range).find(|range| text.slice(*range).contains(quoted)).expect("a block");
    statement_at(text.slice(range), text.locator(range), &context_of(&text, range))
}

#[test]
fn items_rows_answers_and_clauses_keep_what_limits_them() {
    for [lead, title, question, answer, own, other] in SAID {
        let paragraph = |text: &str| leaf(BlockKind::Paragraph, text);
        let row = |text: &str| Leaf::row(1, false, &[text, "1"]);
        let cases: [(Vec<Leaf>, &str, Vec<&str>); 10] = [
            (vec![paragraph(lead), item(1, other), item(1, own)], own, vec![lead]),
            (vec![heading(1, "A"), heading(2, title), item(1, other), item(1, own)], own, vec![title]),
            (vec![heading(1, "A"), heading(2, title), heading(3, "B"), item(1, own)], own, vec![title]),
            (vec![heading(1, "A"), heading(2, title), paragraph(own)], own, vec![title]),
            (vec![paragraph(lead), item(1, other), item(2, other), item(1, "B:"), item(2, own)], own, vec![lead, "B:"]),
            (vec![paragraph(lead), row(other), row(own)], own, vec![lead]),
            (vec![heading(1, title), row(other), row(own)], own, vec![title]),
            (vec![heading(1, "FAQ"), heading(2, question), paragraph(answer)], answer, vec![question]),
            (vec![heading(1, "FAQ"), paragraph(question), paragraph(answer)], answer, vec![question]),
            (
                vec![paragraph(lead), paragraph(&format!("(a) {other}")), paragraph(&format!("(b) {own}"))],
                own,
                vec![lead],
            ),
        ];
        for (n, (leaves, quoted, wanted)) in cases.iter().enumerate() {
            let said = statement(leaves, quoted);
            for wanted in wanted {
                assert!(said.contains(wanted), "{lead} {n}: {said:?} lacks {wanted:?}");
            }
        }
    }
}

#[test]
fn clauses_keep_what_limits_them_however_they_are_marked() {
    for [lead, _, _, _, own, other] in SAID {
        for [first, second] in [
            ["(a) ", "(b) "],
            ["1) ", "2) "],
            ["(i) ", "(ii) "],
            ["(一)", "(二)"],
            ["（十一）", "（十二）"],
            ["一、", "二、"],
            ["• ", "• "],
        ] {
            // What sets no words apart needs no space behind a bracket; other text does.
            let gap = if first.starts_with('(') && !lead.ends_with('：') && !first.ends_with(' ') { " " } else { "" };
            let clause = |mark: &str, text: &str| leaf(BlockKind::Paragraph, &format!("{mark}{gap}{text}"));
            let said = statement(&[leaf(BlockKind::Paragraph, lead), clause(first, other), clause(second, own)], own);
            assert!(said.contains(lead), "{first}: {said:?} lacks {lead:?}");
        }
    }
}

#[test]
fn a_lead_in_belongs_to_no_clause_behind_its_list() {
    let leaves = [
        heading(1, "Statutes"),
        leaf(BlockKind::Paragraph, "Forbidden are:"),
        item(1, "In the hall:"),
        item(1, "a) Smoking."),
        leaf(BlockKind::Paragraph, "Art. 5. Allowed are:"),
        item(1, "In the yard:"),
        item(1, "a) Playing ball."),
        leaf(BlockKind::Paragraph, "Art. 6. Candidates need ten votes."),
    ];
    for (quoted, without, with) in [
        ("a) Playing ball.", "Forbidden", "Allowed are:"),
        ("Art. 6. Candidates need ten votes.", "are:", "ten votes"),
        ("a) Smoking.", "Allowed", "Forbidden are:"),
    ] {
        let found = statement(&leaves, quoted);
        assert!(!found.contains(without) && found.contains(with), "{quoted}: {found}");
    }
}

#[test]
fn a_lead_in_with_a_limiting_sentence_includes_it() {
    let opening = "You must not use the inner name for these. This includes:";
    let leaves =
        [leaf(BlockKind::Paragraph, opening), item(1, "public services"), item(1, "services for other bodies")];
    for quoted in ["public services", "services for other bodies", "This includes:"] {
        let said = statement(&leaves, quoted);
        assert!(said.contains("must not use") && said.contains(quoted), "{quoted}: {said}");
    }
    let leaves = [leaf(BlockKind::Paragraph, "The inner name is short. This includes:"), item(1, "public services")];
    assert!(!statement(&leaves, "public services").contains("short"));
}

#[test]
fn text_ending_in_a_colon_is_kept_with_what_follows() {
    for [lead, _, _, _, own, other] in SAID {
        for follows in [
            vec![item(1, own), item(1, other)],
            vec![leaf(BlockKind::Paragraph, own)],
            vec![Leaf::row(1, false, &[own, "1"])],
            vec![leaf(BlockKind::Quotation, own)],
            vec![leaf(BlockKind::Code, own)],
        ] {
            let mut leaves = vec![leaf(BlockKind::Paragraph, lead)];
            leaves.extend(follows);
            let said = statement(&leaves, lead);
            assert!(said.contains(own), "{said}");
        }
    }
}

#[test]
fn an_item_keeps_its_lead_in_wherever_chunks_are_cut() {
    let filler = "It goes on and on in this way. ".repeat(9);
    for [lead, _, _, _, own, _] in SAID {
        let mut leaves = vec![leaf(BlockKind::Paragraph, &filler), leaf(BlockKind::Paragraph, lead)];
        leaves.extend((0..40).map(|n| item(1, &format!("{own} {n} {}", "x ".repeat(n * 3)))));
        let text = CanonicalText::from_leaves(&leaves);
        let id = precis_proto::SourceId::new("s").expect("an id");
        let ranked = rank_widely(&text, own, Ranker::Bm25, 400, usize::MAX);
        let mut items = 0;
        for passage in passages(&id, &text, &ranked).iter().chain(&cover(&id, &text, 400, &ranked)) {
            for unit in passage.units.iter().filter(|unit| unit.kind == BlockKind::ListItem) {
                let needed: Vec<&str> =
                    unit.needs.iter().map(|need| passage.context[need.of as usize].text.as_str()).collect();
                assert!(needed.contains(&lead), "{lead} {needed:?}");
                items += 1;
            }
        }
        assert!(items > 40);
    }
}

#[test]
fn a_row_pairs_heads_and_cells_with_its_implied_label() {
    let rows = [
        Leaf::row(1, true, &["Region", "Month", "Tons"]),
        Leaf::row(1, false, &["South", "May", "21"]),
        Leaf::row(1, false, &["", "June", "22"]),
    ];
    assert_eq!(statement(&rows, "June"), "South · Month: June · Tons: 22");
    assert_eq!(statement(&rows, "May"), "Region: South · Month: May · Tons: 21");
}

#[test]
fn a_definition_has_its_term_and_other_lists_have_not() {
    let bare = |text: &str| Leaf { level: Some(1), ..leaf(BlockKind::ListItem, text) };
    assert_eq!(statement(&[bare("Length"), bare("12 m"), bare("Beam"), bare("4 m")], "4 m"), "Beam: 4 m");
    assert_eq!(statement(&[bare("Length"), bare("Beam"), bare("4 m")], "4 m"), "4 m");
}

#[test]
fn a_list_shows_what_fits_and_counts_the_rest() {
    for (items, more) in [(items::MOST_ITEMS, 0), (items::MOST_ITEMS + 1, 1), (items::MOST_ITEMS + 8, 8)] {
        let mut leaves = vec![leaf(BlockKind::Paragraph, "We sell:")];
        leaves.extend((0..items).map(|n| item(1, &format!("boat {n}"))));
        let text = CanonicalText::from_leaves(&leaves);
        let blocks = text.leaf_blocks();
        let needs = Needs::new(&text, &blocks).of(0, blocks[0].range());
        assert_eq!((needs.ranges.len(), needs.more_items), (items.min(items::MOST_ITEMS), more));
    }
}
