//! Directives of docutils and Sphinx: what each shows. Nothing is included or fetched.

use precis_proto::BlockKind;

use super::blocks::{BlockReader, MAX_LEVEL, Scope};
use super::lines::{block_end, join_lines};
use crate::directive_names::{ADMONITIONS, CODE, CONTAINERS, DROPPED, ELSEWHERE, SIGNATURES, version_label};
use crate::field_line::field_name;
use crate::html;

/// The parts of a directive.
#[derive(Debug)]
pub(super) struct Directive<'a> {
    arguments: Vec<&'a str>,
    options: Vec<&'a str>,
    pub(super) content: Vec<&'a str>,
}

impl<'a> Directive<'a> {
    /// The parts in the `rest` of the first line and in the lines `below`. The argument of a code directive is one word on the same line;
    /// the lines below are code.
    fn new(rest: &'a str, below: &[&'a str], is_code: bool) -> Self {
        let first = usize::from(!rest.is_empty());
        let lines = [&[rest][..first], below].concat();
        let head_end = block_end(&lines, 0);
        let is_option = |line: &&str| field_name(line).is_some();
        let option = (first..head_end).find(|at| is_option(&lines[*at]));
        let (arguments, rest) = lines.split_at(option.unwrap_or(if is_code { first } else { head_end }));
        // The content may follow without a blank line.
        let in_options = rest.iter().take_while(|line| option.is_some() && (is_option(line) || line.starts_with(' ')));
        let (options, content) = rest.split_at(in_options.count());
        Self { arguments: arguments.to_vec(), options: options.to_vec(), content: content.to_vec() }
    }

    /// The value of the option called `name`; empty if there is none.
    pub(super) fn option(&self, name: &str) -> String {
        let value =
            |line: &&'a str| field_name(line).filter(|(found, _)| *found == name).map(|(_, bytes)| line.get(bytes..));
        let Some((at, first)) = self.options.iter().enumerate().find_map(|(at, line)| Some((at, value(line)?))) else {
            return String::new();
        };
        let more = self.options[at + 1..].iter().take_while(|line| line.starts_with(' '));
        join_lines(&first.into_iter().chain(more.copied()).collect::<Vec<_>>())
    }

    /// Arguments and content as one text.
    fn all(&self) -> Vec<&'a str> {
        [self.arguments.as_slice(), &[""], &self.content].concat()
    }
}

impl BlockReader {
    /// Reads the directive called `name` with the `rest` of its first line and the lines `below`.
    pub(super) fn directive(&mut self, name: &str, rest: &str, below: &[&str], scope: Scope) {
        let name = name.to_lowercase();
        let is_in = |names: &str| names.split_whitespace().any(|known| known == name);
        let parts = Directive::new(rest, below, is_in(CODE));
        let (inner, arguments) = (scope.inside(scope.kind), join_lines(&parts.arguments));
        let is_elsewhere = ["file", "url"].iter().any(|name| !parts.option(name).is_empty());
        self.elsewhere += u64::from(is_in(ELSEWHERE) || (is_in("csv-table raw") && is_elsewhere));
        match name.as_str() {
            _ if is_in(DROPPED) || is_in(ELSEWHERE) => {}
            _ if is_in(CODE) => {
                self.text(&parts.option("caption"), scope.inside(BlockKind::Caption));
                self.code(&parts.content);
            }
            "math" | "productionlist" => self.code(&parts.all()),
            "parsed-literal" => self.text(&parts.all().join("\n"), scope.inside(BlockKind::Code)),
            "image" | "figure" => {
                self.text(&parts.option("alt"), scope.inside(BlockKind::Caption));
                self.blocks(&parts.content, scope.inside(BlockKind::Caption));
            }
            "table" | "csv-table" | "list-table" | "flat-table" => {
                self.text(&arguments, scope.inside(BlockKind::Caption));
                match name.as_str() {
                    "table" => self.blocks(&parts.content, inner),
                    "csv-table" => self.csv_table(&parts, inner),
                    _ => self.list_table(&parts, inner),
                }
            }
            "rubric" => self.heading(&arguments, (self.level + 1).min(MAX_LEVEL)),
            "epigraph" | "highlights" | "pull-quote" => self.blocks(&parts.all(), scope.inside(BlockKind::Quotation)),
            "raw" if arguments.eq_ignore_ascii_case("html") => {
                let (leaves, left_out) = html::fragment(&parts.content.join("\n"));
                self.leaves.count(left_out);
                self.leaves.extend(leaves);
            }
            // Raw content for other formats is never visible.
            "raw" => {}
            _ if is_in(CONTAINERS) => self.blocks(&parts.content, inner),
            _ if is_in(SIGNATURES) || name.contains(':') => {
                self.code(&parts.arguments);
                self.blocks(&parts.content, inner);
            }
            _ if is_in(ADMONITIONS) => {
                let label = if name == "seealso" { "see also" } else { &name };
                self.text(&(label[..1].to_uppercase() + &label[1..]), scope);
                self.blocks(&parts.all(), inner);
            }
            _ => match version_label(&name) {
                Some(label) => {
                    let (version, text) = arguments.split_once(char::is_whitespace).unwrap_or((&arguments, ""));
                    let lines: Vec<&str> = text.lines().chain([""]).chain(parts.content.iter().copied()).collect();
                    self.read_labelled(&format!("{label} {version}:"), &lines, inner);
                }
                None => {
                    self.text(&arguments, scope);
                    self.blocks(&parts.content, inner);
                }
            },
        }
    }
}
