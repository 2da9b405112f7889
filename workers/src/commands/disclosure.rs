//! What a command that continues a report may disclose of it: what its label permits if this user's own command wrote it, and else nothing.

use precis_proto::SessionId;
use precis_proto::privacy::Privacy;
use precis_proto::response::{ReportData, Response};

use super::lane_args::LaneArgs;
use super::{asked, mark};
use crate::cli::terminal;

/// The flag that discloses an earlier question by name.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct PublicQueryArg {
    /// Ask search providers even if the earlier question is confidential, or its report is not yours
    #[arg(long, conflicts_with = "confidential_query")]
    pub public_query: bool,
}

/// The label of an earlier report, as far as it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EarlierLabel {
    privacy: Privacy,
    /// Why the question is confidential, if it is.
    reason: String,
}

impl EarlierLabel {
    /// Returns the label of a report on this machine.
    pub(super) fn of_report(response: &Response) -> Self {
        let said = response.data.as_ref().and_then(|data| data.privacy);
        let elsewhere = said.unwrap_or_default().from_elsewhere();
        match (mark::is_ours(response), said) {
            (Ok(true), Some(privacy)) => Self { privacy, reason: SAID.to_owned() },
            (Ok(_), _) => Self { privacy: elsewhere, reason: UNMARKED.to_owned() },
            (Err(error), _) => {
                let reason = format!("the key with which your reports are marked cannot be used ({error})");
                Self { privacy: elsewhere, reason }
            }
        }
    }

    /// Returns the label of a finished session of a fleet.
    pub(super) fn of_session(session: &SessionId, data: &ReportData) -> Self {
        let asked = asked::recall(session, &data.query);
        let reason = if asked.is_some() { SAID } else { NOT_ASKED_HERE };
        Self { privacy: asked::label(data, asked), reason: reason.to_owned() }
    }

    /// Returns the lanes of a command that continues the report, with the flags that it inherits. A confidential question stays so unless
    /// `--public-query` is given; then a warning gives the reason, unless `quiet`. Files stay public unless the command
    /// `names_files`, which may be others than those of the report.
    pub(super) fn inherit_lanes(
        &self,
        lanes: &LaneArgs,
        loosened: PublicQueryArg,
        names_files: bool,
        quiet: bool,
    ) -> LaneArgs {
        let inherits = self.privacy.confidential_query && !loosened.public_query && !lanes.confidential_query;
        if inherits && !quiet && lanes.providers().next().is_some() {
            let reason = &self.reason;
            terminal::print_warning(&format!(
                "no search provider is asked: {reason}; pass --public-query to ask all the same"
            ));
        }
        LaneArgs {
            confidential_query: lanes.confidential_query || inherits,
            public: lanes.public || (self.privacy.public && !names_files),
            ..lanes.clone()
        }
    }

    /// Returns the label of the new report, which searches `lanes`.
    pub(super) fn passed_on(&self, lanes: &LaneArgs) -> Privacy {
        Privacy { strict_privacy: self.privacy.strict_privacy, ..lanes.privacy() }
    }
}

const SAID: &str = "the earlier question is confidential";
const UNMARKED: &str =
    "the earlier report does not carry your mark, because it is from elsewhere, was changed, or is of an older version";
const NOT_ASKED_HERE: &str =
    "the session was not submitted from here, so nothing shows that its question may be disclosed";

#[cfg(test)]
mod tests {
    use super::*;

    fn earlier(confidential_query: bool, public: bool) -> EarlierLabel {
        let privacy = Privacy { confidential_query, public, strict_privacy: false };
        EarlierLabel { privacy, reason: SAID.to_owned() }
    }

    #[test]
    fn what_is_confidential_stays_so_unless_it_is_loosened_by_name() {
        for (was, confidential_query, public_query, expected) in [
            (false, false, false, false),
            (false, true, false, true),
            (false, false, true, false),
            (true, false, false, true),
            (true, true, false, true),
            (true, false, true, false),
        ] {
            let lanes = LaneArgs { confidential_query, ..LaneArgs::default() };
            let inherited = earlier(was, false).inherit_lanes(&lanes, PublicQueryArg { public_query }, false, true);
            assert_eq!(inherited.confidential_query, expected, "{was} {confidential_query} {public_query}");
        }
    }

    #[test]
    fn files_stay_public_and_further_files_are_public_only_by_name() {
        for (was, given, adds_files, expected) in [
            (false, false, false, false),
            (false, true, true, true),
            (true, false, false, true),
            (true, false, true, false),
            (true, true, true, true),
        ] {
            let lanes = LaneArgs { public: given, ..LaneArgs::default() };
            let inherited = earlier(false, was).inherit_lanes(&lanes, PublicQueryArg::default(), adds_files, true);
            assert_eq!(inherited.public, expected, "{was} {given} {adds_files}");
        }
    }
}
