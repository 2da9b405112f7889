//! Which document of a folder the target of a link means.
//!
//! A folder is often the source of a site: `../deploy/#roll`, `/handbook/deploy.html` and `https://site.example/handbook/deploy` all mean
//! `handbook/deploy.md`. A target is only compared with the paths of the folder: it never becomes a path to open, or an address to fetch.

use std::collections::HashMap;

use percent_encoding::percent_decode_str;

/// Fewest parts of a path that the address of a page must share with a document: one name is that of a page of many sites.
const SHARED_PARTS: usize = 2;
/// Files that are the page of their folder, as [`plain`] writes them.
const FOLDER_PAGES: [&str; 3] = ["index", "-index", "readme"];

/// The documents of a folder by the last part of their pages.
#[derive(Debug, Default)]
pub(crate) struct PagePaths {
    pages: Vec<Vec<String>>,
    by_last: HashMap<String, Vec<u32>>,
}

/// What a target means.
enum Target<'t> {
    /// The path of a page of some site.
    Address(&'t str),
    /// A path from the top of the site.
    Top(&'t str),
    /// A path from the linking document, or the name of a page.
    Relative(&'t str),
}

impl PagePaths {
    /// The pages of the documents at these paths.
    pub(crate) fn new<'p>(documents: impl Iterator<Item = &'p str>) -> Self {
        let mut paths = Self::default();
        for (at, path) in (0_u32..).zip(documents) {
            let page = page_of(path);
            paths.by_last.entry(page.last().cloned().unwrap_or_default()).or_default().push(at);
            paths.pages.push(page);
        }
        paths
    }

    /// The position of the document that `target` means in the document at `from`; `None` if it means none of them, several, or `from`.
    pub(crate) fn resolve(&self, from: u32, from_path: &str, target: &str) -> Option<u32> {
        let end = target.find(['#', '?']).unwrap_or(target.len());
        let target = percent_decode_str(&target[..end]).decode_utf8_lossy();
        let found = match kind(&target) {
            Target::Address(path) => self.by_tail(&page_of(path), SHARED_PARTS),
            Target::Top(path) => self.by_tail(&page_of(path), 1),
            Target::Relative("") => None,
            Target::Relative(path) => {
                let folder = from_path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let stem = from_path.rsplit_once('.').map_or(from_path, |(stem, _)| stem);
                // Where a site shows each page as a folder, a link is relative to that folder.
                let joined = [folder, stem].into_iter().filter_map(|base| self.page(&page_of(&join(base, path)?)));
                let is_name = !path.contains('/');
                joined.into_iter().next().or_else(|| is_name.then(|| self.by_tail(&page_of(path), 1))?)
            }
        };
        found.filter(|found| *found != from)
    }

    fn sharing_last(&self, page: &[String]) -> &[u32] {
        page.last().and_then(|last| self.by_last.get(last)).map_or(&[], Vec::as_slice)
    }

    fn page(&self, page: &[String]) -> Option<u32> {
        let mut same = self.sharing_last(page).iter().filter(|at| self.pages[**at as usize] == page);
        same.next().copied().filter(|_| same.next().is_none())
    }

    /// The only document of which the page ends as `page` does, over the whole length of one of the two, and at least `least` parts.
    fn by_tail(&self, page: &[String], least: usize) -> Option<u32> {
        let exact = self.page(page).filter(|_| page.len() >= least);
        let is_tail = |at: &&u32| {
            let own = &self.pages[**at as usize];
            let shared = own.len().min(page.len());
            shared >= least && own.ends_with(&page[page.len() - shared..])
        };
        let mut found = self.sharing_last(page).iter().filter(is_tail);
        exact.or_else(|| found.next().copied().filter(|_| found.next().is_none()))
    }
}

fn kind(target: &str) -> Target<'_> {
    let address = target.split_once("://").map(|(_, rest)| rest).or_else(|| target.strip_prefix("//"));
    match (address, target.strip_prefix('/')) {
        (Some(address), _) => Target::Address(address.split_once('/').map_or("", |(_, path)| path)),
        (None, Some(path)) => Target::Top(path),
        (None, None) => Target::Relative(target),
    }
}

