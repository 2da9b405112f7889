//! Raised and lowered characters as plain text: Unicode's own forms where all characters have one (`10⁶`, `CO₂`), else `^(…)` or `_(…)`.
//!
//! Either way they never join the word or number before them, so no exponent becomes a digit of its number. A run without a letter or
//! digit, such as a raised `®` or `*`, stays as it is, because it cannot be read as part of a number.

use super::marks::Position;

/// Characters with a raised form, and that form.
const RAISED: (&str, &str) = (
    "0123456789+-−–=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδθφχ",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿᵠᵡ",
);
/// Characters with a lowered form, and that form.
const LOWERED: (&str, &str) = ("0123456789+-−–=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ");

/// `text` at `position`, as it is written in canonical text. White space around it stays outside.
pub(crate) fn place_text(text: &str, position: Position) -> String {
    let (forms, sign) = match position {
        Position::Baseline => return text.to_owned(),
        Position::Raised => (RAISED, '^'),
        Position::Lowered => (LOWERED, '_'),
    };
    let core = text.trim();
    if !core.chars().any(char::is_alphanumeric) {
        return text.to_owned();
    }
    let (before, after) = (&text[..text.len() - text.trim_start().len()], &text[text.trim_end().len()..]);
    // All of it has been placed before, as a raised `²` that is raised again; what is placed in part has an inner position.
    if core.chars().all(|c| forms.1.contains(c)) {
        return text.to_owned();
    }
    match core.chars().map(|c| form(c, forms)).collect::<Option<String>>() {
        Some(form) => format!("{before}{form}{after}"),
        None => format!("{before}{sign}({core}){after}"),
    }
}

/// The form of `c`.
fn form(c: char, (plain, placed): (&str, &str)) -> Option<char> {
    let at = plain.chars().position(|other| other == c)?;
    placed.chars().nth(at)
}

#[cfg(test)]
mod tests {
    use icu_normalizer::ComposingNormalizerBorrowed;

    use super::*;

    #[test]
    fn each_form_represents_its_character() {
        let plain = |form: char| {
            let plain = ComposingNormalizerBorrowed::new_nfkc().normalize(&form.to_string()).into_owned();
            plain.replace('−', "-")
        };
        for (given, forms) in [RAISED, LOWERED] {
            assert_eq!(given.chars().count(), forms.chars().count());
            for (c, form) in given.chars().zip(forms.chars()) {
                assert_eq!(plain(form), c.to_string().replace(['−', '–'], "-"));
            }
        }
    }

    #[test]
    fn what_is_raised_or_lowered_never_joins_the_word_before_it() {
        for (text, raised, lowered) in [
            ("6", "⁶", "₆"),
            ("-12", "⁻¹²", "₋₁₂"),
            ("st", "ˢᵗ", "ₛₜ"),
            (" 2 ", " ² ", " ₂ "),
            ("1, 2", "^(1, 2)", "_(1, 2)"),
            ("Q", "^(Q)", "_(Q)"),
            ("²", "²", "_(²)"),
            ("3²", "^(3²)", "_(3²)"),
            ("®", "®", "®"),
            ("", "", ""),
            (" ", " ", " "),
            ("注1", "^(注1)", "_(注1)"),
        ] {
            let found = (place_text(text, Position::Raised), place_text(text, Position::Lowered));
            assert_eq!(found, (raised.to_owned(), lowered.to_owned()), "{text}");
            assert_eq!(place_text(text, Position::Baseline), text);
        }
    }
}
