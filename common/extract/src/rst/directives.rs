//! Directives: their parts, and the visible text of each. Nothing is included or fetched.

use precis_proto::BlockKind;
use precis_text::{Leaf, normalize};

use super::blocks::{BlockReader, Scope};
use super::directive_kinds::{DirectiveKind, kind};
use super::lines::Region;
use super::lists::field_name;
use crate::html;

/// The parts of a directive.
#[derive(Debug)]
pub(super) struct Directive {
    /// Arguments, options and content together.
    body: Region,
    arguments: Region,
    options: Vec<(String, String)>,
    pub(super) content: Region,
}

impl Directive {
    /// The value of the option called `name`.
    pub(super) fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// Whether its content is in a file or at an address named by its options.
    fn is_elsewhere(&self, kind: DirectiveKind) -> bool {
        matches!(kind, DirectiveKind::CsvTable | DirectiveKind::Raw)
            && ["file", "url"].iter().any(|name| self.option(name).is_some())
    }
}

impl BlockReader<'_> {
    /// Reads the directive on line `at`; `start` is its name and the bytes before its arguments. Returns the index behind its last line.
    pub(super) fn directive(&mut self, region: Region, at: usize, start: (&str, usize), scope: Scope) -> usize {
        let (name, skip) = start;
        let kind = kind(name);
        let parts = self.parts(region, at, skip, kind);
        let inner = scope.inside(scope.kind);
        if kind == DirectiveKind::Elsewhere || parts.is_elsewhere(kind) {
            self.elsewhere += 1;
        }
        self.place(kind, &parts, scope, inner);
        parts.body.end.max(at + 1)
    }

    /// Adds the visible text of a directive of `kind`; `inner` is the scope of its content.
    fn place(&mut self, kind: DirectiveKind, parts: &Directive, scope: Scope, inner: Scope) {
        match kind {
            DirectiveKind::Dropped | DirectiveKind::Elsewhere => {}
            DirectiveKind::Code => {
                self.caption(parts.option("caption").unwrap_or_default(), scope);
                self.code(parts.content, scope);
            }
            DirectiveKind::WholeCode => {
                self.code(parts.arguments, scope);
                self.code(parts.content, scope);
            }
            DirectiveKind::ParsedCode => {
                let text = self.lines.views(parts.arguments).chain(self.lines.views(parts.content));
                let text = self.shown(&text.collect::<Vec<_>>().join("\n"));
                self.code_text(&text, scope);
            }
            DirectiveKind::Image => self.text(parts.option("alt").unwrap_or_default(), inner),
            DirectiveKind::Figure => self.figure(parts, inner),
            DirectiveKind::Table => {
                self.caption(&self.source(parts.arguments), scope);
                self.blocks(parts.content, inner);
            }
            DirectiveKind::CsvTable => {
                self.caption(&self.source(parts.arguments), scope);
                self.csv_table(parts, scope);
            }
            DirectiveKind::ListTable => {
                self.caption(&self.source(parts.arguments), scope);
                self.list_table(parts, inner);
            }
            DirectiveKind::Admonition(label) => {
                self.text(label, scope);
                self.admonition(parts, inner);
            }
            DirectiveKind::Rubric => self.rubric(&self.source(parts.arguments), scope),
            DirectiveKind::Quotation => {
                let quoted = scope.inside(BlockKind::Quotation);
                self.blocks(parts.arguments, quoted);
                self.blocks(parts.content, quoted);
            }
            DirectiveKind::Raw => self.raw(parts),
            DirectiveKind::Container => self.blocks(parts.content, inner),
            DirectiveKind::Versioned(label) => self.versioned(label, parts, inner),
            DirectiveKind::Signature => {
                self.code(parts.arguments, scope);
                self.blocks(parts.content, inner);
            }
            DirectiveKind::Text => {
                self.text(&self.source(parts.arguments), scope);
                self.blocks(parts.content, inner);
            }
        }
    }

    fn parts(&self, region: Region, at: usize, skip: usize, kind: DirectiveKind) -> Directive {
        let lines = self.lines;
        let body = lines.body(region, at, skip);
        let has_head = !body.is_empty() && body.start <= at + 1;
        let mut head_end = if has_head { lines.block_end(body, body.start) } else { body.start };
        let is_option = |line: &usize| *line > at && field_name(lines.view(body, *line)).is_some();
        let first_option = (body.start..head_end).find(is_option);
        let mut options: Vec<(String, String)> = Vec::new();
        for line in first_option.unwrap_or(head_end)..head_end {
            let view = lines.view(body, line);
            match (field_name(view), options.last_mut()) {
                (Some((name, bytes)), _) => {
                    options.push((name.to_lowercase(), view.get(bytes..).unwrap_or_default().trim().to_owned()));
                }
                (None, Some((_, value))) if view.starts_with(' ') => {
                    value.push('\n');
                    value.push_str(view.trim());
                }
                // The content follows without a blank line.
                _ => {
                    head_end = line;
                    break;
                }
            }
        }
        let mut arguments = body.until(first_option.unwrap_or(head_end));
        // The argument of a code directive is one word on the same line; the lines below are code.
        if kind == DirectiveKind::Code && first_option.is_none() {
            head_end = if body.start == at { at + 1 } else { body.start };
            arguments = body.until(head_end);
        }
        let content = lines.tail(body, head_end.min(body.end));
        Directive { body, arguments, options, content }
    }

    pub(super) fn caption(&mut self, source: &str, scope: Scope) {
        let text = self.shown(source);
        self.flush_prefix(scope);
        if !text.is_empty() {
            self.leaves.push(Leaf::new(BlockKind::Caption, text));
        }
    }

    /// The alternative text of an image, its caption, and the legend below it.
    fn figure(&mut self, parts: &Directive, scope: Scope) {
        self.text(parts.option("alt").unwrap_or_default(), scope);
        let Some(start) = self.lines.text_from(parts.content, parts.content.start) else { return };
        let end = self.lines.block_end(parts.content, start);
        self.blocks(parts.content.until(end), Scope { kind: BlockKind::Caption, ..scope });
        self.blocks(self.lines.tail(parts.content, end), scope);
    }

    /// Adds raw HTML as rendered; raw content for other formats is never visible.
    fn raw(&mut self, parts: &Directive) {
        if self.source(parts.arguments).split_whitespace().any(|format| format.eq_ignore_ascii_case("html")) {
            let (leaves, left_out) = html::fragment(&self.source(parts.content));
            self.left_out += left_out;
            self.leaves.extend(leaves);
        }
    }

    /// Adds the body below the label of an admonition. Without options its arguments are the beginning of its content.
    fn admonition(&mut self, parts: &Directive, scope: Scope) {
        if parts.options.is_empty() {
            self.blocks(parts.body, scope);
        } else {
            self.blocks(parts.arguments, scope);
            self.blocks(parts.content, scope);
        }
    }

    fn versioned(&mut self, label: &str, parts: &Directive, scope: Scope) {
        let arguments = normalize(&self.source(parts.arguments));
        let (version, text) = arguments.split_once(' ').unwrap_or((&arguments, ""));
        self.flush_prefix(scope);
        self.prefix = Some((scope.kind, format!("{label} {version}:")));
        self.text(text, scope);
        self.blocks(parts.content, scope);
        self.flush_prefix(scope);
    }
}
