//! The tools: their names, what they say of themselves, and the forms of what goes in and out.

use precis_proto::closed_words;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::answers::{CollectionsAnswer, DocumentAnswer, EvidenceAnswer, SessionAnswer, VerdictAnswer};
use super::arguments::{
    AskArguments, CollectionsArguments, EvidenceArguments, ExtractArguments, ReportArguments, ResearchArguments,
    VerifyArguments,
};

closed_words! {
    /// A tool.
    pub(super) enum Tool {
        Research => "research",
        Ask => "ask",
        GetReport => "get_report",
        Verify => "verify",
        SearchEvidence => "search_evidence",
        Extract => "extract",
        ListCollections => "list_collections",
    }
}

impl Tool {
    fn title(self) -> &'static str {
        match self {
            Self::Research => "Research a question in folders",
            Self::Ask => "Answer a question from documents",
            Self::GetReport => "Get the report of a session",
            Self::Verify => "Verify a report",
            Self::SearchEvidence => "Find passages",
            Self::Extract => "Read a document",
            Self::ListCollections => "List collections of documents",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Research => {
                "Searches folders or collections for the documents that bear on a question, reads the best of them, and writes a short report in which \
                 every statement has a quote. For many documents. Returns the report, or a session to pass to get_report."
            }
            Self::Ask => {
                "Reads the given documents or collections, or all folders that this server may read, and writes a short report that answers the question, in \
                 which every statement has a quote. For up to a few dozen documents, and for follow-up questions. Returns the report, or \
                 a session to pass to get_report."
            }
            Self::GetReport => {
                "Returns how a session stands, and its report once it has ended. Waits a while for it. Sessions outlive this server: one \
                 of an earlier run can be asked for too."
            }
            Self::Verify => {
                "Checks a finished report against the texts that were read: every quote word for word at its place, every hash, citation \
                 and sum. Call it before relying on a report."
            }
            Self::SearchEvidence => {
                "Finds the passages of folders or collections that match a question, best first, each with its document and place. Writes no report."
            }
            Self::Extract => {
                "Returns the text of one document, such as a PDF, as sessions read it and quote from it, in parts."
            }
            Self::ListCollections => {
                "Lists the collections of documents that this server keeps, newest first, with the ids that `research`, `ask` and \
                 `search_evidence` take. There may be none."
            }
        }
    }

    /// Whether it opens a session; the others change nothing.
    fn opens_session(self) -> bool {
        matches!(self, Self::Research | Self::Ask)
    }

    fn schemas(self) -> (Value, Value) {
        match self {
            Self::Research => (schema::<ResearchArguments>(), schema::<SessionAnswer>()),
            Self::Ask => (schema::<AskArguments>(), schema::<SessionAnswer>()),
            Self::GetReport => (schema::<ReportArguments>(), schema::<SessionAnswer>()),
            Self::Verify => (schema::<VerifyArguments>(), schema::<VerdictAnswer>()),
            Self::SearchEvidence => (schema::<EvidenceArguments>(), schema::<EvidenceAnswer>()),
            Self::Extract => (schema::<ExtractArguments>(), schema::<DocumentAnswer>()),
            Self::ListCollections => (schema::<CollectionsArguments>(), schema::<CollectionsAnswer>()),
        }
    }

    /// Returns the tool as a client lists it. `has_web` is whether it may reach others than this machine.
    fn listing(self, has_web: bool) -> Value {
        let (input, output) = self.schemas();
        json!({
            "name": self.as_str(),
            "title": self.title(),
            "description": self.description(),
            "inputSchema": input,
            "outputSchema": output,
            "annotations": {
                "readOnlyHint": !self.opens_session(),
                "destructiveHint": false,
                "idempotentHint": !self.opens_session(),
                "openWorldHint": has_web && self == Self::Research,
            },
        })
    }
}

/// Returns the result of `tools/list`.
pub(super) fn list(has_web: bool) -> Value {
    json!({ "tools": Tool::ALL.map(|tool| tool.listing(has_web)) })
}

/// The JSON Schema of `T`, whole in itself.
fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema.to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_listed_with_input_and_output_schemas() {
        let listed = list(false);
        let tools = listed["tools"].as_array().expect("a list");
        assert_eq!(tools.len(), Tool::ALL.len());
        for (tool, listed) in Tool::ALL.into_iter().zip(tools) {
            assert_eq!((tool.as_str().parse(), &listed["name"]), (Ok(tool), &tool.as_str().into()));
            for form in ["inputSchema", "outputSchema"] {
                assert_eq!(listed[form]["type"], "object", "{} {form}", tool);
                assert!(!listed[form].to_string().contains("$ref"), "clients do not follow references");
            }
            assert_eq!(listed["inputSchema"]["additionalProperties"], false, "{}", tool);
            assert_eq!(listed["annotations"]["openWorldHint"], false);
        }
        assert!("Ask".parse::<Tool>().is_err());
        assert_eq!(list(true)["tools"][0]["annotations"]["openWorldHint"], true);
    }
}
