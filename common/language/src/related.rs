//! Labels above links to other articles: "Read also", "Mehr zum Thema".

use super::sets::phrase_sets;
use super::tag::Language::{self, *};

phrase_sets! {
    /// Whether `label`, in lower case, announces links to other articles.
    announces_related: [
        (
            En,
            "related_articles related_stories related_posts related_content related_topics related_news read_also also_read see_also more_on_this \
            you_may_also_like you_might_also_like recommended_for_you most_read most_popular read_next read_more_about",
        ),
        (
            De,
            "lesen_sie_auch auch_lesen mehr_zum_thema das_könnte_sie das_könnte_dich auch_interessant weitere_artikel weitere_beiträge \
            ähnliche_artikel ähnliche_beiträge verwandte_beiträge verwandte_artikel beiträge_zum_thema mehr_themen meistgelesen siehe_auch \
            zum_weiterlesen lesen_sie_hier_einen",
        ),
        (Fr, "lire_aussi sur_le_même_sujet dans_la_même_rubrique articles_liés voir_aussi articles_similaires"),
        (Es, "te_puede_interesar lea_también lee_también noticias_relacionadas ver_también artículos_relacionados"),
        (It, "leggi_anche potrebbe_interessarti articoli_correlati"), (Pt, "veja_também leia_também notícias_relacionadas artigos_relacionados"),
        (Nl, "lees_ook gerelateerde_artikelen"),
        (Pl, "czytaj_też czytaj_także zobacz_też zobacz_także przeczytaj_też przeczytaj_także powiązane_artykuły"),
        (Cs, "čtěte_také související_články"), (Sv, "läs_också relaterade_artiklar"), (Da, "læs_også relaterede_artikler"),
        (Ru, "читайте_также смотрите_также похожие_статьи"), (Uk, "читайте_також дивіться_також"),
        (Tr, "ilgili_haberler ayrıca_bakınız"), (Zh, "相关阅读 相关新闻 相关文章 延伸阅读 热门推荐 推荐阅读"),
        (Ja, "関連記事 あわせて読みたい おすすめ記事"), (Ko, "관련_기사 관련_뉴스"), (Ar, "اقرأ_أيضا مواضيع_ذات_صلة"),
        (El, "διαβάστε_επίσης σχετικά_άρθρα δείτε_επίσης"), (Vi, "xem_thêm tin_liên_quan bài_viết_liên_quan"),
        (Hi, "यह_भी_पढ़ें संबंधित_खबरें"), (Th, "ข่าวที่เกี่ยวข้อง อ่านเพิ่มเติม"),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_other_articles_are_recognized_in_each_language() {
        for label in ["related articles", "lesen sie auch:", "veja também:", "czytaj też", "関連記事"] {
            assert!(announces_related(label), "{label}");
        }
        assert!(!announces_related("relations of articles"));
    }
}
