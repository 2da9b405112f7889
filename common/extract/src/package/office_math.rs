//! Formulas of Office files (ECMA-376, part 1, chapter 22.1) as parts of a [`Formula`].

use super::super::runs::formula::{Formula, Part};
use super::markup::{Markup, XmlElement};

/// A formula whose outermost element has just begun.
pub(super) fn open_formula() -> Formula {
    let mut formula = Formula::default();
    formula.open(Part::Row);
    formula
}

/// Takes what is inside a formula; returns the formula once its outermost element ends.
pub(super) fn take(formula: &mut Formula, event: Markup<'_>) -> Option<String> {
    match event {
        Markup::Open(element) => {
            take_sign(formula, &element);
            formula.open(part(&element.name));
            None
        }
        Markup::Text(text) => {
            formula.text(&text);
            None
        }
        Markup::Close(_) => formula.close(),
    }
}

fn part(name: &str) -> Part {
    match name {
        "f" => Part::Fraction,
        "sSup" | "limUpp" => Part::Power,
        "sSub" | "limLow" => Part::Index,
        "sSubSup" => Part::Both,
        "rad" => Part::DegreeRoot,
        "d" => Part::Fenced,
        "nary" => Part::Sum,
        "m" | "eqArr" => Part::List,
        // Properties: none holds text of the formula.
        name if name.ends_with("Pr") => Part::Nothing,
        _ => Part::Row,
    }
}

/// The signs of brackets and sums stand in properties.
fn take_sign(formula: &mut Formula, element: &XmlElement<'_>) {
    let at = match element.name.as_str() {
        "begChr" | "chr" => 0,
        "endChr" => 1,
        _ => return,
    };
    if let Some(sign) = element.attribute("val") {
        formula.sign(at, sign);
    }
}

#[cfg(test)]
mod tests {
    use super::super::markup::walk;
    use super::*;

    fn read(source: &str) -> String {
        let (mut formula, mut found) = (open_formula(), None);
        walk(format!("{source}</m:oMath>").as_bytes(), |event| {
            found = found.take().or_else(|| take(&mut formula, event))
        });
        found.expect("it ends")
    }

    #[test]
    fn formulas_are_read_on_one_line() {
        let run = |text: &str| format!("<m:r><m:rPr><m:sty m:val='p'/></m:rPr><m:t>{text}</m:t></m:r>");
        for (source, want) in [
            (format!("<m:f><m:fPr/><m:num>{}</m:num><m:den>{}</m:den></m:f>", run("r2a"), run("b")), "r2a/b"),
            (format!("{}<m:sSup><m:e>{}</m:e><m:sup>{}</m:sup></m:sSup>", run("x = "), run("10"), run("6")), "x =10⁶"),
            (format!("<m:sSub><m:e>{}</m:e><m:sub>{}</m:sub></m:sSub>{}", run("H"), run("2"), run("O")), "H₂O"),
            (format!("<m:rad><m:radPr/><m:deg/><m:e>{}</m:e></m:rad>", run("2")), "√(2)"),
            (
                format!(
                    "<m:d><m:dPr><m:begChr m:val='|'/><m:endChr m:val='|'/></m:dPr><m:e>{}</m:e></m:d>",
                    run("a-b")
                ),
                "|a-b|",
            ),
            (
                format!(
                    "<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{}</m:sub><m:sup>{}</m:sup><m:e>{}</m:e></m:nary>",
                    run("i=1"),
                    run("n"),
                    run("k")
                ),
                "∑_(i=1)ⁿ k",
            ),
        ] {
            assert_eq!(read(&source), want.replace("_(i=1)", "ᵢ₌₁"), "{source}");
        }
    }
}
