//! Questions for an overview of documents, rather than for a fact in them.

use super::sets::phrase_sets;
use super::tag::Language::{self, *};

phrase_sets! {
    /// Whether `question`, in lower case, asks for an overview.
    asks_for_overview: [
        (
            En,
            "summarize summarise give_a_summary a_summary_of an_overview overview_of main_points key_points main_topics main_themes main_risks \
            main_results main_findings key_findings key_results key_risks main_messages key_takeaways main_conclusions what_is_this_about \
            what_are_these_documents_about what_do_these_documents_say what_do_the_documents_say main_ideas",
        ),
        (
            De,
            "fasse_zusammen zusammenfassung fass_zusammen überblick wichtigsten_ergebnisse wichtigsten_punkte wichtigsten_risiken hauptpunkte \
            wichtigsten_themen kernaussagen worum_geht_es wesentlichen_ergebnisse",
        ),
        (
            Fr,
            "résume résumez résumé_d vue_d'ensemble vue_d’ensemble points_principaux principaux_points principaux_résultats principaux_risques \
            points_clés principales_conclusions de_quoi_parlent",
        ),
        (Es, "resume_los resuma resumen_de puntos_principales principales_puntos principales_resultados principales_riesgos de_qué_tratan panorama_general"),
        (It, "riassumi riassunto_d punti_principali principali_risultati principali_rischi panoramica di_cosa_parlano"),
        (Pt, "resuma resumo_d pontos_principais principais_pontos principais_resultados principais_riscos visão_geral"),
        (Nl, "vat_samen samenvatting_van overzicht_van belangrijkste_punten belangrijkste_resultaten belangrijkste_risico"),
        (Zh, "总结 總結 概括 概述 主要内容 主要內容 主要观点 主要结果 主要风险 要点"), (Ja, "要約 概要 主な内容 主な結果 主なリスク まとめて"),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overview_question_differs_from_a_factual_one() {
        for (question, want) in [
            ("what are the main risks and results?", true),
            ("summarize the documents", true),
            ("give me an overview of the project", true),
            ("was sind die wichtigsten ergebnisse?", true),
            ("quels sont les principaux risques ?", true),
            ("请总结这些文件", true),
            ("what is the main entrance?", false),
            ("who wrote the summary?", false),
            ("how high is the risk?", false),
        ] {
            assert_eq!(asks_for_overview(question), want, "{question}");
        }
    }
}
