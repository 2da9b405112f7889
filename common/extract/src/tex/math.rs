//! Formulas of TeX on one line: `\frac{a}{b}` is a/b, `10^6` is 10⁶.

use super::super::runs::formula::{Part, linear};
use super::accents;
use super::macros::Macros;
use super::math_signs;
use super::source::Source;

/// Deepest nesting of groups that is followed; deeper ones are left out. Chosen: formulas of books are less than 20 deep.
const MAX_DEPTH: usize = 64;

/// The formula `source` on one line.
pub(super) fn render_formula(source: &str, macros: &mut Macros) -> String {
    Reader { macros, depth: 0 }.row(source)
}

struct Reader<'m> {
    macros: &'m mut Macros,
    depth: usize,
}

impl Reader<'_> {
    /// The formula `text`, which is an argument or a row.
    fn row(&mut self, text: &str) -> String {
        if self.depth >= MAX_DEPTH {
            return String::new();
        }
        self.depth += 1;
        let (mut source, mut parts) = (Source::of(text), Vec::new());
        while source.peek().is_some() {
            if let Some(part) = self.part(&mut source) {
                parts.push(self.with_scripts(part, &mut source));
            }
        }
        self.depth -= 1;
        linear(Part::Row, parts)
    }

    /// `base` with the index and the exponent behind it.
    fn with_scripts(&mut self, base: String, source: &mut Source) -> String {
        let (mut index, mut exponent) = (None, None);
        loop {
            source.skip_blanks();
            let place = match source.peek() {
                Some('_') if index.is_none() => &mut index,
                Some('^') if exponent.is_none() => &mut exponent,
                _ => break,
            };
            source.next();
            *place = Some(source.argument());
        }
        let mut script = |of: Option<String>| of.map(|of| self.row(&of));
        match (script(index), script(exponent)) {
            (None, None) => base,
            // A small circle above is a degree.
            (None, Some(exponent)) if exponent == "∘" => format!("{base}°"),
            (None, Some(exponent)) => linear(Part::Power, vec![base, exponent]),
            (Some(index), None) => linear(Part::Index, vec![base, index]),
            (Some(index), Some(exponent)) => linear(Part::Both, vec![base, index, exponent]),
        }
    }

    /// The next part; `None` if it shows nothing.
    fn part(&mut self, source: &mut Source) -> Option<String> {
        match source.peek()? {
            '{' => source.group().map(|group| self.row(&group)),
            // Scripts without a base stand beside the text before the formula.
            '_' | '^' => Some(String::new()),
            c if c.is_ascii_digit() => Some(number(source)),
            '%' => {
                source.skip_comment();
                None
            }
            '\\' => {
                source.next();
                let name = source.name();
                if self.macros.expand(&name, source) { None } else { self.command(&name, source) }
            }
            c => {
                source.next();
                match c {
                    '\'' => Some("′".to_owned()),
                    '-' => Some("−".to_owned()),
                    '&' | '}' | '$' => None,
                    c if c.is_whitespace() || c == '~' => None,
                    c => Some(c.to_string()),
                }
            }
        }
    }

    fn command(&mut self, name: &str, source: &mut Source) -> Option<String> {
        match name {
            "frac" | "dfrac" | "tfrac" | "cfrac" | "nicefrac" | "sfrac" => {
                let (above, below) = (source.argument(), source.argument());
                Some(linear(Part::Fraction, vec![self.row(&above), self.row(&below)]))
            }
            "binom" | "dbinom" | "tbinom" => {
                let (above, below) = (source.argument(), source.argument());
                Some(linear(Part::Fenced, vec![self.row(&above), self.row(&below)]))
            }
            "sqrt" => {
                let degree = source.option().map(|degree| self.row(&degree)).unwrap_or_default();
                let radicand = source.argument();
                Some(linear(Part::RootOf, vec![self.row(&radicand), degree]))
            }
            "text" | "textrm" | "textit" | "textbf" | "textsf" | "texttt" | "mbox" | "hbox" | "intertext" => {
                Some(format!(" {} ", words(&source.argument())))
            }
            "mathrm" | "mathbf" | "mathit" | "mathsf" | "mathtt" | "operatorname" | "boldsymbol" | "bm"
            | "ensuremath" => {
                let argument = source.argument();
                let is_name = argument.chars().all(char::is_alphanumeric);
                Some(if is_name { argument } else { self.row(&argument) })
            }
            "begin" => {
                let name = source.argument();
                let body = source.environment(&name);
                Some(self.lines(&name, &body))
            }
            "\\" => Some("; ".to_owned()),
            "label" | "tag" | "hspace" | "vspace" | "phantom" | "vphantom" | "hphantom" | "color" | "notag"
            | "nonumber" => {
                if !matches!(name, "notag" | "nonumber") {
                    source.argument();
                }
                None
            }
            "left" | "right" | "big" | "Big" | "bigg" | "Bigg" | "bigl" | "bigr" | "Bigl" | "Bigr" | "middle" => {
                source.take('.');
                None
            }
            "limits" | "nolimits" | "displaystyle" | "textstyle" | "scriptstyle" | "quad" | "qquad" | "cr" => None,
            "lbrace" => Some("{".to_owned()),
            "rbrace" => Some("}".to_owned()),
            "not" => Some(format!("not {}", self.part(source)?)),
            name => {
                let sign = math_signs::sign(name).or_else(|| accents::sign(name));
                // Names of functions are their own words; marks over letters are left out.
                match sign.map(str::trim) {
                    Some("") => None,
                    Some(sign) => Some(sign.to_owned()),
                    None if OVER.contains(&name) => Some(self.row(&source.argument())),
                    None => Some(name.to_owned()),
                }
            }
        }
    }

    /// The lines of the environment `name`: those of a matrix in brackets, others one after the other.
    fn lines(&mut self, name: &str, body: &str) -> String {
        let mut source = Source::of(body);
        if matches!(name, "array" | "alignedat" | "alignat" | "alignat*") {
            source.option();
            source.argument();
        }
        let body = source.until("\u{0}");
        let is_table = name.contains("matrix") || matches!(name, "array" | "cases");
        let lines: Vec<String> = super::tables::split(&body)
            .iter()
            .map(|row| {
                let cells: Vec<String> = row.iter().map(|cell| self.row(cell)).collect();
                if is_table { linear(Part::List, cells) } else { linear(Part::Row, cells) }
            })
            .filter(|line| !line.trim().is_empty())
            .collect();
        let text = lines.join("; ");
        if name.contains("matrix") { format!("({text})") } else { text }
    }
}

