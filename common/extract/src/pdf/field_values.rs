//! What the fields of a form say: values of text fields and choices, states of boxes and lists.

use hayro_interpret::hayro_syntax::object::dict::keys::{AP, AS, N};
use hayro_interpret::hayro_syntax::object::{Dict, Name, Object, String as PdfString};

use super::text_string::text_string;

/// The signs that forms of other formats have: a box with and without a cross.
const TICKED: &str = "☒";
const UNTICKED: &str = "☐";
/// The state of a box that is not ticked.
const OFF: &[u8] = b"Off";
/// Field flags (ISO 32000-2, tables 229, 231 and 233): password, push button, combo box.
const PASSWORD: u32 = 1 << 13;
const PUSH: u32 = 1 << 16;
const COMBO: u32 = 1 << 17;
/// Most parents searched for an inherited entry.
const MAX_PARENTS: usize = 8;
/// Most choices read of a field; limits the work. Chosen: a list of all countries has 250.
const MAX_CHOICES: usize = 1_000;

/// The lines shown by a field: the value of a text field or combo box.
pub(super) fn field_lines(field: &Dict<'_>) -> Vec<String> {
    match kind(field).as_deref() {
        Some(b"Tx") if flags(field) & PASSWORD == 0 => value(field).split(['\r', '\n']).map(str::to_owned).collect(),
        Some(b"Ch") if flags(field) & COMBO != 0 => vec![shown_choice(field)],
        _ => Vec::new(),
    }
}

fn value(field: &Dict<'_>) -> String {
    match inherited_value(field, b"V") {
        Some(Object::String(s)) => text_string(s.as_bytes()),
        _ => String::new(),
    }
}

/// What a combo box shows: of a value that is submitted under another name, the name that is shown.
fn shown_choice(field: &Dict<'_>) -> String {
    let value = value(field);
    let named = choices(field).into_iter().find(|choice| choice.submitted == value);
    named.map_or(value, |choice| choice.shown)
}

/// The states that a field shows by shapes: a box is ticked or not, each choice of a list is chosen or not. `None` for other fields, and
/// for buttons that only do something.
pub(super) fn states(field: &Dict<'_>) -> Option<Vec<String>> {
    match kind(field).as_deref() {
        Some(b"Btn") if flags(field) & PUSH == 0 => Some(vec![sign(is_ticked(field)).to_owned()]),
        Some(b"Ch") if flags(field) & COMBO == 0 => {
            let chosen = chosen_values(field);
            let line = |choice: ListChoice| {
                let is_chosen = chosen.iter().any(|value| *value == choice.submitted || *value == choice.shown);
                format!("{} {}", sign(is_chosen), choice.shown)
            };
            let lines: Vec<String> = choices(field).into_iter().map(line).collect();
            (!lines.is_empty()).then_some(lines)
        }
        _ => None,
    }
}

fn sign(is_ticked: bool) -> &'static str {
    if is_ticked { TICKED } else { UNTICKED }
}

/// Whether a box or a button of a group is on: the appearance it has, else the value of its field, if that is a state of this box.
fn is_ticked(field: &Dict<'_>) -> bool {
    if let Some(state) = field.get::<Name<'_>>(AS) {
        return state.as_ref() != OFF;
    }
    let Some(Object::Name(value)) = inherited_value(field, b"V") else {
        return false;
    };
    let states = field.get::<Dict<'_>>(AP).and_then(|appearances| appearances.get::<Dict<'_>>(N));
    value.as_ref() != OFF && states.is_none_or(|states| states.contains_key(value.as_ref()))
}

/// The values that are chosen in a list.
fn chosen_values(field: &Dict<'_>) -> Vec<String> {
    match inherited_value(field, b"V") {
        Some(Object::String(one)) => vec![text_string(one.as_bytes())],
        Some(Object::Array(all)) => all.iter::<PdfString<'_>>().map(|value| text_string(value.as_bytes())).collect(),
        _ => Vec::new(),
    }
}

struct ListChoice {
    submitted: String,
    shown: String,
}

/// The choices of a field, in order, up to [`MAX_CHOICES`].
fn choices(field: &Dict<'_>) -> Vec<ListChoice> {
    match inherited_value(field, b"Opt") {
        Some(Object::Array(options)) => options.iter::<Object<'_>>().take(MAX_CHOICES).filter_map(choice).collect(),
        _ => Vec::new(),
    }
}

/// A choice, which is a string, or a pair of the submitted and the shown value.
fn choice(option: Object<'_>) -> Option<ListChoice> {
    match option {
        Object::String(s) => {
            let shown = text_string(s.as_bytes());
            Some(ListChoice { submitted: shown.clone(), shown })
        }
        Object::Array(pair) => {
            let mut pair = pair.iter::<PdfString<'_>>().map(|s| text_string(s.as_bytes()));
            Some(ListChoice { submitted: pair.next()?, shown: pair.next()? })
        }
        _ => None,
    }
}

fn flags(field: &Dict<'_>) -> u32 {
    match inherited_value(field, b"Ff") {
        Some(Object::Number(n)) => n.as_i64() as u32,
        _ => 0,
    }
}

fn kind(field: &Dict<'_>) -> Option<Vec<u8>> {
    match inherited_value(field, b"FT") {
        Some(Object::Name(kind)) => Some(kind.to_vec()),
        _ => None,
    }
}

fn inherited_value<'a>(field: &Dict<'a>, key: &[u8]) -> Option<Object<'a>> {
    let mut field = field.clone();
    for _ in 0..MAX_PARENTS {
        if let Some(value) = field.get::<Object<'a>>(key) {
            return Some(value);
        }
        field = field.get::<Dict<'a>>(b"Parent")?;
    }
    None
}
