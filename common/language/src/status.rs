//! Words for the status of a document or a rule: draft, accepted, in force, repealed.

use std::sync::LazyLock;

use super::sets::word_sets;
use super::table::Table;
use super::tag::Language::{self, *};

/// A status; words of one mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "a status is described by its name")]
pub enum StatusClass {
    Draft,
    Proposed,
    Provisional,
    Deferred,
    Accepted,
    Active,
    Final,
    InForce,
    Rejected,
    Withdrawn,
    Superseded,
    Repealed,
    Expired,
    Terminated,
    Deprecated,
}

use StatusClass::{
    Accepted, Active, Deferred, Deprecated, Draft, Expired, Final, InForce, Proposed, Provisional, Rejected, Repealed,
    Superseded, Terminated, Withdrawn,
};

/// The order in which each row of [`WORDS`] gives the statuses.
const IN_ORDER: [StatusClass; 15] = [
    Draft,
    Proposed,
    Provisional,
    Deferred,
    Accepted,
    Active,
    Final,
    InForce,
    Rejected,
    Withdrawn,
    Superseded,
    Repealed,
    Expired,
    Terminated,
    Deprecated,
];

/// The words of each status in each language, in lower case, statuses apart by `;` in the order of [`IN_ORDER`].
const WORDS: [(Language, &str); 22] = [
    (
        En,
        "draft; proposed; provisional; deferred pending open; accepted approved; active; final; in_force valid; rejected; withdrawn; \
        superseded replaced obsolete obsoleted; repealed revoked rescinded; expired; terminated closed; deprecated",
    ),
    (
        De,
        "entwurf; vorgeschlagen; vorläufig; zurückgestellt ausstehend offen; angenommen genehmigt; aktiv; endgültig; in_kraft gültig; abgelehnt; \
        zurückgezogen; ersetzt abgelöst; aufgehoben außer_kraft; abgelaufen; gekündigt beendet geschlossen; veraltet",
    ),
    (
        Fr,
        "brouillon projet; proposé; provisoire; ; accepté acceptée approuvé; actif; définitif; en_vigueur valable; rejeté rejetée; retiré retirée; \
        remplacé; abrogé abrogée; expiré expirée; résilié; ",
    ),
    (
        Es,
        "borrador; propuesto; ; pendiente; aceptado aceptada aprobado; activo; ; en_vigor vigente; rechazado rechazada; retirado retirada; \
        obsoleto sustituido; derogado derogada; vencido caducado; rescindido; ",
    ),
    (
        It,
        "bozza; proposto; provvisorio; rinviato; accettato approvato approvata; attivo; definitivo; in_vigore valido; respinto respinta; ritirato; \
        sostituito; abrogato abrogata; scaduto scaduta; risolto; ",
    ),
    (
        Pt,
        "rascunho minuta; proposto; provisório; pendente; aceito aprovado aprovada; ativo; definitivo; em_vigor; rejeitado rejeitada; retirado; \
        substituído; revogado revogada; expirado; encerrado rescindido; ",
    ),
    (
        Nl,
        "concept ontwerp; voorgesteld; voorlopig; uitgesteld; aanvaard goedgekeurd; actief; definitief; van_kracht geldig; afgewezen; ingetrokken; \
        vervangen; opgeheven; verlopen; beëindigd gesloten; verouderd",
    ),
    (
        Pl,
        "projekt; proponowany; tymczasowy; odroczony; przyjęty przyjęta zatwierdzony; aktywny; ostateczny; obowiązuje ważny ważna; \
        odrzucony odrzucona; wycofany; zastąpiony; uchylony uchylona; wygasły wygasła; rozwiązany rozwiązana; przestarzały",
    ),
    (
        Cs,
        "návrh; navržený; prozatímní; odložený; přijatý přijat přijata schválený; aktivní; konečný; v_platnosti platný platná; \
        zamítnutý zamítnut zamítnuta; stažený; nahrazený nahrazen; zrušený zrušen zrušena; vypršel; ukončený ukončena; zastaralý",
    ),
    (
        Sv,
        "utkast; föreslagen; preliminär; uppskjuten; antagen godkänd; aktiv; slutlig; i_kraft giltig giltigt; avslagen; tillbakadragen; ersatt; \
        upphävd upphävt; utgången; uppsagd uppsagt; föråldrad",
    ),
    (
        Da,
        "udkast; foreslået; foreløbig; udsat; vedtaget godkendt; aktiv; endelig; i_kraft gyldig; afvist; trukket_tilbage; erstattet; \
        ophævet; udløbet; opsagt; forældet",
    ),
    (
        Ru,
        "черновик проект; предложен; временный; отложен; принят принята утверждён утвержден; активен; окончательный; в_силе действует \
        действителен; отклонён отклонен отклонена; отозван; заменён заменен; отменён отменен отменена; истёк истек; расторгнут; устарел",
    ),
    (
        Uk,
        "чернетка проєкт; запропонований; тимчасовий; відкладений; прийнятий прийнято затверджений; активний; остаточний; чинний чинна; \
        відхилений відхилено; відкликаний; замінений; скасований скасовано; закінчився; розірваний розірвано; застарілий",
    ),
    (
        Tr,
        "taslak; önerilen; geçici; ertelendi; kabul_edildi onaylandı; aktif; nihai; yürürlükte geçerli; reddedildi; geri_çekildi; değiştirildi; \
        yürürlükten_kaldırıldı; süresi_doldu; feshedildi; eskimiş",
    ),
    (
        Ar,
        "مسودة; مقترح; مؤقت; مؤجل معلق; مقبول معتمد; نشط; نهائي; نافذ ساري سارٍ; مرفوض; مسحوب; مستبدل; ملغى; منتهي; مفسوخ; مهمل",
    ),
    (
        Hi,
        "मसौदा प्रारूप; प्रस्तावित; अनंतिम; स्थगित; स्वीकृत; सक्रिय; अंतिम; लागू वैध; अस्वीकृत; वापस; प्रतिस्थापित; निरस्त; समाप्त; रद्द; अप्रचलित",
    ),
    (
        Ja,
        "草案 下書き; 提案; 暫定; 保留; 承認 採択; 有効; 最終; 施行中; 却下 否決; 撤回; 置換; 廃止; 失効; 終了 解除; 非推奨",
    ),
    (Ko, "초안; 제안; 임시; 보류; 승인 채택; 활성; 최종; 시행 유효; 거부 부결; 철회; 대체; 폐지; 만료; 해지; 지원중단"),
    (
        Zh,
        "草案; 提议 提議; 暂行 暫行; 推迟 推遲; 已通过 已批准; 有效; 最终 最終; 生效; 已拒绝 被否决; 已撤回; 被取代; 已废止 已廢止 废除; \
        已过期 已過期; 已终止 已終止; 弃用",
    ),
    (
        Vi,
        "bản_nháp dự_thảo; đề_xuất; tạm_thời; hoãn; được_chấp_nhận; hoạt_động; cuối_cùng; có_hiệu_lực; bị_từ_chối; rút_lại; bị_thay_thế; \
        bị_bãi_bỏ; hết_hạn; chấm_dứt; lỗi_thời",
    ),
    (Th, "ร่าง; เสนอ; ชั่วคราว; เลื่อน; อนุมัติ; ใช้งาน; ฉบับสุดท้าย; มีผลบังคับใช้; ปฏิเสธ; ถอน; ถูกแทนที่; ยกเลิก; หมดอายุ; สิ้นสุด; ล้าสมัย"),
    (
        El,
        "προσχέδιο σχέδιο; προτεινόμενο; προσωρινό; αναβληθέν; εγκεκριμένο εγκεκριμένος; ενεργό ενεργός; οριστικό; σε_ισχύ ισχύει; \
        απορρίφθηκε; αποσύρθηκε; αντικαταστάθηκε; καταργήθηκε καταργημένος; έληξε; τερματίστηκε; παρωχημένο",
    ),
];