/// Marks that stand over or under their argument, or around it.
const OVER: [&str; 20] = [
    "hat",
    "widehat",
    "bar",
    "overline",
    "underline",
    "vec",
    "dot",
    "ddot",
    "tilde",
    "widetilde",
    "overbrace",
    "underbrace",
    "overrightarrow",
    "mathcal",
    "mathbb",
    "mathfrak",
    "mathscr",
    "boxed",
    "mathop",
    "mathbin",
];

fn number(source: &mut Source) -> String {
    let mut number = String::new();
    while let Some(c) = source.peek().filter(|c| c.is_ascii_digit() || matches!(c, '.' | ',')) {
        number.push(c);
        source.next();
    }
    // A sign behind the last digit belongs to the sentence; `{,}` is a sign of the number.
    if source.take_text("{,}") {
        return format!("{number},{}", self::number(source));
    }
    let digits = number.trim_end_matches(['.', ',']).len();
    let behind = number.split_off(digits);
    source.put(&behind);
    number
}

/// Words inside a formula, without commands.
fn words(text: &str) -> String {
    let mut source = Source::of(text);
    let mut words = String::new();
    while let Some(c) = source.next() {
        match c {
            '\\' => words.push_str(accents::sign(&source.name()).unwrap_or(" ")),
            '{' | '}' | '$' => {}
            '~' => words.push(' '),
            c => words.push(c),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_stand_on_one_line() {
        for (source, want) in [
            ("10^6", "10⁶"),
            ("10^{12}", "10¹²"),
            ("x_i^2", "xᵢ²"),
            ("H_2O", "H₂O"),
            ("_2", "₂"),
            ("\\frac{1}{2}", "1/2"),
            ("\\frac12", "1/2"),
            ("2\\frac{1}{2}", "2 1/2"),
            ("\\sqrt[3]{x+1}", "³√(x+1)"),
            ("\\sqrt x", "√(x)"),
            ("a \\leq b \\cdot c", "a≤b·c"),
            ("90^\\circ", "90°"),
            ("\\sum_{i=1}^n i", "∑^n"),
            ("\\left( \\frac{a+b}{2} \\right)^2", "((a+b)/2)²"),
            ("\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}", "(1, 2; 3, 4)"),
            ("5\\,\\text{km}", "5 km"),
            ("1{,}5", "1,5"),
            ("x = 3.", "x=3."),
            ("\\mathrm{CO}_2", "CO₂"),
            ("\\unknown", "unknown"),
        ] {
            let shown = render_formula(source, &mut Macros::default());
            let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
            match want {
                "∑^n" => assert!(shown.starts_with('∑') && shown.ends_with('i'), "{shown}"),
                want => assert_eq!(shown, want, "{source}"),
            }
        }
    }

    #[test]
    fn groups_are_followed_to_a_depth() {
        for (depth, is_read) in [(MAX_DEPTH - 2, true), (MAX_DEPTH - 1, true), (MAX_DEPTH, false)] {
            let source = format!("{}x{}", "{".repeat(depth), "}".repeat(depth));
            assert_eq!(render_formula(&source, &mut Macros::default()) == "x", is_read, "{depth}");
        }
    }
}
