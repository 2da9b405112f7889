//! Words that ask for something computed over the rows of a table: the highest, the lowest, a sum, an average, a count.

use std::sync::LazyLock;

use super::detect::detect;
use super::sets::word_sets;
use super::table::{FoundWord, Row, Table};
use super::tag::Language::{self, *};

/// What is asked of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "an operation is described by its name")]
pub enum Aggregate {
    Highest,
    Lowest,
    Sum,
    Average,
    Count,
}

/// What a word such as "tallest" asks the highest of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "a measure is described by its name")]
pub enum Measure {
    Height,
    Length,
    Depth,
    Weight,
    Price,
    Population,
    Size,
}

use Aggregate::{Average, Count, Highest, Lowest, Sum};
use Measure::{Depth, Height, Length, Population, Price, Size, Weight};

const ASKING: [Row<(Aggregate, Option<Measure>)>; 76] = [
    (En, (Highest, None), "highest most maximum greatest"),
    (En, (Lowest, None), "lowest least fewest minimum"),
    (En, (Highest, Some(Size)), "largest biggest"),
    (En, (Lowest, Some(Size)), "smallest"),
    (En, (Highest, Some(Height)), "tallest"),
    (En, (Highest, Some(Length)), "longest"),
    (En, (Lowest, Some(Length)), "shortest"),
    (En, (Highest, Some(Depth)), "deepest"),
    (En, (Highest, Some(Weight)), "heaviest"),
    (En, (Lowest, Some(Weight)), "lightest"),
    (En, (Highest, Some(Price)), "most_expensive dearest costliest"),
    (En, (Lowest, Some(Price)), "cheapest least_expensive"),
    (En, (Highest, Some(Population)), "most_populous"),
    (En, (Lowest, Some(Population)), "least_populous"),
    (En, (Sum, None), "total sum altogether in_total combined the_total the_sum"),
    (En, (Average, None), "average mean on_average"),
    (En, (Count, None), "how_many"),
    (De, (Highest, None), "höchste höchsten höchster höchstes meisten größte größten größter größtes maximum maximale"),
    (
        De,
        (Lowest, None),
        "niedrigste niedrigsten geringste geringsten wenigsten kleinste kleinsten tiefste minimum minimale",
    ),
    (De, (Highest, Some(Length)), "längste längsten"),
    (De, (Lowest, Some(Length)), "kürzeste kürzesten"),
    (De, (Highest, Some(Weight)), "schwerste schwersten"),
    (De, (Lowest, Some(Weight)), "leichteste leichtesten"),
    (De, (Highest, Some(Price)), "teuerste teuersten"),
    (De, (Lowest, Some(Price)), "billigste billigsten günstigste günstigsten"),
    (De, (Sum, None), "insgesamt summe gesamtsumme zusammen"),
    (
        De,
        (Average, None),
        "durchschnitt durchschnittlich durchschnittliche durchschnittlichen mittelwert im_durchschnitt im_schnitt",
    ),
    (De, (Count, None), "wie_viele wieviele"),
    (
        Fr,
        (Highest, None),
        "plus_élevé plus_élevée plus_élevés plus_grand plus_grande plus_haut plus_haute maximum le_plus_de",
    ),
    (Fr, (Lowest, None), "plus_bas plus_basse plus_faible plus_petit plus_petite minimum le_moins_de"),
    (Fr, (Highest, Some(Length)), "plus_long plus_longue"),
    (Fr, (Highest, Some(Price)), "plus_cher plus_chère"),
    (Fr, (Lowest, Some(Price)), "moins_cher moins_chère"),
    (Fr, (Highest, Some(Weight)), "plus_lourd plus_lourde"),
    (Fr, (Highest, Some(Population)), "plus_peuplé plus_peuplée"),
    (Fr, (Sum, None), "total totale somme en_tout au_total"),
    (Fr, (Average, None), "moyenne moyen en_moyenne"),
    (Fr, (Count, None), "combien_de combien_d"),
    (Es, (Highest, None), "mayor más_alto más_alta máximo máxima más_grande"),
    (Es, (Lowest, None), "menor más_bajo más_baja mínimo mínima más_pequeño más_pequeña"),
    (Es, (Highest, Some(Length)), "más_largo más_larga"),
    (Es, (Highest, Some(Price)), "más_caro más_cara"),
    (Es, (Lowest, Some(Price)), "más_barato más_barata"),
    (Es, (Highest, Some(Population)), "más_poblado más_poblada"),
    (Es, (Sum, None), "total suma en_total"),
    (Es, (Average, None), "promedio media en_promedio"),
    (Es, (Count, None), "cuántos cuántas"),
    (It, (Highest, None), "più_alto più_alta maggiore massimo massima più_grande"),
    (It, (Lowest, None), "più_basso più_bassa minore minimo minima più_piccolo più_piccola"),
    (It, (Highest, Some(Length)), "più_lungo più_lunga"),
    (It, (Highest, Some(Price)), "più_caro più_cara più_costoso più_costosa"),
    (It, (Lowest, Some(Price)), "più_economico più_economica"),
    (It, (Highest, Some(Population)), "più_popoloso più_popolosa"),
    (It, (Sum, None), "totale somma in_totale"),
    (It, (Average, None), "media in_media"),
    (It, (Count, None), "quanti quante"),
    (Pt, (Highest, None), "maior mais_alto mais_alta máximo máxima"),
    (Pt, (Lowest, None), "menor mais_baixo mais_baixa mínimo mínima"),
    (Pt, (Highest, Some(Length)), "mais_longo mais_longa"),
    (Pt, (Highest, Some(Price)), "mais_caro mais_cara"),
    (Pt, (Lowest, Some(Price)), "mais_barato mais_barata"),
    (Pt, (Highest, Some(Population)), "mais_populoso mais_populosa"),
    (Pt, (Sum, None), "total soma no_total"),
    (Pt, (Average, None), "média em_média"),
    (Pt, (Count, None), "quantos quantas"),
    (Zh, (Highest, None), "最高 最多 最大"),
    (Zh, (Lowest, None), "最低 最少 最小"),
    (Zh, (Highest, Some(Price)), "最贵 最貴"),
    (Zh, (Lowest, Some(Price)), "最便宜"),
    (Zh, (Sum, None), "总共 總共 总和 總和 合计 合計 总计 總計 一共"),
    (Zh, (Average, None), "平均"),
    (Ja, (Highest, None), "最高 最多 最大 一番高い 最も高い 最も多い 一番多い 最も大きい"),
    (Ja, (Lowest, None), "最低 最少 最小 一番低い 最も低い 最も少ない 一番少ない 最も小さい"),
    (Ja, (Sum, None), "合計 総計 全部で"),
    (Ja, (Average, None), "平均"),
    (Ja, (Count, None), "いくつ"),
];

