//! `report.html`: one self-contained file without scripts or network access.
//!
//! Every text goes through the template's escaping, except the report's body, which [`super::body`] sanitizes. The only links
//! lead to a place in the page itself, to the http(s) address of a source (shown, never fetched), or to an archived text stored next
//! to the page.

mod compared;
mod quotes;
mod usage;
mod view;

use std::collections::BTreeMap;

use askama::Template;
use precis_proto::response::ReportData;
use precis_proto::warning::Warning;

use super::context::QuoteContext;

/// Renders the report as one HTML page.
///
/// `contexts` gives the text around each citation by its number; a citation without one shows its quote alone. `warnings`
/// are those to show, usually `data.warning_details`. `archived` gives the address of each archived text, relative to the page, by
/// the 64 hex digits of its hash; a text without one is not linked.
#[must_use]
pub fn render(
    data: &ReportData,
    warnings: &[Warning],
    contexts: &BTreeMap<u32, QuoteContext>,
    archived: &BTreeMap<String, String>,
) -> String {
    view::ReportPage::new(data, warnings, contexts, archived)
        .render()
        .expect("a string takes whatever is written to it")
}

#[cfg(test)]
mod tests;
