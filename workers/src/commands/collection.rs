//! `precis collection`: documents that a fleet keeps, so that any number of questions may be asked about them.

mod add;
mod args;
mod look;
mod show;

use precis_proto::CollectionId;
use precis_runtime::clock::Clock;
use precis_runtime::collections::{
    Collection, Created, FileChange, MAX_COLLECTION_NAME_CHARS, MAX_COLLECTIONS, create_collection, remove_collection,
};
use serde_json::json;

use self::args::{AddArgs, CreateArgs, ListArgs, OneArgs, RemoveArgs};
use self::look::{content_failure, find_collection};
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::fleet;

/// Arguments of `precis collection`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  id=$(precis collection create \"Harbour laws\")
  precis collection add $id laws/
  precis collection show $id           # says when it is indexed, and which files cannot be read
  precis submit --query \"Who pays the harbour tax?\" --collection $id --wait

A collection stands until it is removed. Workers index it; a session searches the version it was accepted with.")]
pub struct CollectionCommand {
    /// The subcommand.
    #[command(subcommand)]
    pub what: CollectionWhat,
}

/// The subcommands of `precis collection`.
#[derive(Debug, clap::Subcommand)]
pub enum CollectionWhat {
    /// Make a collection, and print its id
    Create(CreateArgs),
    /// Add files; each takes the place of one with the same name
    Add(AddArgs),
    /// List the collections of a tenant, newest first
    List(ListArgs),
    /// Show a collection: how far it is indexed, and its files
    Show(OneArgs),
    /// Remove a collection, or a file of it
    Remove(RemoveArgs),
}

/// Runs the subcommand.
#[must_use]
pub fn run(what: &CollectionWhat) -> Exit {
    super::finish_as(match what {
        CollectionWhat::Create(args) => create(args),
        CollectionWhat::Add(args) => add::add(args),
        CollectionWhat::List(args) => show::list(args),
        CollectionWhat::Show(args) => show::show(args),
        CollectionWhat::Remove(args) => remove(args),
    })
}

fn create(args: &CreateArgs) -> Result<Exit, CommandFailure> {
    let settings = super::operator_settings(&args.of.config)?;
    let name = args.name.clone().unwrap_or_default();
    if name.chars().count() > MAX_COLLECTION_NAME_CHARS || name.chars().any(char::is_control) {
        let message = format!(
            "the name must have at most {MAX_COLLECTION_NAME_CHARS} characters, none of them a control character"
        );
        return Err(CommandFailure::new(Exit::Usage, "invalid_collection_name", message));
    }
    let wanted = Collection {
        schema_version: 1,
        id: CollectionId::new(format!("{:032x}", rand::random::<u128>())).expect("hexadecimal and short"),
        tenant: args.of.tenant.clone(),
        name,
        created_at: Clock::system().now(),
        token: None,
    };
    let content = fleet::content(&settings)?;
    let made = async { create_collection(&content, &wanted, MAX_COLLECTIONS).await.map_err(|e| content_failure(&e)) };
    match super::block_on(made)? {
        Created::There(made) => {
            let id = made.id;
            terminal::print_as(
                args.of.json,
                &if args.of.json { format!("{}\n", json!({ "id": id })) } else { format!("{id}\n") },
            )?;
            Ok(Exit::Ok)
        }
        Created::TooMany | Created::Taken | Created::Removed => {
            let message = format!("the tenant has {MAX_COLLECTIONS} collections, which is the most there may be");
            Err(CommandFailure::new(Exit::Refused, "too_many_collections", message)
                .with_remedy("remove one with `precis collection remove ID`"))
        }
    }
}

fn remove(args: &RemoveArgs) -> Result<Exit, CommandFailure> {
    let settings = super::operator_settings(&args.of.config)?;
    let Some(name) = &args.file else {
        let content = fleet::content(&settings)?;
        let removing = async {
            let collection = find_collection(&content, args.of.tenant.as_deref(), &args.id).await?;
            remove_collection(&content, &collection).await.map_err(|e| content_failure(&e))
        };
        super::block_on(removing)?;
        terminal::print(&format!("removed {}\n", args.id))?;
        return Ok(Exit::Ok);
    };
    super::block_on(async {
        let caller = super::caller(&settings, "collection").await?;
        let collection = find_collection(&caller.content, args.of.tenant.as_deref(), &args.id).await?;
        let changed = add::change(&caller, &collection, &FileChange::Remove(name.clone())).await;
        caller.broker.close().await;
        match changed? {
            Some((_, true)) => terminal::print(&format!("removed {}\n", terminal::printable(name))),
            _ => {
                let message = format!("the collection has no file `{}`", terminal::printable(name));
                Err(CommandFailure::new(Exit::Refused, "unknown_file", message)
                    .with_remedy(format!("precis collection show {} lists its files", args.id)))
            }
        }
    })?;
    Ok(Exit::Ok)
}
