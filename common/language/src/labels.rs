//! The fixed texts of a report in the supported languages, with English as the fallback. The tables for auditors are always English.

/// A language with labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "a language is described by its name")]
pub enum LabelLanguage {
    English,
    German,
    French,
    Spanish,
    Chinese,
    Japanese,
}

/// All languages with labels.
pub const LANGUAGES: [LabelLanguage; 6] = [
    LabelLanguage::English,
    LabelLanguage::German,
    LabelLanguage::French,
    LabelLanguage::Spanish,
    LabelLanguage::Chinese,
    LabelLanguage::Japanese,
];

impl LabelLanguage {
    /// The language of a BCP 47 tag; English if it has no labels.
    pub fn from_tag(tag: &str) -> Self {
        match tag {
            "de" => Self::German,
            "fr" => Self::French,
            "es" => Self::Spanish,
            "zh" => Self::Chinese,
            "ja" => Self::Japanese,
            _ => Self::English,
        }
    }

    /// Its BCP 47 tag.
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
            Self::Chinese => "zh",
            Self::Japanese => "ja",
        }
    }

    /// The text of a label in this language.
    pub fn say(self, label: Label) -> &'static str {
        let [en, de, fr, es, zh, ja] = words(label);
        match self {
            Self::English => en,
            Self::German => de,
            Self::French => fr,
            Self::Spanish => es,
            Self::Chinese => zh,
            Self::Japanese => ja,
        }
    }

    /// The text of a label with its placeholders `{0}`, `{1}` and so on filled.
    pub fn fill(self, label: Label, values: &[&str]) -> String {
        let mut text = String::new();
        let mut rest = self.say(label);
        // In one pass over the label: what is inserted may look like a placeholder.
        while let Some((before, from)) = rest.split_once('{') {
            text.push_str(before);
            let filled =
                from.split_once('}').and_then(|(at, after)| Some((*values.get(at.parse::<usize>().ok()?)?, after)));
            let (value, after) = filled.unwrap_or(("{", from));
            text.push_str(value);
            rest = after;
        }
        text + rest
    }
}

/// A fixed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the rows of the table below")]
pub enum Label {
    Skip,
    Brand,
    Contents,
    Report,
    Answered,
    AnsweredYes,
    AnsweredNo,
    Partly,
    NotInDocuments,
    OppositeSaid,
    OtherLanguage,
    NothingOn,
    ReadInPart,
    Closest,
    Differ,
    DifferingDates,
    DifferingVersions,
    DifferingStatuses,
    DifferingTimes,
    DifferingNames,
    Contradicting,
    Newer,
    NearlySame,
    Computed,
    NotComputed,
    ComputedFrom,
    Highest,
    Lowest,
    Sum,
    Average,
    RowCount,
    NotANumber,
    TwoReadings,
    SeveralUnits,
    OtherTotal,
    TooManyRows,
    SideBySide,
    Timeline,
    Date,
    Compared,
    Source,
    Copies,
    CopyOf,
    Incomplete,
    Deadline,
    Stopped,
    Missing,
    Written,
    Version,
    Model,
    BuiltIn,
    FoundWith,
    NotReproducible,
    Documents,
    More,
    Quote,
    Quotes,
    QuotesLead,
    OtherPlaces,
    Back,
    Page,
    FromProperties,
    FromMetadata,
    Recognized,
    Warnings,
    Cases,
    Sources,
    SentencesQuoted,
    SentencesRead,
    NotRead,
    LeftOut,
    NoText,
    Text,
    Auditors,
    Verify,
    VerifyLead,
    Seal,
    Footer,
    Uncited,
    Boundary,
    OfTheModel,
    Locator,
    Note,
    NotAnswered,
    Researched,
    StatementsSupported,
    Corrected,
    Removed,
    Marked,
    Judged,
    NotCounted,
    Opinion,
    Degraded,
    FromNotes,
    PartlySupported,
    DisputedBy,
    NoQuote,
    NotInQuotes,
    NotJudged,
    Statements,
    Wrote,
    StandsNow,
    TakenOut,
}

