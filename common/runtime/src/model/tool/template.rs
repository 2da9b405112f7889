//! Arguments that run the known tools non-interactively, without tools of their own and without permission to change anything.
//!
//! The prompt contains untrusted text, so each template disables everything beyond answering, as far as the tool has options for it.
//! Options change between versions of a tool: a configured `args` replaces the whole list.

/// Prefix of a tool in a chain: `[cli]claude:haiku`.
pub const PREFIX: &str = "[cli]";

/// Program and arguments of a tool; `{model}` is the placeholder of the model's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Template {
    /// Its name in chains, after [`PREFIX`]; also the program.
    pub name: &'static str,
    /// Its arguments.
    pub args: &'static [&'static str],
}

/// The known tools, by name.
pub const TEMPLATES: [Template; 5] = [
    Template {
        name: "claude",
        args: &["--print", "--model", "{model}", "--output-format", "json", "--tools", "", "--strict-mcp-config"],
    },
    Template {
        name: "codex",
        args: &["exec", "--model", "{model}", "--sandbox", "read-only", "--skip-git-repo-check", "-"],
    },
    Template {
        name: "cursor-agent",
        args: &["--print", "--mode", "ask", "--trust", "--model", "{model}", "--output-format", "json"],
    },
    Template { name: "gemini", args: &["--model", "{model}", "--output-format", "json", "--extensions", "none"] },
    Template { name: "opencode", args: &["run", "--agent", "plan", "--model", "{model}"] },
];

/// Returns the template of the tool called `name`, with or without [`PREFIX`].
#[must_use]
pub fn of(name: &str) -> Option<Template> {
    let bare = name.strip_prefix(PREFIX).unwrap_or(name);
    TEMPLATES.into_iter().find(|t| t.name == bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_tool_is_given_its_model_but_no_prompt_argument() {
        for name in ["claude", "gemini", "codex", "cursor-agent", "opencode"] {
            let template = of(&format!("[cli]{name}")).expect("is known");
            assert_eq!(Some(template), of(name));
            assert_eq!(template.args.iter().filter(|arg| arg.contains("{model}")).count(), 1, "{name}");
        }
        assert_eq!(of("[cli]bash"), None);
    }
}
