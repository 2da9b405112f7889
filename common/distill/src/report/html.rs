//! `report.html`: one file that needs nothing else, neither a script nor the network.
//!
//! Every text goes through the template's escaping, except the report's body, which [`super::body`] makes safe. What may be
//! clicked is a place in the page itself, an http(s) address of a source, which is shown and never fetched, or an archived text
//! that lies beside the page.

mod compared;
mod quotes;
mod usage;
mod view;

use std::collections::BTreeMap;

use askama::Template;
use precis_proto::response::ReportData;
use precis_proto::warning::Warning;

use super::context::QuoteContext;

/// The report as one HTML page.
///
/// `contexts` gives the text around each citation by its number; a citation without one shows its quote alone. `warnings`
/// are those to tell the reader, as a rule `data.warning_details`. `archived` gives the address of each archived text, relative to
/// the page, by the 64 digits of its hash; a text without one is not linked.
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