/// English, German, French, Spanish, Chinese, Japanese.
#[rustfmt::skip]
fn words(label: Label) -> [&'static str; 6] {
    match label {
        Label::Skip => ["Skip to the report", "Zum Bericht springen", "Aller au rapport", "Ir al informe", "跳到报告", "レポートへ移動"],
        Label::Brand => ["Precis report", "Precis-Bericht", "Rapport Precis", "Informe de Precis", "Precis 报告", "Precis レポート"],
        Label::Contents => ["Contents", "Inhalt", "Sommaire", "Contenido", "目录", "目次"],
        Label::Report => ["Report", "Bericht", "Rapport", "Informe", "报告", "レポート"],
        Label::Answered => ["Answered", "Beantwortet", "Réponse trouvée", "Respondida", "已回答", "回答あり"],
        Label::AnsweredYes => ["Answered: yes", "Beantwortet: ja", "Réponse trouvée : oui", "Respondida: sí", "已回答：是", "回答あり：はい"],
        Label::AnsweredNo => ["Answered: no", "Beantwortet: nein", "Réponse trouvée : non", "Respondida: no", "已回答：否", "回答あり：いいえ"],
        Label::Partly => ["Partly answered", "Teilweise beantwortet", "Réponse partielle", "Respondida en parte", "部分回答", "一部のみ回答あり"],
        Label::NotInDocuments => ["The documents do not say", "Die Dokumente sagen dazu nichts", "Les documents ne le disent pas", "Los documentos no lo dicen", "文档中没有答案", "文書には記載がありません"],
        Label::OppositeSaid => ["The documents say the opposite of what is asked", "Die Dokumente sagen das Gegenteil dessen, was gefragt wird", "Les documents disent le contraire de ce qui est demandé", "Los documentos dicen lo contrario de lo que se pregunta", "文档所述与提问的前提相反", "文書には質問の前提と反対のことが書かれています"],
        Label::OtherLanguage => ["The documents are in another language than the question: only names, figures and words alike in both were compared", "Die Dokumente sind in einer anderen Sprache als die Frage: verglichen wurden nur Namen, Zahlen und in beiden ähnliche Wörter", "Les documents sont dans une autre langue que la question : seuls les noms, les chiffres et les mots semblables ont été comparés", "Los documentos están en otro idioma que la pregunta: solo se compararon nombres, cifras y palabras parecidas", "文档与问题的语言不同：仅比较了名称、数字和相似的词", "文書と質問の言語が異なるため、名前、数字、似た語だけを比べました"],
        Label::NothingOn => ["Nothing on: {0}", "Nichts zu: {0}", "Rien sur : {0}", "Nada sobre: {0}", "未提及：{0}", "記載なし：{0}"],
        Label::ReadInPart => ["Only a part was read of: {0}", "Nur zum Teil gelesen: {0}", "Lu seulement en partie : {0}", "Leído solo en parte: {0}", "仅读取了一部分：{0}", "一部のみ読み取り：{0}"],
        Label::Closest => ["The closest passages follow", "Was folgt, kommt der Frage am nächsten", "Ce qui suit s’en approche le plus", "Lo que sigue es lo más cercano", "以下为最接近的内容", "以下は最も近い箇所です"],
        Label::Differ => ["Sources give different values", "Quellen nennen verschiedene Werte", "Les sources donnent des valeurs différentes", "Las fuentes dan valores distintos", "各来源给出的数值不同", "出典により数値が異なります"],
        Label::DifferingDates => ["Sources give different dates", "Quellen nennen verschiedene Daten", "Les sources donnent des dates différentes", "Las fuentes dan fechas distintas", "各来源给出的日期不同", "出典により日付が異なります"],
        Label::DifferingVersions => ["Sources give different versions", "Quellen nennen verschiedene Versionen", "Les sources donnent des versions différentes", "Las fuentes dan versiones distintas", "各来源给出的版本不同", "出典によりバージョンが異なります"],
        Label::DifferingStatuses => ["Sources give a different status", "Quellen nennen einen verschiedenen Status", "Les sources donnent un statut différent", "Las fuentes dan un estado distinto", "各来源给出的状态不同", "出典により状態が異なります"],
        Label::DifferingTimes => ["Sources give different times", "Quellen nennen verschiedene Zeiten", "Les sources donnent des heures différentes", "Las fuentes dan horas distintas", "各来源给出的时间不同", "出典により時刻が異なります"],
        Label::DifferingNames => ["Sources give different names", "Quellen nennen verschiedene Namen", "Les sources donnent des noms différents", "Las fuentes dan nombres distintos", "各来源给出的名称不同", "出典により名前が異なります"],
        Label::Contradicting => ["Sources contradict each other", "Quellen widersprechen sich", "Les sources se contredisent", "Las fuentes se contradicen", "各来源互相矛盾", "出典が互いに矛盾しています"],
        Label::Newer => ["newer: {0}", "neuer: {0}", "plus récent : {0}", "más reciente: {0}", "较新：{0}", "新しい版：{0}"],
        Label::NearlySame => ["Nearly the same words", "Fast derselbe Wortlaut", "Presque les mêmes mots", "Casi las mismas palabras", "措辞几乎相同", "ほぼ同じ文言"],
        Label::Computed => ["Computed: {0}", "Berechnet: {0}", "Calculé : {0}", "Calculado: {0}", "计算得出：{0}", "計算：{0}"],
        Label::NotComputed => ["Not computed: {0}", "Nicht berechnet: {0}", "Non calculé : {0}", "No calculado: {0}", "未计算：{0}", "計算していません：{0}"],
        Label::ComputedFrom => ["From {0} rows of {1}", "Aus {0} Zeilen von {1}", "D’après {0} lignes de {1}", "De {0} filas de {1}", "依据 {1} 的 {0} 行", "{1} の {0} 行から"],
        Label::Highest => ["highest", "höchster Wert", "maximum", "máximo", "最高", "最高"],
        Label::Lowest => ["lowest", "niedrigster Wert", "minimum", "mínimo", "最低", "最低"],
        Label::Sum => ["sum", "Summe", "somme", "suma", "合计", "合計"],
        Label::Average => ["average", "Durchschnitt", "moyenne", "promedio", "平均", "平均"],
        Label::RowCount => ["number of rows", "Anzahl der Zeilen", "nombre de lignes", "número de filas", "行数", "行数"],
        Label::NotANumber => ["a cell of the column is no plain number", "eine Zelle der Spalte ist keine einfache Zahl", "une cellule de la colonne n’est pas un nombre simple", "una celda de la columna no es un número simple", "该列有单元格不是纯数字", "列に単純な数値でないセルがあります"],
        Label::TwoReadings => ["a number of the column has two readings", "eine Zahl der Spalte hat zwei Lesarten", "un nombre de la colonne a deux lectures", "un número de la columna tiene dos lecturas", "该列有数字存在两种读法", "列に二通りに読める数値があります"],
        Label::SeveralUnits => ["the numbers of the column have several units", "die Zahlen der Spalte haben mehrere Einheiten", "les nombres de la colonne ont plusieurs unités", "los números de la columna tienen varias unidades", "该列数字的单位不一致", "列の数値の単位が複数あります"],
        Label::OtherTotal => ["the table’s own total is another number", "die Summe in der Tabelle ist eine andere", "le total du tableau est un autre nombre", "el total de la tabla es otro número", "表中自带的合计与此不同", "表の合計欄の値が異なります"],
        Label::TooManyRows => ["the table has too many rows", "die Tabelle hat zu viele Zeilen", "le tableau a trop de lignes", "la tabla tiene demasiadas filas", "表的行数过多", "表の行数が多すぎます"],
        Label::SideBySide => ["Side by side", "Gegenüberstellung", "Comparaison", "Comparación", "对照", "比較"],
        Label::Timeline => ["Timeline", "Zeitleiste", "Chronologie", "Cronología", "时间线", "年表"],
        Label::Date => ["Date", "Datum", "Date", "Fecha", "日期", "日付"],
        Label::Compared => ["Compared", "Verglichen", "Comparé", "Comparado", "比较对象", "比較対象"],
        Label::Source => ["Source", "Quelle", "Source", "Fuente", "来源", "出典"],
        Label::Copies => ["{0} copies", "{0} Exemplare", "{0} exemplaires", "{0} copias", "{0} 份相同", "同文 {0} 部"],
        Label::CopyOf => ["a copy of {0}, counted once", "ein Exemplar, einmal gezählt mit {0}", "un exemplaire, compté une fois avec {0}", "una copia, contada una vez con {0}", "与 {0} 相同，只计一次", "{0} と同文のため一度だけ数えます"],
        Label::Incomplete => ["Incomplete: {0}.", "Unvollständig: {0}.", "Incomplet : {0}.", "Incompleto: {0}.", "不完整：{0}。", "未完了：{0}。"],
        Label::Deadline => ["the session reached its deadline", "die Sitzung hat ihre Frist erreicht", "la session a atteint son échéance", "la sesión llegó a su plazo", "会话已到截止时间", "セッションが期限に達しました"],
        Label::Stopped => ["the session was stopped", "die Sitzung wurde beendet", "la session a été arrêtée", "la sesión se detuvo", "会话已被停止", "セッションが停止されました"],
        Label::Missing => ["something that was asked for is missing", "etwas Verlangtes fehlt", "un élément demandé manque", "falta algo que se pidió", "缺少所要求的内容", "求められた内容の一部がありません"],
        Label::Written => ["Written", "Erstellt", "Rédigé", "Escrito", "生成时间", "作成日時"],
        Label::Version => ["Version", "Version", "Version", "Versión", "版本", "バージョン"],
        Label::Model => ["Model", "Modell", "Modèle", "Modelo", "模型", "モデル"],
        Label::BuiltIn => ["built in: quotes only", "eingebaut: nur Zitate", "intégré : citations seules", "integrado: solo citas", "内置：仅引用原文", "内蔵：引用のみ"],
        Label::FoundWith => ["Passages found with", "Stellen gefunden mit", "Passages trouvés avec", "Pasajes hallados con", "段落查找所用模型", "箇所の検索に使用"],
        Label::NotReproducible => ["{0}, a server: another run may choose other passages (not reproducible)", "{0}, ein Server: ein anderer Lauf kann andere Stellen wählen (nicht reproduzierbar)", "{0}, un serveur : une autre exécution peut choisir d’autres passages (non reproductible)", "{0}, un servidor: otra ejecución puede elegir otros pasajes (no reproducible)", "{0}（服务器）：再次运行可能选出其他段落（不可复现）", "{0}（サーバー）：再実行では別の箇所が選ばれることがあります（再現不可）"],
        Label::Documents => ["Documents", "Dokumente", "Documents", "Documentos", "文档", "文書"],
        Label::More => ["and {0} more", "und {0} weitere", "et {0} autres", "y {0} más", "另有 {0} 处", "ほか {0} 件"],
        Label::Quote => ["Quote {0}", "Zitat {0}", "Citation {0}", "Cita {0}", "引文 {0}", "引用 {0}"],
        Label::Quotes => ["Quotes", "Zitate", "Citations", "Citas", "引文", "引用"],
        Label::QuotesLead => ["Each number in the report refers to one of these quotes. The quote is highlighted within the text it was taken from.", "Jede Nummer im Bericht steht für eines davon. Markiert ist das Zitat; darum herum steht der Text, aus dem es stammt.", "Chaque numéro du rapport renvoie à l’une d’elles. La citation est surlignée, dans le texte dont elle est tirée.", "Cada número del informe remite a una de ellas. La cita está marcada dentro del texto del que procede.", "报告中的每个编号对应一条引文。标记部分为引文，其前后为原文。", "レポート中の番号は以下の引用を指します。強調部分が引用で、前後は元の文章です。"],
        Label::OtherPlaces => ["The same text elsewhere", "Derselbe Text an anderer Stelle", "Le même texte ailleurs", "El mismo texto en otros lugares", "其他位置的相同文本", "同じ文章のほかの箇所"],
        Label::Back => ["Back to the report, place {0} of quote {1}", "Zurück zum Bericht, Stelle {0} von Zitat {1}", "Retour au rapport, emplacement {0} de la citation {1}", "Volver al informe, lugar {0} de la cita {1}", "返回报告：引文 {1} 的第 {0} 处", "レポートに戻る：引用 {1} の {0} か所目"],
        Label::FromProperties => ["from the file's properties", "aus den Eigenschaften der Datei", "d’après les propriétés du fichier", "de las propiedades del archivo", "取自文件属性", "ファイルのプロパティより"],
        Label::FromMetadata => ["from the page's metadata", "aus den Metadaten der Seite", "d’après les métadonnées de la page", "de los metadatos de la página", "取自网页元数据", "ページのメタデータより"],
        Label::Recognized => ["recognized from a picture of page {0} by {1}", "aus einem Bild der Seite {0} erkannt von {1}", "reconnu sur une image de la page {0} par {1}", "reconocido en una imagen de la página {0} por {1}", "由 {1} 从第 {0} 页的图像识别", "{0} ページの画像から {1} が認識"],
        Label::Page => ["page {0}", "Seite {0}", "page {0}", "página {0}", "第 {0} 页", "{0} ページ"],
        Label::Warnings => ["Warnings", "Warnungen", "Avertissements", "Advertencias", "警告", "警告"],
        Label::Cases => ["{0} cases", "{0} Fälle", "{0} cas", "{0} casos", "{0} 项", "{0} 件"],
        Label::Sources => ["Sources", "Quellen", "Sources", "Fuentes", "来源", "出典"],
        Label::SentencesQuoted => ["{0} of about {1} sentences quoted", "{0} von etwa {1} Sätzen zitiert", "{0} phrases citées sur environ {1}", "{0} de unas {1} frases citadas", "引用了约 {1} 句中的 {0} 句", "約 {1} 文のうち {0} 文を引用"],
        Label::SentencesRead => ["read, about {0} sentences, none quoted", "gelesen, etwa {0} Sätze, keiner zitiert", "lu, environ {0} phrases, aucune citée", "leído, unas {0} frases, ninguna citada", "已读约 {0} 句，未引用", "約 {0} 文を読み、引用なし"],
        Label::NotRead => ["could not be read: {0}", "nicht lesbar: {0}", "illisible : {0}", "no se pudo leer: {0}", "无法读取：{0}", "読み取れませんでした：{0}"],
        Label::LeftOut => ["read, not used: {0}", "gelesen, nicht verwendet: {0}", "lu, non utilisé : {0}", "leído, no utilizado: {0}", "已读，未使用：{0}", "読み取り済み、未使用：{0}"],
        Label::NoText => ["no text", "kein Text", "pas de texte", "sin texto", "无文本", "本文なし"],
        Label::Text => ["text as read", "Text, wie er gelesen wurde", "texte tel qu’il a été lu", "texto tal como se leyó", "读取的文本", "読み取った本文"],
        Label::Auditors => ["For auditors: tokens, phases, model calls", "Für Prüfer: Token, Phasen, Modellaufrufe", "Pour les auditeurs : jetons, phases, appels de modèles", "Para auditores: tokens, fases, llamadas a modelos", "审计：词元、阶段、模型调用", "監査用：トークン、フェーズ、モデル呼び出し"],
        Label::Verify => ["Verify", "Prüfen", "Vérifier", "Verificar", "验证", "検証"],
        Label::VerifyLead => ["This compares every quote with the archived text, every text with its hash, this page with report.json, and report.json with its seal, offline:", "Dies vergleicht jedes Zitat mit dem archivierten Text, jeden Text mit seinem Hash, diese Seite mit report.json und report.json mit seinem Siegel, ohne Netz:", "Ceci compare, hors ligne, chaque citation au texte archivé, chaque texte à son empreinte, cette page à report.json et report.json à son sceau :", "Esto compara, sin red, cada cita con el texto archivado, cada texto con su huella, esta página con report.json y report.json con su sello:", "以下命令离线核对每条引文与存档文本、每份文本与其哈希值、本页与 report.json，以及 report.json 与其封印：", "次のコマンドは、引用と保存された本文、本文とハッシュ値、このページと report.json、report.json と封印をオフラインで照合します："],
        Label::Seal => ["Seal of report.json", "Siegel von report.json", "Sceau de report.json", "Sello de report.json", "report.json 的封印", "report.json の封印"],
        Label::Footer => ["Session {0}. This page loads nothing and runs no script.", "Sitzung {0}. Diese Seite lädt nichts und führt kein Skript aus.", "Session {0}. Cette page ne charge rien et n’exécute aucun script.", "Sesión {0}. Esta página no carga nada ni ejecuta scripts.", "会话 {0}。本页不加载任何内容，也不运行脚本。", "セッション {0}。このページは何も読み込まず、スクリプトも実行しません。"],
        Label::Uncited => ["Sentences without a citation: {0}", "Sätze ohne Beleg: {0}", "Phrases sans référence : {0}", "Frases sin referencia: {0}", "没有引用的句子：{0}", "引用のない文：{0}"],
        Label::Boundary => ["The statements up to here were written by the model {0}. Precis compiled everything below from the documents.", "Die Aussagen bis hierher hat das Modell {0} verfasst. Was folgt, hat Precis aus den Dokumenten zusammengestellt.", "Les énoncés jusqu’ici ont été rédigés par le modèle {0}. Ce qui suit a été établi par Precis à partir des documents.", "Las afirmaciones hasta aquí las redactó el modelo {0}. Lo que sigue lo compuso Precis a partir de los documentos.", "以上陈述由模型 {0} 撰写。以下内容由 Precis 根据文档整理。", "ここまでの記述はモデル {0} が書いたものです。以下は Precis が文書からまとめたものです。"],
        Label::OfTheModel => ["written by the model", "vom Modell verfasst", "rédigé par le modèle", "redactado por el modelo", "由模型撰写", "モデルが記述"],
        Label::Note => ["A model's summary, not a quote", "Zusammenfassung eines Modells, kein Zitat", "Résumé d’un modèle, pas une citation", "Resumen de un modelo, no una cita", "模型的摘要，并非引文", "モデルによる要約（引用ではありません）"],
        Label::NotAnswered => ["Not answered", "Nicht beantwortet", "Sans réponse", "Sin respuesta", "未回答", "回答なし"],
        Label::Researched => ["How this was researched", "So wurde gesucht", "Comment la recherche a été menée", "Cómo se investigó", "研究过程", "調査の経過"],
        Label::StatementsSupported => ["{0} of {1} statements are supported by their quotes", "{0} von {1} Aussagen sind durch ihre Zitate belegt", "{0} énoncés sur {1} sont étayés par leurs citations", "{0} de {1} afirmaciones están respaldadas por sus citas", "{1} 条陈述中有 {0} 条得到引文支持", "{1} 件の記述のうち {0} 件は引用に裏づけられています"],
        Label::Corrected => ["{0} corrected", "{0} berichtigt", "{0} corrigés", "{0} corregidas", "{0} 条已更正", "{0} 件を訂正"],
        Label::Removed => ["{0} removed", "{0} entfernt", "{0} retirés", "{0} eliminadas", "{0} 条已删除", "{0} 件を削除"],
        Label::Marked => ["{0} marked", "{0} markiert", "{0} signalés", "{0} marcadas", "{0} 条已标注", "{0} 件に注記"],
        Label::Judged => ["{0} judged by a model", "{0} von einem Modell beurteilt", "{0} jugés par un modèle", "{0} juzgadas por un modelo", "{0} 条由模型评判", "{0} 件はモデルが判定"],
        Label::Opinion => ["Opinion of the model {0} on the report, not counted (1 to 5, in two orders)", "Meinung des Modells {0} über den Bericht, nirgends mitgezählt (1 bis 5, in zwei Reihenfolgen)", "Avis du modèle {0} sur le rapport, compté nulle part (1 à 5, dans deux ordres)", "Opinión del modelo {0} sobre el informe, no contada en ninguna parte (1 a 5, en dos órdenes)", "模型 {0} 对报告的意见，不计入任何统计（1 至 5，两种顺序）", "モデル {0} によるレポートへの意見。集計には含めません（1 から 5、2 通りの順序）"],
        Label::NotCounted => ["{0} model judgements not counted", "{0} Urteile eines Modells zählen nicht", "{0} jugements d’un modèle ne comptent pas", "{0} juicios de un modelo no cuentan", "模型的 {0} 条评判不计入", "モデルの判定 {0} 件は数えません"],
        Label::Degraded => ["Degraded report, quoted passages only", "Notbericht aus Textstellen, wie sie dastehen", "Rapport dégradé, fait de passages tels quels", "Informe degradado, hecho de pasajes tal cual", "降级报告，仅由原文段落组成", "縮退した報告書、原文の箇所のみ"],
        Label::FromNotes => ["Degraded report from researchers’ notes, nothing in it is quoted", "Notbericht aus Notizen der Recherche, ohne Zitate", "Rapport dégradé tiré des notes de recherche, sans citations", "Informe degradado hecho de notas de investigación, sin citas", "降级报告，仅由研究笔记写成，无引文", "縮退した報告書、調査メモのみ、引用なし"],
        Label::PartlySupported => ["supported in part by its quotes", "durch die Zitate nur zum Teil belegt", "étayé en partie seulement par ses citations", "respaldado solo en parte por sus citas", "引文仅部分支持", "引用による裏づけは一部のみ"],
        Label::DisputedBy => ["another source gives another value", "eine andere Quelle nennt einen anderen Wert", "une autre source donne une autre valeur", "otra fuente da otro valor", "另一来源给出不同数值", "別の出典は異なる値を示しています"],
        Label::NoQuote => ["no quote supports this", "durch kein Zitat belegt", "aucune citation ne l’étaie", "ninguna cita lo respalda", "无引文支持", "裏づける引用なし"],
        Label::NotInQuotes => ["not found there: {0}", "dort nicht gefunden: {0}", "non trouvé à cet endroit : {0}", "no se encuentra allí: {0}", "该处未见：{0}", "該当箇所に見当たりません：{0}"],
        Label::NotJudged => ["Not judged: {0} statements, marked {1}, which no model compared with their sources", "Nicht beurteilt: {0} mit {1} markierte Aussagen, die kein Modell mit ihren Quellen verglichen hat", "Non jugés : {0} énoncés, marqués {1}, qu’aucun modèle n’a comparés à leurs sources", "Sin juzgar: {0} afirmaciones, marcadas con {1}, que ningún modelo comparó con sus fuentes", "未经判断：{0} 条陈述，以 {1} 标记。没有模型将其与来源比对", "未判定：{0} 件の記述（{1} 印）。出典との照合はモデルによって行われていません"],
        Label::Statements => ["Statements that were changed or removed", "Geänderte oder entfernte Aussagen", "Énoncés modifiés ou retirés", "Afirmaciones modificadas o eliminadas", "已更改或删除的陈述", "変更または削除された記述"],
        Label::Wrote => ["The model wrote", "Das Modell schrieb", "Le modèle a écrit", "El modelo escribió", "模型写道", "モデルの記述"],
        Label::StandsNow => ["The report says", "Der Bericht sagt", "Le rapport dit", "El informe dice", "报告现为", "レポートの記載"],
        Label::TakenOut => ["removed", "entfernt", "retiré", "eliminada", "已删除", "削除"],
        Label::Locator => ["A locator counts characters (Unicode scalar values, from 0, end exclusive) of the archived text, or of one of its pages.", "Eine Fundstelle zählt Zeichen (Unicode-Skalarwerte, ab 0, Ende ausschließlich) des archivierten Textes oder einer seiner Seiten.", "Un repère compte les caractères (valeurs scalaires Unicode, à partir de 0, fin exclue) du texte archivé ou d’une de ses pages.", "Un localizador cuenta caracteres (valores escalares Unicode, desde 0, fin excluido) del texto archivado o de una de sus páginas.", "定位符按字符计数（Unicode 标量值，从 0 开始，不含末尾），以存档文本或其中一页为准。", "位置は保存された本文またはそのページの文字数で表します（Unicode スカラー値、0 から、終端を含まず）。"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tongue_is_found_by_its_tag_and_english_by_any_other() {
        for labels in LANGUAGES {
            assert_eq!(LabelLanguage::from_tag(labels.tag()), labels);
        }
        assert_eq!(LabelLanguage::from_tag("und"), LabelLanguage::English);
        assert_eq!(LabelLanguage::from_tag("ar"), LabelLanguage::English);
    }

    #[test]
    fn every_language_fills_the_same_places() {
        for label in [
            Label::More,
            Label::Back,
            Label::SentencesQuoted,
            Label::Copies,
            Label::CopyOf,
            Label::Page,
            Label::Footer,
            Label::Uncited,
            Label::Boundary,
            Label::StatementsSupported,
            Label::Corrected,
            Label::Removed,
            Label::Marked,
            Label::Judged,
            Label::NotCounted,
            Label::Opinion,
        ] {
            let places = |text: &str| (0..3).filter(|n| text.contains(&format!("{{{n}}}"))).collect::<Vec<_>>();
            for labels in LANGUAGES {
                assert_eq!(
                    places(labels.say(label)),
                    places(LabelLanguage::English.say(label)),
                    "{label:?} {labels:?}"
                );
            }
        }
        assert_eq!(LabelLanguage::German.fill(Label::SentencesQuoted, &["2", "90"]), "2 von etwa 90 Sätzen zitiert");
    }

    #[test]
    fn a_value_is_inserted_as_it_is() {
        let fill = |values: &[&str]| LabelLanguage::English.fill(Label::Back, values);
        assert_eq!(fill(&["{1}", "{0}"]), "Back to the report, place {1} of quote {0}");
        assert_eq!(fill(&["1"]), "Back to the report, place 1 of quote {1}");
        assert_eq!(
            LabelLanguage::Chinese.fill(Label::StatementsSupported, &["{1", "2"]),
            "2 条陈述中有 {1 条得到引文支持"
        );
    }
}
