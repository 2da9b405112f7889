//! Words for quantities, and the words between a quantity and its number.

use super::sets::word_sets;
use super::tag::Language::{self, *};

word_sets! {
    /// Whether `word` is a quantity of which a percentage is only a share.
    is_extent: [
        (
            En,
            "population area size length height width depth weight mass distance speed altitude elevation duration age price cost revenue \
            turnover income salary wage budget volume temperature number count total amount diameter radius capacity",
        ),
        (
            De,
            "bevölkerung einwohnerzahl fläche größe länge höhe breite tiefe gewicht masse entfernung geschwindigkeit dauer alter preis kosten \
            umsatz einkommen gehalt haushalt volumen temperatur anzahl zahl betrag durchmesser kapazität",
        ),
        (
            Fr,
            "superficie taille longueur hauteur largeur profondeur poids vitesse durée âge prix coût revenu salaire température nombre montant \
            diamètre capacité",
        ),
        (
            Es,
            "población tamaño longitud altura anchura profundidad peso masa distancia velocidad duración edad precio costo coste ingresos salario \
            presupuesto volumen temperatura número cantidad diámetro capacidad",
        ),
        (It, "popolazione lunghezza altezza larghezza profondità velocità durata età prezzo costo reddito numero diametro capacità"),
        (Pt, "população comprimento altura largura profundidade velocidade duração idade preço custo salário número diâmetro capacidade"),
        (Nl, "bevolking oppervlakte lengte hoogte breedte diepte gewicht snelheid duur leeftijd prijs kosten omzet inkomen aantal"),
        (Pl, "powierzchnia długość wysokość szerokość głębokość waga prędkość wiek cena koszt liczba"),
        (Sv, "befolkning yta längd höjd bredd djup vikt hastighet ålder pris kostnad antal"),
        (Da, "befolkning areal længde højde bredde dybde vægt hastighed alder pris antal"),
        (Ru, "население площадь длина высота ширина глубина вес скорость возраст цена стоимость число количество"),
        (Uk, "населення площа довжина висота ширина глибина вага швидкість вік ціна вартість кількість"),
    ];
    /// Whether `word` is a quantity that may be a percentage.
    is_share: [
        (
            En,
            "rate percentage share proportion prevalence incidence frequency ratio limit maximum minimum cap threshold period interval timeout \
            deadline dose dosage rating score unemployment inflation interest discount fee penalty tax",
        ),
        (De, "rate anteil prozentsatz grenze höchstwert mindestwert schwelle zeitraum frist dosis gebühr strafe steuer zinssatz"),
        (Fr, "taux pourcentage proportion limite seuil délai période frais pénalité impôt"),
        (Es, "tasa porcentaje proporción límite máximo mínimo umbral plazo período multa impuesto"),
        (It, "tasso percentuale quota limite soglia termine imposta"), (Pt, "taxa percentagem limite prazo imposto"),
        (Nl, "percentage aandeel grens drempel termijn belasting"), (Pl, "odsetek udział limit próg termin podatek"),
        (Sv, "andel gräns frist skatt ränta"), (Da, "andel grænse frist skat rente"),
        (Ru, "доля процент предел порог срок налог"),
        (Uk, "частка відсоток межа строк податок"),
    ];
    /// Whether `word` stands between what is measured and the thing it is a quantity of.
    is_joint: [
        (En, "of in for on at per between by"), (De, "von des der vom im in für"), (Fr, "de du d en pour"),
        (Es, "del para"), (Nl, "van voor"),
        (It, "della dello di"),
    ];
    /// Whether `word` stands before a quantity that is mentioned as that of which another is given.
    is_of: [(En, "of"), (De, "von der des"), (Fr, "de du"), (Es, "del"), (Nl, "van"), (It, "di della")];
    /// Whether `word` appends a number to its quantity: `population of 4.9 million`.
    apposes: [(En, "of"), (De, "von"), (Fr, "de")];
    /// Whether `word` may stand between a quantity and its number.
    links: [
        (
            En,
            "of is are was were be been at to about around roughly approximately nearly almost some only just over under than more less least most \
            estimated measured reported set fixed limited equal equals reached reaches totalled totaled totals amounts amounted stands stood \
            averages averaged currently now a an the up",
        ),
        (De, "von ist sind war waren beträgt betrug liegt lag bei etwa rund ca circa knapp über mindestens höchstens derzeit"),
        (Fr, "est était sont de d environ à près plus moins"),
        (Es, "es era son fue cerca unos aproximadamente alcanza"),
        (It, "è era circa ammonta"), (Pt, "é era cerca"), (Nl, "is was bedraagt ongeveer circa"), (Sv, "är cirka"),
        (Da, "cirka"),
        (Ru, "составляет около"), (Uk, "становить близько"),
    ];
    /// Whether `word` behind a number makes it a percentage.
    makes_share: [
        (En, "% percent per"), (De, "prozent"), (Fr, "pour"), (Es, "por"), (Nl, "procent"), (Ru, "процентов"),
        (Uk, "відсотків"),
    ];
    /// Whether `word` behind a number makes it the bound of a class: `30,000 or more`.
    makes_class: [(En, "or"), (De, "oder"), (Fr, "ou"), (Es, "o")];
    /// Whether `word` stands between a scale and its unit: `2 millones de euros`.
    joins_unit: [(En, "of"), (Fr, "de d"), (It, "di"), (Pt, "de"), (Es, "de")];
}
