//! Words that say under which circumstances a value holds: bounds, times, conditions, approximation, who said it, and why.

use super::sets::{phrase_sets, word_sets};
use super::tag::Language::{self, *};

word_sets! {
    /// Whether `word` makes a number approximate; an approximate number contradicts no other.
    is_approximate: [
        (En, "about around approximately approx roughly nearly almost some circa ca estimated estimate estimates"),
        (De, "rund etwa ungefähr fast knapp geschätzt"), (Fr, "environ presque près estimé"),
        (Es, "unos unas aproximadamente casi alrededor estimado"),
        (It, "circa quasi approssimativamente"), (Pt, "aproximadamente quase cerca"), (Nl, "ongeveer bijna circa"),
        (Pl, "około prawie blisko"),
        (Cs, "asi přibližně téměř"), (Sv, "cirka ungefär nästan"), (Da, "cirka omkring næsten"),
        (Ru, "около примерно почти приблизительно"),
        (Uk, "близько приблизно майже"), (Tr, "yaklaşık neredeyse"), (Ar, "حوالي نحو تقريبا"), (Hi, "लगभग करीब"),
        (Ja, "約 大約 およそ"),
        (Ko, "약 대략"), (Zh, "约 約 大约 大約"), (Vi, "khoảng gần"), (Th, "ประมาณ"), (El, "περίπου σχεδόν"),
    ];
    /// Whether `word` bounds a number, or sets its time or condition.
    is_condition: [
        (
            En,
            "least most more less than over under up minimum maximum min max average mean median per each total was were had been will would \
            should can must planned expected forecast target until before after since former formerly previously originally initially currently \
            first last if other another both either",
        ),
        (
            De,
            "mindestens höchstens mehr weniger als über unter bis durchschnittlich je pro war waren wurde wurden wird werden würde soll sollte \
            geplant erwartet vor nach seit früher ursprünglich zunächst erste letzte wenn andere",
        ),
        (
            Fr,
            "moins plus au jusqu moyenne par était étaient sera seront serait prévu attendu avant après depuis premier dernier si autre menos",
        ),
        (Es, "más hasta media por era eran fue fueron será serán sería previsto antes después desde primero último otro"),
        (It, "almeno massimo meno prima dopo sarà previsto"), (Pt, "mais menos até antes depois será previsto"),
        (Nl, "minstens hoogstens meer minder voor_die na sinds zal"),
        (Pl, "najmniej najwyżej więcej mniej przed będzie"),
        (Cs, "nejméně nejvýše více méně před bude"), (Sv, "minst högst mer mindre före efter ska"),
        (Da, "mindst højst mere mindre før efter skal"),
        (Ru, "более менее больше меньше минимум максимум до после будет"),
        (Uk, "більше менше мінімум максимум після буде"),
        (Tr, "en_az en_çok önce sonra"), (El, "τουλάχιστον περισσότερο λιγότερο πριν μετά θα"),
    ];
    /// Whether `word` says who said something, or on which day, which does not change what was said.
    attributes: [
        (En, "said says say according reported reports report announced announces stated states statement noted today yesterday"),
        (De, "sagte sagt laut berichtet berichtete erklärte teilte mit heute gestern"),
        (Fr, "dit déclaré annoncé selon"),
        (Es, "dijo según anunció"), (It, "detto dichiarato annunciato secondo"), (Pt, "disse segundo anunciou"),
        (Nl, "zei volgens meldde"),
        (Pl, "powiedział według"), (Cs, "řekl podle"), (Sv, "sade enligt meddelade"), (Da, "sagde ifølge meddelte"),
        (Ru, "сказал сообщил согласно"),
        (Uk, "сказав повідомив згідно"), (El, "είπε σύμφωνα"),
    ];
    /// Whether `word` gives a reason.
    gives_reason: [
        (En, "because since due owing therefore thus hence cause caused causes causing reason reasons result resulted results"),
        (De, "weil denn wegen aufgrund deshalb daher damit dadurch"), (Fr, "car parce afin grâce raison cause"),
        (Es, "porque debido pues razón causa gracias"), (It, "perché poiché siccome dunque causa motivo"),
        (Pt, "porque devido pois causa motivo"),
        (Nl, "omdat want daarom vanwege reden"), (Pl, "ponieważ bo dlatego gdyż przyczyna powodu"),
        (Cs, "protože neboť proto kvůli důvod"),
        (Sv, "eftersom därför orsak"), (Da, "fordi derfor grund årsag"),
        (Ru, "потому поскольку из-за благодаря так причина"),
        (Uk, "тому бо оскільки через завдяки причина"), (Tr, "çünkü nedeniyle dolayı sebebi"),
        (Ar, "لأن بسبب لذلك نتيجة"), (Hi, "क्योंकि कारण इसलिए"),
        (Ko, "때문에 왜냐하면 이유는 따라서"), (Vi, "vì bởi do_đó nên"), (El, "επειδή διότι λόγω γιατί αιτία"),
    ];
}

phrase_sets! {
    /// Whether `text` gives a reason, in scripts without spaces.
    has_unspaced_reason: [(Zh, "因为 由于 因此 所以"), (Ja, "ため から ので"), (Th, "เพราะ เนื่องจาก")];
}