/// The parts of the path of the page that the file at `path` is shown as: without its extension, in small letters, spaces and underscores as
/// hyphens; the page of a folder is the folder.
fn page_of(path: &str) -> Vec<String> {
    let mut parts: Vec<String> = path.split('/').filter(|part| !part.is_empty() && *part != ".").map(plain).collect();
    if let Some(last) = parts.last_mut().filter(|_| !path.ends_with('/')) {
        let is_extension = |ending: &str| !ending.is_empty() && ending.len() <= 8 && !ending.contains('-');
        if let Some(stem) = last.rsplit_once('.').filter(|(stem, ending)| !stem.is_empty() && is_extension(ending)) {
            *last = stem.0.to_owned();
        }
    }
    if parts.len() > 1 && parts.last().is_some_and(|last| FOLDER_PAGES.contains(&last.as_str())) {
        parts.pop();
    }
    parts
}

fn plain(part: &str) -> String {
    part.trim().to_lowercase().replace([' ', '_'], "-")
}

/// `path` seen from the folder `base`; `None` if it leads out of the top folder.
fn join(base: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    let mut joined = parts.join("/");
    joined.push_str(if path.ends_with('/') { "/" } else { "" });
    Some(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paths that `targets` mean in the document at `from`.
    fn meant(paths: &[&str], from: &str, targets: &[&str]) -> Vec<String> {
        let pages = PagePaths::new(paths.iter().copied());
        let at = paths.iter().position(|path| *path == from).expect("a path") as u32;
        let path = |found: Option<u32>| found.map_or("-", |found| paths[found as usize]).to_owned();
        targets.iter().map(|target| path(pages.resolve(at, from, target))).collect()
    }

    const HANDBOOK: [&str; 7] = [
        "handbook/index.md",
        "handbook/on-call.md",
        "handbook/Team Names.md",
        "handbook/deploy/_index.md",
        "handbook/deploy/roll_back.md",
        "legal/deploy/README.md",
        "legal/terms.md",
    ];

    #[test]
    fn a_target_means_the_document_that_a_site_shows_there() {
        for (target, want) in [
            ("deploy/roll_back.md", "handbook/deploy/roll_back.md"),
            ("./deploy/roll-back.html#steps", "handbook/deploy/roll_back.md"),
            ("deploy/roll_back", "handbook/deploy/roll_back.md"),
            ("deploy/", "handbook/deploy/_index.md"),
            ("deploy/index.md?a=b", "handbook/deploy/_index.md"),
            ("../legal/terms", "legal/terms.md"),
            ("..%2Flegal/terms.md", "legal/terms.md"),
            ("Team%20Names", "handbook/Team Names.md"),
            // A page shown as a folder.
            ("../deploy/", "handbook/deploy/_index.md"),
            ("../", "handbook/index.md"),
            ("/handbook/deploy/", "handbook/deploy/_index.md"),
            ("/terms", "legal/terms.md"),
            ("terms", "legal/terms.md"),
            ("https://site.example/handbook/team-names.html", "handbook/Team Names.md"),
            ("//site.example/docs/legal/terms", "legal/terms.md"),
            // One name is that of a page of many sites, two documents are called so, and this one is itself.
            ("https://site.example/terms", "-"),
            ("deploy", "handbook/deploy/_index.md"),
            ("/deploy", "-"),
            ("on-call.md", "-"),
            ("../../../legal/terms.md", "-"),
            ("gone.md", "-"),
            ("", "-"),
            ("/", "-"),
        ] {
            assert_eq!(meant(&HANDBOOK, "handbook/on-call.md", &[target]), [want], "{target}");
        }
    }

    #[test]
    fn the_folder_may_be_above_or_below_the_top_of_the_site() {
        let below = ["deploy/steps.md", "deploy/terms.md"];
        let target = "https://site.example/handbook/deploy/terms/";
        assert_eq!(meant(&below, "deploy/steps.md", &[target, "/handbook/deploy/terms"]), ["deploy/terms.md"; 2]);
        let above = ["src/site/deploy/steps.md", "src/site/deploy/terms.md"];
        assert_eq!(meant(&above, above[0], &["https://site.example/deploy/terms", "/deploy/terms"]), [above[1]; 2]);
    }
}
