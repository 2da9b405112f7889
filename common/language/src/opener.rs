//! Words that open sentences, and what an opening tells: that it opens one at all, refers back, or continues an argument.

use super::sets::word_sets;
use super::tag::Language::{self, *};

word_sets! {
    /// Whether `word` opens sentences and is rarely capitalized inside one.
    opens_sentence: [
        (
            En,
            "the this these that those in on at for from with by as if when while since because although however thus therefore moreover furthermore \
            it its we our he she they his their her you your there here then but and or so to an all both each some many most several no not after \
            before during under between let what how why who where which another other such one two given unlike despite once according today \
            currently any using nobody nothing none never neither nor unless except only everyone everybody without",
        ),
        (
            De,
            "der die das den dem des ein eine einen einem einer es er wir ist sind sei seien dann wenn falls für im auf mit bei nach aus von vom zum \
            zur dies diese dieser dieses da daher also auch aber und oder jede jeder jedes alle man nun zu durch über um seit wird hier dabei damit \
            dazu kein keine keinen keinem keiner nicht nie niemals niemand weder nur außer ohne",
        ),
        (
            Fr,
            "le la les un une on il elle ils elles nous vous ce cet cette ces dans pour par sur avec en au aux du mais si lorsque selon après avant \
            ni nul aucun aucune jamais personne rien seul seule sauf",
        ),
        (
            Es,
            "el los las una uno lo este esta estos estas para por con según pero como ningún ninguna ninguno nunca jamás nadie nada solo sólo salvo",
        ),
        (It, "gli i nel nella questo questa per nessun nessuno nessuna mai niente"),
        (Pt, "o os uma em na não de nenhum nenhuma ninguém"),
        (Nl, "het een dit deze wij zij ook maar voor door naar als"),
        (Pl, "nie nikt żaden żadna nigdy tylko ani to"), (Cs, "nikdo žádný nikdy"),
        (Sv, "det den detta dessa vi hon om när efter enligt ingen inget aldrig bara endast utan"),
        (Da, "det den dette disse vi hun han hvis når efter ifølge ingen intet aldrig kun uden"),
        (Ru, "не нет ни никто никогда ничто только кроме он она они это эта этот на но если"),
        (Uk, "не ні ніхто ніколи ніщо тільки крім він вона вони це ця цей але якщо"),
        (Tr, "hiçbir hiç kimse asla yalnızca ancak bu"), (Vi, "không chỉ trừ nếu"),
        (El, "ο η το οι αυτό αυτός αυτή δεν αν όταν κανείς μόνο"),
        (Ar, "لا لم لن ليس هذا هذه إذا عندما فقط"), (Hi, "यह ये वह यदि जब नहीं कोई केवल"),
    ];
    /// Whether `word` opens a sentence and refers to earlier text.
    refers_back: [
        (En, "this these that those it its they their he his she her him them such here"),
        (De, "dies diese dieser dieses er sie es"),
        (Fr, "il elle ils elles cela ce"), (Es, "esto esta este"), (It, "questo questa ciò esso"),
        (Pt, "isto este esta isso"), (Nl, "dit deze hij zij"),
        (Pl, "ona oni"), (Cs, "tento tato toto"), (Sv, "detta denna dessa hon"), (Da, "dette denne disse hun"),
        (Ru, "это этот эта он она они"), (Uk, "це цей ця він вона вони"), (Tr, "bu o bunlar"), (El, "αυτό αυτός αυτή"),
    ];
    /// Whether `word` is a name that a text has for itself: behind "this" it refers to the text, not to earlier text.
    names_own_text: [
        (En, "paper proposal study report article work thesis document rule form survey review book guide standard"),
    ];
    /// Whether `word` early in a sentence says that something was said before it.
    adds_to_earlier: [
        (En, "also too likewise however therefore thus moreover furthermore"),
        (De, "auch ebenfalls ebenso jedoch daher außerdem"), (Fr, "aussi également cependant donc"),
        (Es, "también además asimismo"), (It, "anche inoltre tuttavia"), (Pt, "também além porém"),
        (Nl, "ook eveneens echter"), (Pl, "także również jednak"), (Cs, "také rovněž však"), (Sv, "också även dock"),
        (Da, "også ligeledes dog"), (Ru, "также тоже однако"), (Uk, "також теж однак"), (Tr, "ayrıca da"),
        (El, "επίσης όμως"),
    ];
    /// Whether `word` opens a sentence and continues an argument.
    continues: [
        (
            En,
            "however thus therefore moreover furthermore also but and or so then hence similarly consequently additionally finally instead otherwise \
            nevertheless",
        ),
        (De, "jedoch daher dabei außerdem dann aber und deshalb somit"), (Fr, "cependant mais donc ainsi"),
        (Es, "pero además sin"),
        (It, "tuttavia quindi inoltre ma"), (Pt, "porém portanto além mas"), (Nl, "echter daarom bovendien dus"),
        (Pl, "jednak zatem ponadto ale"),
        (Cs, "však proto navíc ale"), (Sv, "dock därför dessutom"), (Da, "derfor desuden"),
        (Ru, "однако поэтому кроме но"),
        (Uk, "однак тому крім але"), (Tr, "ancak bu_nedenle ayrıca ama"), (El, "όμως επομένως επίσης αλλά"),
    ];
}

/// Whether `text`, of a script without end marks, continues the text before it: it begins with and, or, but, except, unless, because, so that,
/// if, which, that, by, for, only, not, such as.
pub fn goes_on_unmarked(text: &str) -> bool {
    const THAI: &str = "และ หรือ แต่ ยกเว้น เว้น นอกจาก เพราะ เนื่องจาก เพื่อ จึง จน ถ้า หาก แม้ ซึ่ง ที่ โดย สำหรับ เฉพาะ เท่านั้น ไม่ มิ ห้าม อย่า เช่น ได้แก่ คือ \
        ว่า กับ ของ ใน ๆ ฯ";
    const LAO: &str = "ແລະ ຫຼື ແຕ່ ຍົກເວັ້ນ ນອກຈາກ ເພາະ ເພື່ອ ຖ້າ ເຊິ່ງ ທີ່ ໂດຍ ບໍ່ ຫ້າມ ເຊັ່ນ";
    THAI.split_whitespace().chain(LAO.split_whitespace()).any(|word| text.starts_with(word))
}
