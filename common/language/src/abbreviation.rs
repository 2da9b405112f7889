//! Abbreviations written with a stop, by what their stop means for the end of a sentence.
//!
//! Chinese, Japanese, Korean and Thai have no row: they write abbreviations without stops, or take the Latin ones.

use super::sets::word_sets;
use super::tag::Language::{self, *};

word_sets! {
    /// Whether the stop of `stem`, in lower case and without it, never ends a sentence.
    is_inner: [
        (
            En,
            "dr mr mrs prof rev gen sen rep gov capt lt col sgt hon st mt messrs vs e.g eg i.e ie cf viz approx incl esp jan feb aug sept oct nov \
            dec dept univ assn",
        ),
        (De, "bzw vgl ggf gem bspw bzgl evtl sog inkl zzgl hrsg geb ehem z.b d.h u.a z.t i.d.r v.a okt dez resp"),
        (Fr, "mme mlle p.ex"), (Es, "sr sra ca"), (It, "dott"), (Pt, "dra"), (Nl, "bijv dhr mevr"),
        (Pl, "np tzn tzw hab inż mgr ul św"),
        (Cs, "např tj ing judr mudr"), (Sv, "t.ex bl.a dvs s.k"), (Da, "f.eks bl.a dvs"),
        (Ru, "например им ул проф акад млн млрд тыс см"),
        (Uk, "напр вул ім"), (El, "βλ δηλ"), (Tr, "doç örn bkz"), (Vi, "tp ts ths gs pgs"), (Hi, "डॉ प्रो पं श्री"),
        (Ar, "د أ"),
    ];
    /// Whether the stop of `stem` may end a sentence: it does if the next word usually opens one.
    is_either: [
        (
            En,
            "inc ltd co corp ms col mm llc al jr bros u.s u.k u.n e.u u.s.a a.m p.m ph.d b.c a.d d.c est ave blvd",
        ),
        (De, "gmbh str mio mrd tel"), (Es, "op"), (Pl, "itd itp"), (Cs, "atd apod"), (Ru, "др пр гг руб"),
        (Uk, "ін грн"), (Sv, "osv m.m"), (Da, "osv m.m"),
    ];
    /// Whether `stem` with its stop belongs to the number behind it.
    goes_before_number: [
        (En, "fig figs no nos nr p pp s art sec sect vol ch chap cap eq eqs par para ed ref refs v al ex stat u.s.c c.f.r reg item t c n"),
        (De, "abb tab abs kap gl bd lit aufl"), (Fr, "pt"), (Es, "núm num pág pag"), (Pl, "ust pkt poz rozdz"),
        (Cs, "čl odst č"),
        (Ru, "ст рис табл стр п пп гл"), (Tr, "md"),
    ];
    /// Whether `word` follows an ordinal, as in `19. Jahrhundert`.
    follows_ordinal: [
        (
            De,
            "januar februar märz april mai juni juli august september oktober november dezember jahrhundert jh auflage kapitel lebensjahr klasse \
            platz mal stock quartal weltkrieg band teil tag woche jahr person",
        ),
    ];
    /// Whether `word` precedes an ordinal, as in `am 30. Mai`: the next word is a noun, so its capital opens no sentence.
    goes_before_ordinal: [(De, "am im zum vom beim der die das den dem des zur bis seit ab jeder jeden jedem")];
    /// Whether `content`, found in brackets, marks a reference besides numbers and single letters.
    marks_reference: [(En, "note notes n p pp citation_needed sic ref refs fn")];
}
