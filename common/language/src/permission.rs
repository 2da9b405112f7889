//! Words that allow and words that forbid.

use super::sets::{phrase_sets, word_sets};
use super::tag::Language::{self, *};

word_sets! {
    /// Whether `word` allows something, where nothing denies it.
    allows: [
        (En, "allowed permitted permissible allow allows permit permits may can lawful legal"),
        (De, "erlaubt gestattet zulässig darf dürfen kann können"), (Fr, "autorisé autorisée autorisés autorisées permis permise peut peuvent"),
        (Es, "permitido permitida permitidos permitidas puede pueden"), (It, "consentito consentita permesso permessa può possono"),
        (Pt, "permitido permitida pode podem"), (Nl, "toegestaan mag mogen"), (Pl, "dozwolone dozwolony dozwolona wolno można"),
        (Cs, "povoleno povolen povolena smí"), (Sv, "tillåtet tillåten får"), (Da, "tilladt må"),
        (Ru, "разрешено разрешён разрешена можно"), (Uk, "дозволено дозволений можна"), (Tr, "serbesttir"),
    ];
    /// Whether `word` forbids something by itself.
    forbids: [
        (En, "forbidden prohibited banned disallowed forbid forbids prohibits unlawful illegal impermissible"),
        (De, "verboten untersagt unzulässig"), (Fr, "interdit interdite interdits interdites défendu"),
        (Es, "prohibido prohibida prohibidos prohibidas"), (It, "vietato vietata proibito proibita"),
        (Pt, "proibido proibida vedado"), (Nl, "verboden"), (Pl, "zabronione zabroniony zabroniona wzbronione"),
        (Cs, "zakázáno zakázán zakázána"), (Sv, "förbjudet förbjuden"), (Da, "forbudt"), (Ru, "запрещено запрещён запрещена"),
        (Uk, "заборонено заборонений"), (Tr, "yasaktır yasak"),
    ];
}

phrase_sets! {
    /// Whether `text`, in a script without spaces, allows something, where nothing denies it.
    has_unspaced_permission: [(Zh, "允许 允許 可以 准许 准許"), (Ja, "できます 可能 許可 認められ"), (Th, "อนุญาต")];
    /// Whether `text`, in a script without spaces, forbids something by itself.
    has_unspaced_prohibition: [(Zh, "禁止 严禁 嚴禁"), (Ja, "禁止 禁じられ"), (Th, "ห้าม")];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_forbids_does_not_allow() {
        for (word, is_allowing, is_forbidding) in [
            ("allowed", true, false),
            ("verboten", false, true),
            ("interdit", false, true),
            ("puede", true, false),
            ("open", false, false),
        ] {
            assert_eq!((allows(word), forbids(word)), (is_allowing, is_forbidding), "{word}");
        }
        assert!(
            has_unspaced_permission("可以吸烟")
                && has_unspaced_prohibition("禁止吸烟")
                && !has_unspaced_permission("禁止吸烟")
        );
    }
}
