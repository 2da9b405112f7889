//! How much each trait of a unit speaks for an article: one row for each trait, one number for each step of it, in hundredths of the
//! natural logarithm of odds.
//!
//! Measured, by logistic regression (L2, C = 0.1) on two public sets of pages with their expected texts: the segments of half of
//! trafilatura's, divided by host, and all text of Mozilla's Readability; `tests/bench/points.py` writes this file. A step that no page
//! had is worth nothing. Whole numbers, so that every machine decides alike.

use super::text_traits::UnitForm;
use super::traits::{ROWS, TraitedUnit, Traits};

/// What a unit has before its traits are counted. It is kept if the sum is not negative.
const BASE: i32 = -10;
/// The name of each trait, and the points of its steps.
pub(super) const POINTS: [(&str, &[i16]); ROWS] = [
    ("length", &[-21, -57, -82, 20, 55, 75]),
    ("links", &[52, 1, -8, -8, -47]),
    ("ending", &[-24, -9, 37, -16, 3, 0]),
    ("says_sentences", &[-23, 14]),
    ("stops", &[8, -2, -15]),
    ("digits", &[-18, 30, -22]),
    ("tag", &[-14, -7, 13, -4, 7, 5, 16, 35, -41, -48, 28]),
    ("label_of_links", &[31, -40]),
    ("capitals", &[5, -14]),
    ("comma", &[-35, 25]),
    ("copyright", &[11, -20]),
    ("bar", &[-12, 2]),
    ("guillemet", &[-31, 21]),
    ("slash", &[-3, -6]),
    ("at", &[-13, 3]),
    ("question", &[-7, -3]),
    ("exclamation", &[4, -13]),
    ("parenthesis", &[-19, 9]),
    ("hash", &[-6, -4]),
    ("emphasis", &[37, 7, -54]),
    ("bold", &[9, -12, -7]),
    ("small", &[-2, 0, -7]),
    ("span", &[24, -25, -9]),
    ("time", &[13, -22]),
    ("picture", &[24, -33]),
    ("control", &[-9, -1]),
    ("raised", &[-4, -5]),
    ("break", &[2, -11]),
    ("group_links", &[34, -17, -16, -10, -15, 0, 15]),
    ("group_said", &[-25, -20, 0, 13, 9, -1, 15]),
    ("group_long", &[-12, -40, 4, 24, 0, 0, 15]),
    ("group_units", &[1, -11, -6, -19, 11, 0, 15]),
    ("group_chosen", &[-8, -4, -13, 8, -2, -6, 15]),
    ("around_links", &[-4, 9, -2, -11, -15, 0, 14]),
    ("around_said", &[10, -6, 0, -2, -9, -15, 14]),
    ("around_long", &[11, 11, -26, -19, 0, 0, 14]),
    ("around_units", &[0, -14, -6, 0, -3, 0, 14]),
    ("around_chosen", &[-4, 2, -10, -1, -13, 1, 14]),
    ("in_group_itself", &[-11, 2]),
    ("long_siblings", &[-65, 45, 10]),
    ("siblings", &[-15, -3, 9]),
    ("before_last", &[-5, 0, -8, -30, 6, 28]),
    ("before", &[9, -11, -18, -23, 31, 2]),
    ("after", &[-7, -20, -7, -17, 33, 9]),
    ("after_next", &[2, -9, -34, 11, 17, 3]),
    ("above_title", &[41, -42, -9]),
    ("before_first_long", &[25, -34]),
    ("behind_last_long", &[40, -49]),
    ("long_before", &[-23, -28, -36, -28, 21, 84]),
    ("long_after", &[-6, -17, -17, -15, 40, 6]),
    ("place", &[-6, 31, 60, -2, -44, -48]),
    ("long_of_page", &[45, 15, -20, -18, -32]),
    ("in_main", &[-6, -3]),
    ("in_article", &[-17, 7]),
    ("in_aside", &[14, -23]),
    ("in_nav", &[-2, -7]),
    ("in_header", &[-15, 6]),
    ("in_footer", &[19, -28]),
    ("in_section", &[-9, 0]),
    ("in_form", &[5, -15]),
    ("in_figure", &[50, -60]),
    ("in_cell", &[8, -18]),
    ("in_item", &[-10, 0]),
    ("in_quotation", &[-32, 23]),
    ("in_link", &[-25, 15]),
    ("in_address", &[-10, 0]),
    ("in_label", &[-10, 0]),
    ("chosen", &[-68, 59]),
    ("chosen_before", &[-10, -33, 9, 25]),
    ("chosen_after", &[-41, -6, 14, 24]),
    ("chosen_of_page", &[33, 7, 6, -10, 23, -2, -4, 13, -16, -59]),
];

/// What a chosen list or sentence outweighs: odds of nine to five against it. Chosen, with what the sets lose by it in view.
const OF_WEIGHT: i32 = 60;

/// Fewer points than these are far from an article.
const FAR: i32 = -150;

