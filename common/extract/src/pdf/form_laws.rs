//! Laws of forms: each field is read with its label and its value, whatever its kind and wherever its label stands.

use lopdf::{Dictionary, Object, dictionary};

use super::fixture::{NumberGenerator, at, pdf_with_annotations};
use super::{PdfLimits, extract};

const LABELS: &[&str] =
    &["Shore power wanted", "Winter storage", "Name of boat", "Harbour part", "Pets on board", "Insured"];
const NAMES: &[&str] = &["South", "North pier", "Seagull VII", "At the mole"];

#[derive(Debug, Clone)]
enum Field {
    Box { is_on: bool, by_value: bool },
    Group { chosen: Option<usize> },
    Text { value: usize },
    Combo { chosen: usize, has_other_name: bool },
    List { chosen: Vec<usize> },
}

fn field(dice: &mut NumberGenerator) -> Field {
    let mut coin = || dice.below(2) == 1;
    let (first, second) = (coin(), coin());
    match dice.below(4) {
        0 => Field::Box { is_on: first, by_value: second },
        1 => Field::Group { chosen: first.then_some(usize::from(second)) },
        2 => Field::Text { value: dice.below(NAMES.len()) },
        _ => Field::Combo { chosen: dice.below(NAMES.len()), has_other_name: first },
    }
}

/// A list has several lines, and lists below each other are a column, which is read after the column of their labels: at most one ends a
/// form.
fn list(dice: &mut NumberGenerator) -> Option<Field> {
    (dice.below(3) == 0).then(|| Field::List { chosen: (0..3).filter(|_| dice.below(2) == 1).collect() })
}

fn rect(x: f64, y: f64, width: f64, height: f64) -> Object {
    [x, y, x + width, y + height].map(|n| Object::Real(n as f32)).to_vec().into()
}

fn widget(kind: &str, rect: Object) -> Dictionary {
    dictionary! { "Subtype" => "Widget", "FT" => kind, "Rect" => rect }
}

/// A button with two appearances, of which the one that is on is called `name`.
fn button(rect: Object, name: &str) -> Dictionary {
    let states = dictionary! { name => Dictionary::new(), "Off" => Dictionary::new() };
    let mut button = widget("Btn", rect);
    button.set("AP", dictionary! { "N" => states });
    button
}

fn sign(is_on: bool) -> &'static str {
    if is_on { "☒" } else { "☐" }
}

/// The annotations of a field whose line is at `y`, what the page prints beside them, and the line that is read.
fn draw_field(field: &Field, label: &str, y: f64) -> (Vec<(Dictionary, Option<Dictionary>)>, String, String) {
    let value_place = || rect(200.0, y - 3.0, 120.0, 14.0);
    let printed = at(60.0, y, &format!("{label}:"));
    match field {
        Field::Box { is_on, by_value } => {
            let mut button = button(rect(200.0, y - 3.0, 12.0, 12.0), "Yes");
            let state = if *is_on { "Yes" } else { "Off" };
            button.set(if *by_value { "V" } else { "AS" }, state);
            (vec![(button, None)], printed, format!("{label}: {}", sign(*is_on)))
        }
        Field::Group { chosen } => {
            let mut group = dictionary! { "FT" => "Btn", "Ff" => 1 << 15 };
            if let Some(chosen) = chosen {
                group.set("V", ["Day", "Week"][*chosen]);
            }
            let kid = |n: usize| {
                let mut kid = button(rect(200.0 + 80.0 * n as f64, y - 3.0, 12.0, 12.0), ["Day", "Week"][n]);
                kid.remove(b"FT");
                (kid, Some(group.clone()))
            };
            let printed = printed + &at(218.0, y, "by day") + &at(298.0, y, "by week");
            let signs = [0, 1].map(|n| sign(*chosen == Some(n)));
            (vec![kid(0), kid(1)], printed, format!("{label}: {} by day {} by week", signs[0], signs[1]))
        }
        Field::Text { value } => {
            let mut text = widget("Tx", value_place());
            text.set("V", Object::string_literal(NAMES[*value]));
            (vec![(text, None)], printed, format!("{label}: {}", NAMES[*value]))
        }
        Field::Combo { chosen, has_other_name } => {
            let mut combo = widget("Ch", value_place());
            combo.set("Ff", 1 << 17);
            let submitted = |n: usize| if *has_other_name { format!("code{n}") } else { NAMES[n].to_owned() };
            let pair = |n: usize| [submitted(n).as_str(), NAMES[n]].map(Object::string_literal).to_vec();
            combo.set("Opt", (0..NAMES.len()).map(|n| Object::Array(pair(n))).collect::<Vec<_>>());
            combo.set("V", Object::string_literal(submitted(*chosen)));
            (vec![(combo, None)], printed, format!("{label}: {}", NAMES[*chosen]))
        }
        Field::List { chosen } => {
            let mut list = widget("Ch", rect(200.0, y - 25.0, 120.0, 36.0));
            list.set("Opt", NAMES[..3].iter().map(|name| Object::string_literal(*name)).collect::<Vec<_>>());
            list.set("V", chosen.iter().map(|n| Object::string_literal(NAMES[*n])).collect::<Vec<_>>());
            let lines: Vec<String> = (0..3).map(|n| format!("{} {}", sign(chosen.contains(&n)), NAMES[n])).collect();
            (vec![(list, None)], printed, lines.join(" "))
        }
    }
}

#[test]
fn each_field_is_read_with_its_label_and_its_state() {
    for seed in 0..300 {
        let mut dice = NumberGenerator(seed);
        let mut fields: Vec<Field> = (0..1 + dice.below(LABELS.len() - 1)).map(|_| field(&mut dice)).collect();
        fields.extend(list(&mut dice));
        let (mut annotations, mut printed, mut wanted) = (Vec::new(), String::new(), Vec::new());
        for (n, field) in fields.iter().enumerate() {
            let (own, text, line) = draw_field(field, LABELS[n], 700.0 - 60.0 * n as f64);
            annotations.extend(own);
            printed.push_str(&text);
            wanted.push(line);
        }
        let read = extract(&pdf_with_annotations(&printed, annotations), &PdfLimits::default()).expect("text");
        let text = read.pages[0].iter().map(|leaf| leaf.text.as_str()).collect::<Vec<_>>().join(" ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for line in wanted {
            assert!(text.contains(&line), "seed {seed}: {line:?} in {text:?} of {fields:?}");
        }
    }
}

#[test]
fn a_button_that_only_does_something_has_no_state() {
    let mut push = widget("Btn", rect(60.0, 600.0, 80.0, 20.0));
    push.set("Ff", 1 << 16);
    let bytes = pdf_with_annotations(&at(60.0, 700.0, "Send this form."), vec![(push, None)]);
    let read = extract(&bytes, &PdfLimits::default()).expect("text");
    assert_eq!(read.pages[0].len(), 1);
}
