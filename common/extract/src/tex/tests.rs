use super::super::package::fixture::render_leaf;
use super::*;

fn lines(source: &str) -> Vec<String> {
    read(source).leaves.iter().map(render_leaf).collect()
}

#[test]
fn a_document_is_read_block_by_block() {
    let source = r"% a comment
\documentclass[11pt]{article}
\usepackage[utf8]{inputenc}
\newcommand{\prod}{Precis}
\title{On \emph{Ropes}\thanks{Money.}}
\author{Ann \and Bo}
\date{3 May 2026}
\begin{document}
\maketitle
\section{Sale of ropes}\label{sec:sale}
We do \textbf{not} sell 10$^6$ ropes\footnote{Nor ``cables''.}, says \prod{} --- see
Section~\ref{sec:care} and \cite{knuth}. % gone
It costs 5\,\% of \pounds 40.

A paragraph of % gone

  its own a\^{}b.

\subsection*{Notes}
Caf\'e and Stra\ss e; \sout{never}.
\begin{itemize}
\item one
  \begin{enumerate}
  \item deep
  \item[x] own
  \end{enumerate}
\item two
\end{itemize}
\begin{description}\item[Term] text\end{description}
\begin{quote}Said.\end{quote}
\section{Care}\label{sec:care}
\begin{verbatim}
let a = \b{c};
\end{verbatim}
The law \begin{equation}\label{e} E = mc^2 \end{equation} holds by \eqref{e}.
\begin{thebibliography}{9}\bibitem{knuth} D. Knuth. The book.\end{thebibliography}
\end{document}
gone";
    let found = read(source);
    assert_eq!(
        found.leaves.iter().map(render_leaf).collect::<Vec<_>>(),
        [
            "heading1 : On Ropes",
            "field : author: Ann, Bo",
            "field : date: 3 May 2026",
            "heading1 : 1 Sale of ropes",
            "paragraph : We do not sell 10⁶ ropes, says Precis — see Section 2 and . It costs 5 % of £40.",
            "paragraph : A paragraph of",
            "paragraph : its own a^b.",
            "heading2 : Notes",
            "paragraph : Café and Straße; .",
            "list_item1 -: one",
            "list_item2 1.: deep",
            "list_item2 x: own",
            "list_item1 -: two",
            "list_item1 -: Term: text",
            "quotation : Said.",
            "heading1 : 2 Care",
            "code : let a = \\b{c};",
            "paragraph : The law E=mc² holds by (1).",
            "reference knuth: D. Knuth. The book.",
            "footnote 1: Nor “cables”."
        ]
    );
    assert_eq!((found.title.as_deref(), found.left_out.struck), (Some("On Ropes"), 5));
    assert_eq!(found.leaves[4].notes, ["1", "knuth"]);
}

#[test]
fn tables_have_header_rows_and_merged_cells() {
    for (table, want) in [
        (
            r"\begin{tabular}{l|rr}\toprule Boat & \multicolumn{2}{c}{Net} \\ & May & June \\ \midrule Ann \& Co & 1 & 2 \\ \bottomrule\end{tabular}",
            &["table_row1h : Boat|Net|Net", "table_row1h : |May|June", "table_row1 : Ann & Co|1|2"][..],
        ),
        (
            r"\begin{table}\caption{Fees}\begin{tabular}{ll}\hline Port & Fee\\\hline \multirow{2}{*}{Ost} & 1 \\ & 2\\ \hline\end{tabular}\end{table}",
            &["caption : Fees", "table_row1h : Port|Fee", "table_row1 : Ost|1", "table_row1 : Ost|2"],
        ),
        (
            r"\begin{tabular}{ll} a & $1 \times 2$ \\ b & {x & y} \end{tabular}",
            &["table_row1 : a|1×2", "table_row1 : b|x y"],
        ),
    ] {
        assert_eq!(lines(table), want, "{table}");
    }
}

#[test]
fn unread_parts_are_reported() {
    let found = read(
        "\\input{a} Words \\unheard{too}.\n\\begin{tikzpicture}\\draw (0,0);\\end{tikzpicture}\\begin{comment}no\\end{comment}\\vspace{1cm}\\textcolor{red}{end}",
    );
    assert_eq!(found.leaves.iter().map(render_leaf).collect::<Vec<_>>(), ["paragraph : Words too. end"]);
    assert_eq!(found.elsewhere, 1);
    assert_eq!(found.remarks, ["drawings were left out: 1", "commands that are not known: 1"]);
}

#[test]
fn no_source_costs_the_stack_or_ends_the_program() {
    for source in [
        "{".repeat(100_000),
        "\\emph{".repeat(20_000),
        "\\footnote{".repeat(20_000),
        "$\\frac{".repeat(20_000),
        "\\begin{itemize}\\item ".repeat(10_000),
        "\\def\\a{\\a\\a}\\a x".to_owned(),
        "\\begin{tabular}{l}&\\\\".repeat(500),
        "\\verb".to_owned(),
        "\\".to_owned(),
        "\\begin".to_owned(),
        "\\frac$$".to_owned(),
    ] {
        read(&source);
    }
}

#[test]
fn a_latex_document_is_recognized_by_its_class() {
    for (text, is) in [
        ("% Licence\n\n\\documentclass{article}", true),
        ("\\documentstyle{book}", true),
        ("Write \\documentclass first.", false),
        ("", false),
    ] {
        assert_eq!(is_tex(text), is, "{text}");
    }
}