/// Which of `units`, in the order of their page, are kept: each by itself ([`keep`]), and the heading of a section that is kept, unless it is
/// far from an article.
pub(super) fn kept(units: &[TraitedUnit]) -> Vec<bool> {
    let mut kept: Vec<bool> = units.iter().map(keep).collect();
    // From the end, because the heading of a section may stand above one of a part of it.
    for at in (1..units.len()).rev() {
        let (heading, below) = (&units[at - 1], &units[at]);
        let is_text = kept[at] && !below.is_linked && below.form != UnitForm::Field;
        let is_heading = heading.is_section_heading && !heading.is_linked && of(&heading.traits) >= FAR;
        kept[at - 1] |= is_text && is_heading;
    }
    kept
}

/// Whether `unit` is kept. Three laws stand above the points: what the heuristics chose is not torn apart between its long paragraphs; its
/// tables, quotations, preformatted texts and lists that are not of links stay; fields of forms are of no article unless they chose them.
fn keep(unit: &TraitedUnit) -> bool {
    let points = of(&unit.traits);
    match (unit.is_chosen, unit.form) {
        (true, _) if unit.is_amid => true,
        (true, UnitForm::Whole) => true,
        (true, UnitForm::List) if !unit.is_linked => true,
        (true, UnitForm::List | UnitForm::Sentences) => points >= -OF_WEIGHT,
        (true, UnitForm::Field | UnitForm::Line) => points >= 0,
        (false, UnitForm::Field) => false,
        (false, UnitForm::List | UnitForm::Whole | UnitForm::Sentences | UnitForm::Line) => points >= 0,
    }
}

/// Whether `unit` is so far from an article that it is left out of the fuller reading of a page too.
pub(super) fn is_far(unit: &TraitedUnit) -> bool {
    !unit.is_chosen && !unit.is_amid && of(&unit.traits) < FAR
}

/// The points of a unit with `traits`.
fn of(traits: &Traits) -> i32 {
    let points =
        POINTS.iter().zip(traits).map(|((_, steps), step)| steps.get(usize::from(*step)).copied().unwrap_or(0));
    BASE + points.map(i32::from).sum::<i32>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(is_chosen: bool, is_amid: bool, form: UnitForm, traits: Traits) -> TraitedUnit {
        TraitedUnit { traits, form, is_chosen, is_linked: form == UnitForm::Line, is_amid, is_section_heading: false }
    }

    /// Traits with as few or as many points as there are.
    fn extreme(is_best: bool) -> Traits {
        let mut traits = [0; ROWS];
        for (trait_, (_, steps)) in traits.iter_mut().zip(POINTS) {
            let sign = |step: &usize| if is_best { i32::from(steps[*step]) } else { -i32::from(steps[*step]) };
            *trait_ = (0..steps.len()).max_by_key(sign).unwrap_or(0) as u8;
        }
        traits
    }

    /// Traits with at most `most` points: the best ones, the first of which are the worst until they have no more.
    fn nearly_far(most: i32) -> Traits {
        let mut traits = extreme(true);
        let worst = extreme(false);
        for at in 0..ROWS {
            if of(&traits) <= most {
                break;
            }
            traits[at] = worst[at];
        }
        traits
    }

    const FORMS: [UnitForm; 5] =
        [UnitForm::List, UnitForm::Whole, UnitForm::Field, UnitForm::Sentences, UnitForm::Line];

    #[test]
    fn points_do_not_tear_apart_what_was_chosen() {
        let worst = extreme(false);
        assert!(FORMS.iter().all(|form| keep(&unit(true, true, *form, worst))));
        let stays = |form: &UnitForm| matches!(form, UnitForm::Whole | UnitForm::List);
        assert!(FORMS.iter().filter(|form| stays(form)).all(|form| keep(&unit(true, false, *form, worst))));
        let others = FORMS.iter().filter(|form| !stays(form));
        assert!(others.into_iter().all(|form| !keep(&unit(true, false, *form, worst))));
        assert!(FORMS.iter().all(|form| !keep(&unit(false, true, *form, worst))));
    }

    #[test]
    fn points_find_what_was_not_chosen_except_fields_of_forms() {
        for form in FORMS {
            assert_eq!(keep(&unit(false, false, form, extreme(true))), form != UnitForm::Field, "{form:?}");
        }
    }

    #[test]
    fn the_heading_of_a_kept_section_is_kept() {
        let (worst, best) = (extreme(false), extreme(true));
        let plain = |traits| unit(false, false, UnitForm::Sentences, traits);
        let heading = |traits| TraitedUnit { is_section_heading: true, is_linked: false, ..plain(traits) };
        let left_out = nearly_far(-1);
        assert!(of(&left_out) < 0);
        for (units, want) in [
            ([heading(left_out), heading(left_out), plain(best)], [true, true, true]),
            ([heading(left_out), plain(left_out), plain(best)], [false, false, true]),
            ([plain(best), heading(left_out), plain(left_out)], [true, false, false]),
            ([plain(left_out), heading(worst), plain(best)], [false, false, true]),
            ([plain(best), TraitedUnit { is_linked: true, ..heading(left_out) }, plain(best)], [true, false, true]),
            ([plain(best), heading(left_out), TraitedUnit { is_linked: true, ..plain(best) }], [true, false, true]),
        ] {
            assert_eq!(kept(&units), want);
        }
    }

    #[test]
    fn each_trait_has_its_own_name_and_points() {
        let names: std::collections::HashSet<&str> = POINTS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), ROWS);
        assert!(POINTS.iter().all(|(_, steps)| steps.len() > 1));
    }
}
