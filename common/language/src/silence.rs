//! Words for what a report is made from, by which a sentence says that nothing is said: `the sources do not tell`.

use super::sets::word_sets;
use super::tag::Language::{self, *};

word_sets! {
    /// Whether `word` names the documents of a report as such.
    is_document_word: [
        (En, "document documents source sources passage passages finding findings text texts material excerpts"),
        (De, "dokument dokumente dokumenten unterlagen quelle quellen textstellen material auszüge auszügen"),
        (Fr, "document documents source sources passages extraits textes"),
        (Es, "documento documentos fuente fuentes pasajes textos"), (It, "documento documenti fonte fonti testi"),
        (Pt, "documento documentos fonte fontes textos"), (Nl, "document documenten bron bronnen teksten"),
        (Pl, "dokument dokumenty dokumentach źródła źródłach"), (Cs, "dokument dokumenty dokumentech zdroje zdrojích"),
        (Sv, "dokument dokumenten källa källor källorna"), (Da, "dokument dokumenter dokumenterne kilde kilder kilderne"),
        (Ru, "документ документы документах источник источники источниках"),
        (Uk, "документ документи документах джерела джерелах"), (Tr, "belge belgeler belgelerde kaynak kaynaklar kaynaklarda"),
        (El, "έγγραφο έγγραφα πηγή πηγές"), (Ar, "الوثائق المصادر"), (Hi, "दस्तावेज़ स्रोत"), (Ko, "문서 문서는 자료 출처"),
        (Vi, "tài_liệu nguồn"),
    ];
}

/// Whether an unspaced `sentence` names the documents of a report.
pub fn unspaced_document(sentence: &str) -> bool {
    ["文档", "文件", "文書", "資料", "资料", "来源", "出典", "เอกสาร"].iter().any(|word| sentence.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_named_in_every_language() {
        for word in ["documents", "quellen", "sources", "fuentes", "källorna", "źródłach"] {
            assert!(is_document_word(word), "{word}");
        }
        assert!(!is_document_word("contract") && unspaced_document("文档没有说明") && !unspaced_document("费用"));
    }
}
