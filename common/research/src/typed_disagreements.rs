//! Disagreements of a report as recorded in its research: with the subject, and the documents that give each value.

use precis_evidence::compared::told_disagreements;
use precis_proto::research::{DifferingValue, TypedDisagreement};
use precis_proto::response::{Citation, ReportData};

/// The disagreements between quotes of `data`, in the order of their first citation. A document is listed once per value, with its first
/// quote.
pub fn typed_disagreements(data: &ReportData) -> Vec<TypedDisagreement> {
    let typed = told_disagreements(&data.query, &data.citations).into_iter().map(|told| {
        let mut values: Vec<DifferingValue> = Vec::new();
        for given in &told.disagreement.values {
            let own = values.len();
            for citation in data.citations.iter().filter(|citation| given.citations.contains(&citation.n)) {
                let document = document(data, citation);
                if !values[own..].iter().any(|value| value.document == document) {
                    values.push(DifferingValue { value: given.value.clone(), document, quote: Some(citation.n) });
                }
            }
        }
        TypedDisagreement {
            subject: told.subject,
            attribute: told.disagreement.unit,
            kind: told.disagreement.kind,
            values,
        }
    });
    typed.collect()
}

/// Path or address of the document that a quote is from; the source id if it has neither.
fn document(data: &ReportData, citation: &Citation) -> String {
    let row = data.sources.iter().find(|row| row.source_id == citation.source_id);
    let place = row.and_then(|row| row.path.clone().or_else(|| row.url.clone()));
    place.or_else(|| citation.url.clone()).unwrap_or_else(|| citation.source_id.to_string())
}