/// Words in the head of a column for a measure.
const MEASURES: [Row<Measure>; 35] = [
    (En, Height, "height elevation altitude"),
    (En, Length, "length duration"),
    (En, Depth, "depth"),
    (En, Weight, "weight mass"),
    (En, Price, "price cost fee"),
    (En, Population, "population inhabitants"),
    (En, Size, "size area"),
    (De, Height, "höhe"),
    (De, Length, "länge dauer"),
    (De, Weight, "gewicht masse"),
    (De, Price, "preis kosten gebühr"),
    (De, Population, "einwohner einwohnerzahl bevölkerung"),
    (De, Size, "größe fläche"),
    (Fr, Height, "hauteur altitude"),
    (Fr, Length, "longueur durée"),
    (Fr, Weight, "poids masse"),
    (Fr, Price, "prix coût tarif"),
    (Fr, Population, "population habitants"),
    (Fr, Size, "taille superficie"),
    (Es, Height, "altura altitud"),
    (Es, Length, "longitud duración"),
    (Es, Price, "precio costo coste tarifa"),
    (Es, Population, "población habitantes"),
    (Es, Size, "tamaño superficie"),
    (It, Height, "altezza"),
    (It, Length, "lunghezza durata"),
    (It, Price, "prezzo costo"),
    (It, Population, "popolazione abitanti"),
    (It, Size, "superficie"),
    (Pt, Length, "comprimento duração"),
    (Pt, Price, "preço custo"),
    (Pt, Population, "população habitantes"),
    (Pt, Size, "tamanho área"),
    (Zh, Price, "价格 價格"),
    (Ja, Price, "価格 値段 料金"),
];