static STATUSES: LazyLock<Table<StatusClass>> = LazyLock::new(|| {
    let classes = |(language, row): (Language, &'static str)| {
        row.split(';').zip(IN_ORDER).map(move |(words, class)| (language, class, words))
    };
    Table::new(WORDS.into_iter().flat_map(classes))
});

/// The status that `words`, one or two in lower case, name.
pub fn status(words: &str) -> Option<StatusClass> {
    STATUSES.get(words, None)
}

word_sets! {
    /// Whether `word` is a verb in the present tense between a thing and its status.
    states_status: [
        (En, "is are remains"), (De, "ist bleibt"), (Fr, "est reste"), (Es, "es está sigue permanece"),
        (It, "è rimane resta"),
        (Pt, "é está permanece"), (Nl, "is blijft"), (Pl, "jest pozostaje"), (Cs, "je zůstává"), (Sv, "är förblir"),
        (Da, "er forbliver"),
        (Ru, "остаётся остается"), (Uk, "є залишається"), (Hi, "है"), (El, "είναι παραμένει"), (Vi, "là"),
    ];
    /// Whether `word` may come between such a verb and the status.
    goes_before_status: [
        (En, "a an the now still"), (De, "noch nun ein"), (Fr, "toujours un encore"), (Es, "aún un"),
        (It, "ancora un una"), (Pt, "ainda um uma"),
        (Nl, "nog nu een"), (Pl, "nadal"), (Cs, "stále"), (Sv, "ännu ett nu"), (Da, "stadig nu"), (Ru, "ещё еще"),
        (Uk, "ще"), (El, "ακόμη ένα"),
    ];
    /// Whether `word` is the name of a field for a status.
    names_status_field: [
        (En, "status state"), (De, "zustand status"), (Fr, "statut état"), (Es, "estado"), (It, "stato"),
        (Pt, "estado situação"), (Nl, "status"),
        (Pl, "status stan"), (Cs, "stav"), (Sv, "status"), (Da, "status"), (Ru, "статус состояние"),
        (Uk, "статус стан"), (Tr, "durum"), (Ar, "الحالة"),
        (Hi, "स्थिति"), (Ja, "状態"), (Ko, "상태"), (Zh, "状态 狀態"), (Vi, "trạng_thái"), (Th, "สถานะ"), (El, "κατάσταση"),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sentence of each language that says that the act is repealed.
    const SENTENCES: [(Language, &str); 22] = [
        (En, "The act is repealed."),
        (De, "Das Gesetz ist aufgehoben."),
        (Fr, "La loi est abrogée."),
        (Es, "La ley está derogada."),
        (It, "La legge è abrogata."),
        (Pt, "A lei está revogada."),
        (Nl, "De wet is opgeheven."),
        (Pl, "Ustawa jest uchylona."),
        (Cs, "Zákon je zrušen."),
        (Sv, "Lagen är upphävd."),
        (Da, "Loven er ophævet."),
        (Ru, "Закон отменён."),
        (Uk, "Закон скасовано."),
        (Tr, "Kanun yürürlükten kaldırıldı."),
        (Ar, "القانون ملغى."),
        (Hi, "कानून निरस्त है।"),
        (Ja, "この法律は廃止された。"),
        (Ko, "이 법은 폐지되었다."),
        (Zh, "该法律已废止。"),
        (Vi, "Luật này đã bị bãi bỏ."),
        (Th, "กฎหมายนี้ยกเลิกแล้ว"),
        (El, "Ο νόμος καταργήθηκε."),
    ];

    #[test]
    fn a_status_is_known_in_a_sentence_of_every_language() {
        for language in Language::COVERED {
            assert!(SENTENCES.iter().any(|row| row.0 == language) && STATUSES.has_row(language), "{language:?}");
        }
        for (language, sentence) in SENTENCES {
            let found: Vec<StatusClass> =
                STATUSES.find_in(sentence, Some(language)).into_iter().map(|word| word.value).collect();
            assert_eq!(found, [Repealed], "{language:?} {sentence}");
        }
    }

    #[test]
    fn every_row_gives_all_fifteen_statuses() {
        for (language, row) in WORDS {
            assert_eq!(row.split(';').count(), IN_ORDER.len(), "{language:?}");
        }
    }
}
