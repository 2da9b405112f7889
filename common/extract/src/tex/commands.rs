//! What commands and environments of LaTeX and of its common packages do to the text around them.

/// What a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    /// It arranges the page: its arguments are no text. Optional ones may stand anywhere among them.
    Layout(usize),
    /// Its last argument is text; the given number of arguments before it is not.
    Text(usize),
    /// Its argument is raised, lowered or struck out.
    Raised,
    Lowered,
    Struck,
    /// It refers to something that has a number.
    Reference,
    /// It refers to works.
    Citation,
    /// It includes another file.
    Elsewhere,
    /// It ends a paragraph.
    Break,
    /// Its arguments are numbers with their units.
    Quantity(usize),
}

/// What the command `name` does; `None` if it is not known.
pub(super) fn command(name: &str) -> Option<Command> {
    Some(match name {
        "vspace"
        | "hspace"
        | "pagestyle"
        | "thispagestyle"
        | "bibliographystyle"
        | "usepackage"
        | "RequirePackage"
        | "documentclass"
        | "documentstyle"
        | "hypersetup"
        | "geometry"
        | "color"
        | "includegraphics"
        | "pagenumbering"
        | "theoremstyle"
        | "graphicspath"
        | "lstset"
        | "captionsetup"
        | "sisetup"
        | "usetikzlibrary"
        | "pgfplotsset"
        | "hyphenation"
        | "index"
        | "glossary"
        | "vphantom"
        | "hphantom"
        | "phantom"
        | "cline"
        | "cmidrule"
        | "selectlanguage"
        | "setmainfont"
        | "linespread"
        | "bibliography"
        | "nocite"
        | "addbibresource"
        | "setlist"
        | "PassOptionsToPackage"
        | "ifthenelse"
        | "newif"
        | "newcounter"
        | "stepcounter"
        | "refstepcounter"
        | "newlength"
        | "thanks"
        | "todo"
        | "usetheme"
        | "usecolortheme"
        | "titleformat"
        | "marginpar"
        | "IEEEauthorrefmark"
        | "affil"
        | "inst" => Command::Layout(1),
        "setlength" | "addtolength" | "setcounter" | "addtocounter" | "fontsize" | "rule" | "markboth"
        | "settowidth" | "newtheorem" | "numberwithin" | "definecolor" | "newcolumntype" | "lstdefinestyle"
        | "titlespacing" => Command::Layout(2),
        "addcontentsline" | "newenvironment" | "renewenvironment" | "DeclareFontShape" => Command::Layout(3),
        "emph" | "textbf" | "textit" | "textsl" | "textsc" | "textsf" | "texttt" | "textrm" | "textup" | "textmd"
        | "text" | "textnormal" | "underline" | "uline" | "mbox" | "hbox" | "fbox" | "framebox" | "makebox"
        | "centerline" | "enquote" | "url" | "path" | "nolinkurl" | "uppercase" | "MakeUppercase" | "lowercase"
        | "ensuremath" | "hl" | "boxed" | "acs" | "acl" | "ac" | "gls" | "Gls" | "title" | "subtitle" | "keywords"
        | "alert" | "structure" | "textls" | "so" | "leftline" => Command::Text(0),
        "textcolor" | "colorbox" | "href" | "parbox" | "raisebox" | "scalebox" | "resizebox*" | "foreignlanguage"
        | "rotatebox" | "hyperlink" | "hypertarget" | "textlang" => Command::Text(1),
        "fcolorbox" | "resizebox" => Command::Text(2),
        "textsuperscript" | "textsuper" | "up" => Command::Raised,
        "textsubscript" => Command::Lowered,
        "sout" | "st" | "xout" | "cancel" => Command::Struck,
        "ref" | "eqref" | "pageref" | "autoref" | "cref" | "Cref" | "vref" | "nameref" => Command::Reference,
        "cite" | "citep" | "citet" | "citeauthor" | "citeyear" | "parencite" | "textcite" | "footcite" | "autocite"
        | "citealp" => Command::Citation,
        "input" | "include" | "subfile" | "import" | "lstinputlisting" | "verbatiminput" | "inputminted" => {
            Command::Elsewhere
        }
        "par" | "newpage" | "clearpage" | "cleardoublepage" | "pagebreak" | "bigskip" | "medskip" | "smallskip"
        | "tableofcontents" | "listoffigures" | "listoftables" | "printbibliography" | "printindex" | "hrule"
        | "frontmatter" | "mainmatter" | "backmatter" => Command::Break,
        "num" | "si" | "unit" | "ang" => Command::Quantity(1),
        "SI" | "qty" => Command::Quantity(2),
        name if SILENT.contains(&name) => Command::Layout(0),
        _ => return None,
    })
}

/// Commands without arguments that arrange the page or change the font.
const SILENT: [&str; 49] = [
    "noindent",
    "indent",
    "centering",
    "raggedright",
    "raggedleft",
    "bf",
    "it",
    "em",
    "tt",
    "sc",
    "sl",
    "rm",
    "sf",
    "bfseries",
    "itshape",
    "ttfamily",
    "sffamily",
    "rmfamily",
    "scshape",
    "slshape",
    "upshape",
    "mdseries",
    "normalfont",
    "tiny",
    "scriptsize",
    "footnotesize",
    "small",
    "normalsize",
    "large",
    "Large",
    "LARGE",
    "huge",
    "Huge",
    "hline",
    "toprule",
    "midrule",
    "bottomrule",
    "hfill",
    "vfill",
    "null",
    "protect",
    "relax",
    "null",
    "quad",
    "qquad",
    "nolinebreak",
    "fill",
    "samepage",
    "onehalfspacing",
];

/// What an environment contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Environment {
    Bullets,
    Numbers,
    Terms,
    Quotation,
    /// Code, kept as it is.
    Code,
    /// A formula that has a number, or none.
    Formula {
        is_numbered: bool,
    },
    /// Rows and cells, behind the given number of arguments.
    Table(usize),
    /// What the document does not show.
    Comment,
    /// A drawing in commands of its own.
    Drawing,
    References,
    /// Text, behind the given number of arguments.
    Text(usize),
}

/// What the environment `name` contains; text if it is not known.
pub(super) fn environment(name: &str) -> Environment {
    match name.trim_end_matches('*') {
        "itemize" => Environment::Bullets,
        "enumerate" => Environment::Numbers,
        "description" => Environment::Terms,
        "quote" | "quotation" | "verse" | "displayquote" => Environment::Quotation,
        "verbatim" | "Verbatim" | "lstlisting" | "minted" | "alltt" | "BVerbatim" => Environment::Code,
        "equation" | "align" | "gather" | "eqnarray" | "multline" | "flalign" | "alignat" => {
            Environment::Formula { is_numbered: !name.ends_with('*') }
        }
        "displaymath" | "math" | "aligned" | "split" => Environment::Formula { is_numbered: false },
        "tabular" if name.ends_with('*') => Environment::Table(2),
        "tabular" | "longtable" | "supertabular" | "longtabu" | "tabu" => Environment::Table(1),
        "tabularx" | "tabulary" => Environment::Table(2),
        "comment" => Environment::Comment,
        "tikzpicture" | "picture" | "pgfpicture" | "axis" | "circuitikz" | "forest" | "filecontents" => {
            Environment::Drawing
        }
        "thebibliography" => Environment::References,
        "minipage" | "multicols" | "wrapfigure" | "adjustbox" | "spacing" | "list" | "subfigure" => {
            Environment::Text(1)
        }
        _ => Environment::Text(0),
    }
}
