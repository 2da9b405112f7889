//! `precis collection list` and `show`.

use precis_runtime::collections::{
    Collection, CollectionIndex, CollectionVersion, index_before, index_of, latest_version, list_collections,
};
use precis_runtime::content::ContentStore;
use serde_json::{Value, json};

use super::args::{ListArgs, OneArgs};
use super::look::{content_failure, find_collection};
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::numbers::group_digits;
use crate::cli::terminal;
use crate::fleet;

/// Collections read at once.
const PAGE: usize = 100;

/// What there is of a collection.
struct Shown {
    collection: Collection,
    latest: Option<CollectionVersion>,
    /// The index of the newest version that is indexed.
    index: Option<CollectionIndex>,
}

/// Lists collections.
pub(super) fn list(args: &ListArgs) -> Result<Exit, CommandFailure> {
    let settings = crate::commands::operator_settings(&args.of.config)?;
    let content = fleet::content(&settings)?;
    crate::commands::block_on(async {
        let (mut place, mut count) = (None, 0);
        loop {
            let page = list_collections(&content, args.of.tenant.as_deref(), place.as_deref(), PAGE).await;
            let page = page.map_err(|e| content_failure(&e))?;
            for collection in page.collections {
                let shown = looked_at(&content, collection).await?;
                count += 1;
                let json = || format!("{}\n", shown.json(false));
                terminal::print_as(args.of.json, &if args.of.json { json() } else { shown.line() })?;
            }
            place = page.next;
            if place.is_none() {
                break;
            }
        }
        if count == 0 && !args.of.json { terminal::print("no collections\n") } else { Ok(()) }
    })?;
    Ok(Exit::Ok)
}

/// Shows a collection.
pub(super) fn show(args: &OneArgs) -> Result<Exit, CommandFailure> {
    let settings = crate::commands::operator_settings(&args.of.config)?;
    let content = fleet::content(&settings)?;
    crate::commands::block_on(async {
        let collection = find_collection(&content, args.of.tenant.as_deref(), &args.id).await?;
        let shown = looked_at(&content, collection).await?;
        let text = if args.of.json { format!("{}\n", shown.json(true)) } else { shown.text() };
        terminal::print_as(args.of.json, &text)
    })?;
    Ok(Exit::Ok)
}

async fn looked_at(content: &ContentStore, collection: Collection) -> Result<Shown, CommandFailure> {
    let id = &collection.id;
    let latest = latest_version(content, id).await.map_err(|e| content_failure(&e))?;
    let index = match &latest {
        None => None,
        Some(latest) => match index_of(content, id, latest.version).await.map_err(|e| content_failure(&e))? {
            Some(index) => Some(index),
            None => index_before(content, id, latest.version).await.map_err(|e| content_failure(&e))?,
        },
    };
    Ok(Shown { collection, latest, index })
}

impl Shown {
    fn version(&self) -> u64 {
        self.latest.as_ref().map_or(0, |latest| latest.version)
    }

    fn is_indexed(&self) -> bool {
        self.index.as_ref().is_some_and(|index| index.version == self.version())
    }

    /// How far it is, in words.
    fn state(&self) -> String {
        match (&self.latest, &self.index) {
            (None, _) => "no files".to_owned(),
            (Some(_), Some(index)) if self.is_indexed() => {
                let documents = group_digits(index.documents);
                format!("indexed, {documents} documents, {} not readable", group_digits(index.unread.len() as u64))
            }
            (Some(_), Some(index)) => format!("waits to be indexed; version {} is", index.version),
            (Some(_), None) => "waits to be indexed".to_owned(),
        }
    }

    fn line(&self) -> String {
        let files = self.latest.as_ref().map_or(0, |latest| latest.files.len() as u64);
        let name = terminal::printable(&self.collection.name);
        let (id, version, state) = (&self.collection.id, self.version(), self.state());
        format!("{id}  version {version}  {} files  {state}  {name}\n", group_digits(files))
    }

    fn text(&self) -> String {
        let mut text = self.line();
        let indexed = self.index.as_ref().filter(|_| self.is_indexed());
        for file in self.latest.iter().flat_map(|latest| &latest.files) {
            let fault = indexed.and_then(|index| index.unread.iter().find(|one| one.name == file.name));
            let state = match (indexed, fault) {
                (_, Some(fault)) => format!("not read: {}", terminal::printable(&fault.message)),
                (Some(_), None) => "indexed".to_owned(),
                (None, None) => "waits".to_owned(),
            };
            text.push_str(&format!(
                "  {}  {} bytes  {state}\n",
                terminal::printable(&file.name),
                group_digits(file.bytes)
            ));
        }
        text
    }

    fn json(&self, with_files: bool) -> Value {
        let mut value = json!({
            "id": self.collection.id,
            "name": self.collection.name,
            "created_at": self.collection.created_at,
            "version": self.version(),
            "is_indexed": self.is_indexed(),
            "indexed_version": self.index.as_ref().map(|index| index.version),
            "documents": self.index.as_ref().map(|index| index.documents),
        });
        if with_files {
            value["files"] =
                json!(self.latest.as_ref().map(|latest| &latest.files).into_iter().flatten().collect::<Vec<_>>());
            let unread = self.index.as_ref().filter(|_| self.is_indexed()).map(|index| &index.unread);
            value["unread"] = json!(unread.into_iter().flatten().collect::<Vec<_>>());
        }
        value
    }
}
