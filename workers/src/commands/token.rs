//! `precis token`: makes tokens for the HTTP door. Only the hash of a token is ever written down.

use precis_proto::TenantId;
use precis_proto::ids::{hex, sha256_hex};
use serde_json::json;

use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;

/// Random bytes of a token.
const TOKEN_BYTES: usize = 32;
/// How a token begins, so that it is recognized where it does not belong.
const PREFIX: &str = "precis_";

/// Arguments of `precis token`.
#[derive(Debug, clap::Args)]
pub struct TokenCommand {
    /// The subcommand.
    #[command(subcommand)]
    pub what: TokenWhat,
}

/// The subcommands of `precis token`.
#[derive(Debug, clap::Subcommand)]
pub enum TokenWhat {
    /// Make a token: prints it once, with the lines for the configuration of the door
    New(NewTokenArgs),
}

/// Arguments of `precis token new`.
#[derive(Debug, clap::Args)]
pub struct NewTokenArgs {
    /// The name of the token in the configuration
    #[arg(value_name = "NAME")]
    pub name: String,
    /// The tenant whose sessions it sees and whose budget it spends
    #[arg(long, value_name = "TENANT")]
    pub tenant: String,
    /// What it may do
    #[arg(long, value_name = "SCOPE", num_args = 1.., value_delimiter = ',', default_value = "submit,read", value_parser = ["submit", "read", "operate"])]
    pub scopes: Vec<String>,
    /// Print JSON: the token, its hash, tenant and scopes
    #[arg(long)]
    pub json: bool,
}

/// Runs the subcommand.
#[must_use]
pub fn run(what: &TokenWhat) -> Exit {
    match what {
        TokenWhat::New(args) => super::finish(new(args)),
    }
}

fn new(args: &NewTokenArgs) -> Result<(), CommandFailure> {
    let refused = |what: String| CommandFailure::new(Exit::Refused, "invalid_token", what);
    if args.name.is_empty() || args.name.chars().any(char::is_control) {
        return Err(refused("the name of a token must not be empty or have control characters".to_owned()));
    }
    TenantId::new(args.tenant.as_str()).map_err(|e| refused(format!("--tenant: {e}")))?;
    terminal::print_as(args.json, &token_text(args, &new_token()))
}

fn new_token() -> String {
    let bytes: [u8; TOKEN_BYTES] = rand::random();
    format!("{PREFIX}{}", hex(&bytes))
}

fn token_text(args: &NewTokenArgs, token: &str) -> String {
    let hash = sha256_hex(token.as_bytes());
    if args.json {
        let value =
            json!({ "name": args.name, "token": token, "sha256": hash, "tenant": args.tenant, "scopes": args.scopes });
        return format!("{value}\n");
    }
    // JSON strings are TOML strings.
    let (name, tenant, scopes) = (json!(args.name), json!(args.tenant), json!(args.scopes));
    format!(
        "{token}\n\n# The token is shown this once. For the precis.toml of the door:\n[api_tokens.{name}]\nsha256 = \"{hash}\"\ntenant = {tenant}\n\
         scopes = {scopes}\n"
    )
}

#[cfg(test)]
mod tests {
    use precis_runtime::config::{Settings, TokenScope};

    use super::*;

    #[test]
    fn the_printed_configuration_lines_are_settings_without_the_token() {
        let args = |json| NewTokenArgs {
            name: "a \"b\".c".to_owned(),
            tenant: "legal\\1".to_owned(),
            scopes: ["read", "operate"].map(str::to_owned).to_vec(),
            json,
        };
        let token = new_token();
        assert_eq!(token.len(), PREFIX.len() + 2 * TOKEN_BYTES);
        assert_ne!(token, new_token());
        let text = token_text(&args(false), &token);
        let (first, rest) = text.split_once('\n').expect("lines");
        assert_eq!(first, token);
        assert!(!rest.contains(&token));
        let settings: Settings = toml::from_str(rest).expect("settings");
        let known = &settings.door.api_tokens["a \"b\".c"];
        assert_eq!((known.sha256.as_str(), known.tenant.as_str()), (sha256_hex(token.as_bytes()).as_str(), "legal\\1"));
        assert_eq!(known.scopes, [TokenScope::Read, TokenScope::Operate]);
        let json: serde_json::Value = serde_json::from_str(&token_text(&args(true), &token)).expect("JSON");
        assert_eq!(json["sha256"], known.sha256);
    }
}
