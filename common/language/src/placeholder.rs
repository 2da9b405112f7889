//! Words that programs write where nobody gave a title or a name: "Untitled 1", "Unknown".

use super::sets::word_sets;
use super::tag::Language::{self, *};

word_sets! {
    /// Whether `title`, in lower case and without a number at its end, is a title that says nothing.
    titles_nothing: [
        (
            En,
            "untitled untitled_document untitled_page document new_document word_document presentation untitled_presentation \
            powerpoint_presentation new_presentation slide slides workbook book sheet spreadsheet untitled_spreadsheet new_page no_title \
            title draft template default_template blank unnamed none n/a",
        ),
        (De, "unbenannt ohne_titel dokument präsentation powerpoint-präsentation mappe tabelle folie kein_titel vorlage entwurf"),
        (Fr, "sans_titre sans_nom document présentation présentation_powerpoint classeur diapositive"),
        (Es, "sin_título documento presentación presentación_de_powerpoint libro hoja diapositiva"),
        (It, "senza_titolo senza_nome documento presentazione presentazione_standard_di_powerpoint cartel"),
        (Pt, "sem_título documento apresentação apresentação_do_powerpoint pasta"),
        (Nl, "naamloos zonder_titel document presentatie powerpoint-presentatie map"),
        (Pl, "bez_tytułu bez_nazwy dokument prezentacja prezentacja_programu_powerpoint"), (Cs, "bez_názvu dokument prezentace"),
        (Sv, "namnlös namnlöst dokument presentation"), (Da, "ikke-navngivet uden_titel dokument præsentation"),
        (Ru, "без_имени без_названия документ презентация презентация_powerpoint"), (Uk, "без_імені без_назви документ презентація"),
        (Tr, "adsız başlıksız belge sunu powerpoint_sunusu"), (Zh, "无标题 未命名 文档 演示文稿 幻灯片 工作簿"),
        (Ja, "無題 名称未設定 文書 プレゼンテーション スライド"), (Ko, "제목_없음 무제 문서 프레젠테이션 슬라이드"),
        (Ar, "بدون_عنوان مستند عرض_تقديمي"), (El, "χωρίς_τίτλο έγγραφο παρουσίαση"),
        (Vi, "không_có_tiêu_đề tài_liệu"), (Hi, "शीर्षकहीन"), (Th, "ไม่มีชื่อ เอกสาร"),
    ];
    /// Whether `name`, in lower case, names nobody.
    names_nobody: [
        (
            En,
            "unknown unknown_author unspecified anonymous author owner user user_name username your_name name admin administrator root guest \
            default test none n/a windows_user microsoft_office_user office_user office_365_user registered_user valued_customer oem",
        ),
        (De, "unbekannt benutzer verfasser autor besitzer administrator anwender gast"),
        (Fr, "inconnu utilisateur auteur administrateur propriétaire utilisateur_windows"),
        (Es, "desconocido usuario autor administrador propietario usuario_de_windows"),
        (It, "sconosciuto utente autore amministratore"), (Pt, "desconhecido usuário utilizador autor administrador"),
        (Nl, "onbekend gebruiker auteur beheerder"), (Pl, "nieznany użytkownik autor"), (Cs, "neznámý uživatel autor"),
        (Sv, "okänd användare"), (Da, "ukendt bruger"), (Ru, "неизвестен пользователь автор администратор"),
        (Uk, "невідомо користувач автор"), (Tr, "bilinmiyor kullanıcı yazar"), (Zh, "未知 用户 作者 管理员"),
        (Ja, "不明 ユーザー 作成者 管理者"), (Ko, "알_수_없음 사용자 작성자 관리자"), (Ar, "مجهول مستخدم"), (El, "άγνωστος χρήστης"),
        (Vi, "không_rõ người_dùng"), (Hi, "अज्ञात"), (Th, "ไม่ทราบ ผู้ใช้"),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_programs_write_say_nothing_in_each_language() {
        for title in ["untitled", "no title", "ohne titel", "без названия", "无标题", "無題"] {
            assert!(titles_nothing(title), "{title}");
        }
        for name in ["unknown", "windows user", "benutzer", "不明"] {
            assert!(names_nobody(name), "{name}");
        }
        assert!(!titles_nothing("untitled works of a painter") && !names_nobody("ada admin"));
    }
}