static ASKING_WORDS: LazyLock<Table<(Aggregate, Option<Measure>)>> = LazyLock::new(|| Table::new(ASKING));
static MEASURE_WORDS: LazyLock<Table<Measure>> = LazyLock::new(|| Table::new(MEASURES));

/// The words of `question` that ask for an operation, in order, each with the measure it names itself, if any.
pub fn aggregates(question: &str) -> Vec<FoundWord<(Aggregate, Option<Measure>)>> {
    ASKING_WORDS.find_in(question, detect(question).known)
}

/// The measure that `word`, in lower case, of the head of a column names.
pub fn measure(word: &str) -> Option<Measure> {
    MEASURE_WORDS.get(word, None)
}

/// Words of a question that add nothing to what is asked of a table.
const NEUTRAL: &[(Language, &str)] = &[
    (
        En,
        "what which who whose where when how is are was were be been has have had do does did there of the a an in on at for by from to with \
        all any each table list listed row rows entry entries shown given value values amount number figure according and it its that this \
        recorded reported reach reached exist exists s please tell me find",
    ),
    (
        De,
        "was welche welcher welches welchen wer wo wann wie viel ist sind war waren hat haben hatte hatten gibt es die der das den dem des ein eine \
        in im am an auf für von vom mit bei zu zur zum aller alle tabelle zeile zeilen wert werte anzahl zahl aufgeführt laut und",
    ),
    (
        Fr,
        "quel quelle quels quelles qui que où quand combien est sont était étaient a ont avait y il le la les l de du des d un une en au aux à dans \
        pour par sur avec tous toutes tableau ligne lignes valeur valeurs nombre selon et",
    ),
    (
        Es,
        "qué cuál cuáles quién dónde cuándo cuánto cuánta es son era eran fue fueron tiene tienen tenía hay el la los las de del un una en al a para por con \
        todos todas tabla fila filas valor valores número según y lo que",
    ),
    (
        It,
        "quale quali qual chi che cosa dove quando quanto quanta è sono era erano ha hanno aveva ci il lo la i gli le l di del della dei delle dello degli un una uno in nel \
        nella a al per con su tutti tutte tabella riga righe valore valori numero secondo e d",
    ),
    (
        Pt,
        "qual quais quem que onde quando quanto quanta é são era eram foi tem têm há o a os as de do da dos das um uma em no na nos nas para por com todos \
        todas tabela linha linhas valor valores número segundo e",
    ),
    (Zh, "的 了 是 在 有 中 里 哪个 哪個 哪 个 個 多少 几 幾 什么 什麼 呢 吗 嗎 和 这 這 表 谁 誰 为 為"),
    (
        Ja,
        "の は が を に で と も です か ですか どれ どの どこ 何 ある あります いる います 中 うち 表 は何 いくら ます した",
    ),
];

static NEUTRAL_WORDS: LazyLock<Table<()>> =
    LazyLock::new(|| Table::new(NEUTRAL.iter().map(|(language, words)| (*language, (), *words))));

