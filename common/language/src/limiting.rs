//! Words by which a sentence limits what follows it: they exclude, except, forbid, or set a condition. What is announced by such a sentence
//! says something else without it.

use std::sync::LazyLock;

use super::detect::detect;
use super::negation::negations_in;
use super::table::{Row, Table};
use super::tag::Language::*;

const ROWS: [Row<()>; 22] = [
    (
        En,
        (),
        "except excepting exception exceptions excluding excluded exclude excludes exclusion exclusions exempt exempted exemption \
         exemptions unless if only provided_that prohibited prohibits prohibition forbidden forbids forbid banned refuse refused refuses \
         denied deny barred disallowed ineligible unlawful illegal invalid void rejected avoid stop limited other_than instead_of don't \
         subject_to as_long_as so_long_as on_condition lacks lack lacking missing waived outside_the fails failed",
    ),
    (
        De,
        (),
        "außer ausgenommen ausnahme ausnahmen ausnahmslos ausgeschlossen ausschluss ausschlüsse ausschließt abgelehnt wenn falls sofern \
         soweit nur verboten verbot verbote untersagt unzulässig unwirksam ungültig nichtig entfällt entfallen befreit verweigert \
         vermeiden unterlassen es_sei_denn solange vorbehaltlich unter_der_bedingung vorausgesetzt fehlt fehlen",
    ),
    (
        Fr,
        (),
        "sauf excepté exception exceptions exclu exclus exclue exclues exclusion exclusions exclut hormis si seulement interdit interdite \
         interdits interdites interdiction défendu refusé refuse nul nulle illégal exempté exempt exemptés à_moins pourvu_que sous_réserve condition éviter rejeté",
    ),
    (
        Es,
        (),
        "excepto salvo excepción excepciones excluido excluidos excluida excluidas excluye excluyen exclusión exclusiones si solo sólo \
         únicamente prohibido prohibida prohibidos prohibidas prohíbe prohibición negado nulo ilegal exento exentos exentas a_menos siempre_que siempre_y_cuando \
         condición evitar rechazado",
    ),
    (
        It,
        (),
        "eccetto salvo tranne eccezione eccezioni escluso esclusi esclusa escluse esclude esclusione esclusioni se solo soltanto vietato \
         vietata vietati vietate divieto proibito nullo illegale esente esenti purché a_meno condizione evitare respinto",
    ),
    (
        Pt,
        (),
        "exceto salvo exceção exceções excluído excluídos excluída excluídas exclui exclusão exclusões se só somente proibido proibida \
         proibidos proibidas proíbe proibição nulo ilegal isento isentos desde_que contanto_que a_menos condição evitar rejeitado",
    ),
    (
        Nl,
        (),
        "behalve uitgezonderd uitzondering uitzonderingen uitgesloten uitsluiting uitsluitingen uitsluit indien als alleen slechts \
         verboden verbod geweigerd nietig ongeldig vrijgesteld tenzij mits vermijden afgewezen",
    ),
    (
        Pl,
        (),
        "oprócz wyjątkiem wyjątek wyjątki wyłączone wyłączenie wyłączenia wyklucza wykluczone jeżeli jeśli tylko zabronione zabronione_jest \
         zakaz zakazane zakazuje odmowa nieważne zwolnione chyba_że pod_warunkiem unikać odrzucono",
    ),
    (
        Cs,
        (),
        "kromě výjimka výjimky výjimkou vyloučeno vyloučeny vyloučení výluky výluka pokud jestliže pouze jen zakázáno zakázány zákaz \
         zamítnuto neplatné osvobozeno ledaže vyhnout",
    ),
    (
        Sv,
        (),
        "utom undantag undantaget undantagna utesluter uteslutet uteslutna om endast bara förbjudet förbjudna förbud vägras ogiltig \
         befriad såvida undvik avslogs",
    ),
    (
        Da,
        (),
        "undtagen undtagelse undtagelser udelukket udelukker hvis kun forbudt forbud afvist ugyldig fritaget medmindre undgå",
    ),
    (
        Ru,
        (),
        "кроме исключением исключение исключения исключено исключены исключается если только запрещено запрещается запрещены запрет \
         отказано отказывает недействительно освобождены освобождается условии избегать отклонено отклонён",
    ),
    (
        Uk,
        (),
        "крім винятком виняток винятки виключено виключені якщо тільки лише заборонено забороняється заборона відмовлено недійсно \
         звільнені умовою уникати відхилено",
    ),
    (
        Tr,
        (),
        "hariç dışında istisna istisnalar muaf eğer sadece yalnızca yasak yasaktır yasaklanmıştır reddedildi geçersiz şartıyla kaçının",
    ),
    (Ar, (), "إلا باستثناء ما_عدا استثناء استثناءات مستثنى إذا فقط ممنوع محظور يحظر يمنع مرفوض باطل بشرط تجنب"),
    (Hi, (), "सिवाय छोड़कर अपवाद अपवर्जन यदि अगर केवल निषिद्ध वर्जित मना अस्वीकृत अमान्य मुक्त बशर्ते"),
    (Ja, (), "除く 除き 除いて 例外 除外 対象外 場合 限り のみ 禁止 禁じ 拒否 無効 免除 避け"),
    (Ko, (), "제외 예외 경우 만_해당 금지 금지된 거부 무효 면제 한하여 피하"),
    (
        Zh,
        (),
        "除外 除了 除 例外 排除 除非 如果 若 仅 僅 只 只有 禁止 严禁 嚴禁 拒绝 拒絕 无效 無效 免除 避免 不予 条件 條件",
    ),
    (Vi, (), "trừ ngoại_trừ ngoại_lệ loại_trừ nếu chỉ cấm nghiêm_cấm từ_chối vô_hiệu miễn với_điều_kiện tránh"),
    (Th, (), "ยกเว้น เว้นแต่ ข้อยกเว้น หาก ถ้า เฉพาะ ห้าม ปฏิเสธ โมฆะ หลีกเลี่ยง"),
    (
        El,
        (),
        "εκτός εξαίρεση εξαιρέσεις εξαιρούνται αποκλείεται αποκλείονται αν εάν μόνο απαγορεύεται απαγορεύονται απαγόρευση άκυρο εφόσον",
    ),
];

static WORDS: LazyLock<Table<()>> = LazyLock::new(|| Table::new(ROWS));

/// Whether `text` denies, excludes, excepts, forbids or sets a condition.
///
/// ```
/// use precis_language::limiting::limits;
///
/// assert!(limits("What you may not do") && limits("Es gelten folgende Ausnahmen:"));
/// assert!(!limits("What you need"));
/// ```
#[must_use]
pub fn limits(text: &str) -> bool {
    !negations_in(text).is_empty() || !WORDS.find_in(text, detect(text).known).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_excludes_excepts_forbids_or_sets_a_condition_limits() {
        for text in [
            "The insurance does not cover:",
            "The ticket is valid on all ferries except:",
            "Exclusions",
            "You may leave early if",
            "Ausgeschlossen sind:",
            "Die Haftung entfällt, wenn:",
            "Sont exclus de la garantie :",
            "Quedan excluidos:",
            "Sono esclusi:",
            "Não estão cobertos:",
            "Исключения из покрытия:",
            "保険の対象外：",
            "下列情况除外：",
            "يستثنى من التغطية ما عدا:",
        ] {
            assert!(limits(text), "{text}");
        }
        for text in ["The insurance covers:", "Die Versicherung deckt:", "La garantie couvre :", "保険の対象："] {
            assert!(!limits(text), "{text}");
        }
    }
}