/// Whether `word` in a question or a head of `language`, or of any language if that one has no row, adds nothing to what is asked of a table: "war" is
/// a verb in German and a thing in English.
pub fn is_neutral(word: &str, language: Option<Language>) -> bool {
    let mut own = NEUTRAL.iter().filter(|(one, _)| Some(*one) == language).peekable();
    match own.peek() {
        Some(_) => own.flat_map(|(_, words)| words.split_whitespace()).any(|known| known == word),
        None => NEUTRAL_WORDS.get(word, None).is_some(),
    }
}

word_sets! {
    /// Whether `word` stands for the amount of what follows it.
    is_amount_noun: [
        (En, "number numbers amount quantity"), (De, "anzahl zahl menge"), (Fr, "nombre quantité"), (Es, "número cantidad"),
        (It, "numero quantità"), (Pt, "número quantidade"),
    ];
    /// Whether `word` in the head of a column says that its numbers are places in an order, of which the first is the best.
    is_rank: [
        (En, "rank ranking position pos place chart charts no no. nr id code"), (De, "rang platz platzierung nummer"), (Fr, "rang place classement numéro"),
        (Es, "puesto rango posición número"), (It, "posizione posto numero"), (Pt, "posição lugar número"), (Zh, "排名 名次"), (Ja, "順位"),
    ];
    /// Whether the first cell of a row with `word` says that the row sums up others.
    is_total: [
        (En, "total totals sum subtotal average mean median minimum maximum overall"), (De, "gesamt gesamtsumme summe endsumme insgesamt zusammen durchschnitt mittelwert median zwischensumme ø"),
        (Fr, "total totaux somme moyenne médiane ensemble"), (Es, "total totales suma promedio media mediana"), (It, "totale totali somma media mediana"),
        (Pt, "total totais soma média mediana"), (Nl, "totaal"), (Zh, "合计 合計 总计 總計 总和 小计 小計 平均"), (Ja, "合計 総計 小計 計 平均"),
    ];
}

/// The mark before the decimals of a number in texts of `language`; `None` if both are usual, or it is not known.
pub fn decimal_mark(language: Option<Language>) -> Option<char> {
    match language? {
        En | Ja | Zh | Ko | Th | Hi | He => Some('.'),
        De | Fr | It | Pt | Nl | Pl | Cs | Sv | Da | Ru | Uk | Tr | Vi | El | Ro => Some(','),
        Es | Ar => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_of_rows_is_found_in_eight_languages() {
        for (question, want) in [
            ("Which city has the highest population?", Some(Highest)),
            ("What is the most expensive room?", Some(Highest)),
            ("Which room is the least expensive?", Some(Lowest)),
            ("How many cities are there?", Some(Count)),
            ("What was the total revenue?", Some(Sum)),
            ("Welche Stadt hat die meisten Einwohner?", Some(Highest)),
            ("Wie viele Städte gibt es?", Some(Count)),
            ("Quelle ville a la population la plus élevée ?", Some(Highest)),
            ("Combien de villes y a-t-il ?", Some(Count)),
            ("¿Qué ciudad tiene la mayor población?", Some(Highest)),
            ("Qual è la città più popolosa?", Some(Highest)),
            ("Qual é a média dos preços?", Some(Average)),
            ("人口最多的城市是哪个？", Some(Highest)),
            ("価格の合計はいくらですか", Some(Sum)),
            ("Where does the ferry go?", None),
        ] {
            let found = aggregates(question);
            assert_eq!(found.first().map(|word| word.value.0), want, "{question} {found:?}");
        }
    }

    #[test]
    fn a_head_names_its_measure_and_a_sum_its_row() {
        assert_eq!((measure("height"), measure("preis"), measure("name")), (Some(Height), Some(Price), None));
        assert!(is_total("total") && is_total("gesamt") && !is_total("norway"));
        assert_eq!((decimal_mark(Some(De)), decimal_mark(Some(Es)), decimal_mark(None)), (Some(','), None, None));
    }
}
