"""Documents with header fields and laws, and questions for them that share no word with the field or section that answers.

Each template names the field it is answered from; `{n}` is how the document is called. Every one is written out in full: what people ask
has other words than what documents call it."""
import re

from sets import Document, Mirror, Question

FIELDS = {
    "author": ["Who wrote {n}?", "Who came up with {n}?", "Whose idea was {n}?", "Who is behind {n}?", "Who proposed {n}?",
               "Wer hat {n} geschrieben?", "Von wem stammt {n}?", "Qui a écrit {n} ?", "¿Quién escribió {n}?"],
    "created": ["When was {n} written?", "When was {n} first proposed?", "What day did {n} come into being?", "How old is {n}?",
                "When did work on {n} begin?", "Wann wurde {n} vorgeschlagen?", "Von wann ist {n}?", "De quand date {n} ?",
                "¿Desde cuándo existe {n}?"],
    "status": ["Is {n} final?", "Can {n} still change?", "How far along is {n}?", "Has {n} been accepted?", "Ist {n} schon angenommen?",
               "Où en est {n} ?", "¿En qué estado está {n}?"],
    "requires": ["Which proposals does {n} depend on?", "What does {n} build on?", "On which other proposals does {n} rest?",
                 "What must be there before {n}?", "Worauf baut {n} auf?", "Sur quoi s'appuie {n} ?"],
    "discussions-to": ["Where can I talk about {n}?", "Where is {n} debated?", "Wo wird über {n} gesprochen?"],
    "owning-sig": ["Which group is responsible for {n}?", "Who looks after {n}?", "Wer ist für {n} zuständig?"],
    "latest-milestone": ["In which release did work on {n} last happen?", "Up to which version has {n} been worked on?"],
    "Start Date": ["When was {n} begun?", "When was {n} written?", "How old is {n}?", "Wann entstand {n}?", "De quand date {n} ?"],
    "RFC PR": ["Where was {n} discussed?", "Which pull request brought {n}?", "Wo wurde {n} besprochen?"],
}
ALIASES = {"authors": "author", "creation-date": "created"}
FALSE = {
    "status": {"Final": ["When was {n} withdrawn?", "Why was {n} rejected?", "Why is {n} still a draft?"],
               "Withdrawn": ["When did {n} become final?", "Since when is {n} in force?"],
               "Draft": ["When did {n} become final?", "Why was {n} withdrawn?"],
               "Stagnant": ["When did {n} become final?"], "implemented": ["Why was {n} rejected?", "Why was {n} withdrawn?"]},
    "created": ["Why was {n} written in {year}?", "Who proposed {n} in {year}?"],
}


def plain(text):
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


def with_fields(called, title, head, fields, body, spread):
    """A document with its questions, one or two templates a field, chosen by `spread`."""
    blocks = [b for b in re.split(r"\n\s*\n", body) if b.strip()]
    document = Document(title, blocks[:60], head=head)
    for n, (name, value) in enumerate(fields.items()):
        asked = FIELDS.get(ALIASES.get(name, name))
        if not asked:
            continue
        if not value:
            document.unanswered.append(asked[spread % len(asked)].format(n=called))
            continue
        for step in (0, 3):
            document.questions.append(Question(asked[(spread + n + step) % len(asked)].format(n=called), [name], [value]))
    status, created = fields.get("status", ""), fields.get("created", fields.get("creation-date", ""))
    false = [q.format(n=called) for q in FALSE["status"].get(status, [])]
    if created[:4].isdigit():
        false += [q.format(n=called, year=int(created[:4]) - 3 - spread % 4) for q in FALSE["created"]]
    if false:
        document.questions.append(Question(false[spread % len(false)], [], [], "false"))
    return document


def eip(root, step=9):
    mirror = Mirror(root, "ethereum/EIPs")
    for spread, path in enumerate(sorted(mirror.paths(r"EIPS/eip-\d+\.md"))[::step]):
        match = re.match(r"---\n(.*?)\n---\n(.*)", mirror.text(path), re.S)
        if not match:
            continue
        head, body = match.groups()
        fields = dict(re.findall(r"^([a-z-]+): *(.*)$", head, re.M))
        fields.setdefault("requires", "")
        if fields.get("status") == "Moved":
            continue
        yield with_fields(f"EIP-{fields['eip']}", fields.get("title", ""), head, fields, body, spread)


def rust(root, step=6):
    mirror = Mirror(root, "rust-lang/rfcs")
    for spread, path in enumerate(sorted(mirror.paths(r"text/\d+-[a-z0-9-]+\.md"))[::step]):
        text = mirror.text(path)
        fields = {k.strip(): plain(v.strip()).strip("`") for k, v in re.findall(r"^- ([A-Z][A-Za-z ]+): *(.*)$", text[:800], re.M)}
        number = re.search(r"\d+", path)[0].lstrip("0")
        if "Start Date" in fields:
            document = with_fields(f"RFC {number}", f"{number}-{path.split('-', 1)[1][:-3]}", "", fields, text, spread)
            for question in document.questions:
                name = question.blocks[0] if question.blocks else ""
                question.blocks = [n for n, b in enumerate(document.blocks) if name and f"- {name}:" in b]
            document.unanswered = []
            yield document


def kep(root, step=4):
    mirror = Mirror(root, "kubernetes/enhancements")
    for spread, path in enumerate(sorted(mirror.paths(r"keps/sig-[a-z-]+/\d+-[^/]*/kep\.yaml"))[::step]):
        text = re.sub(r" +#.*|^#.*\n", "", mirror.text(path), flags=re.M)
        fields = {k: v.strip(" \"'") for k, v in re.findall(r"^([a-z-]+): *(.*)$", text, re.M)}
        authors = re.search(r"^authors:\n((?:\s+- .*\n)+)", text, re.M)
        fields["authors"] = ", ".join(a.strip(" -\"'@") for a in authors[1].splitlines()) if authors else ""
        number, keep = re.search(r"\d+", path)[0], ("title", "kep-number", "authors", "owning-sig", "status", "creation-date", "latest-milestone")
        fields = {k: fields[k] for k in keep if fields.get(k)}
        body = mirror.text(path.replace("kep.yaml", "README.md"))
        body = re.sub(r"<!--.*?-->", "", body, flags=re.S)
        if body and "creation-date" in fields:
            head = "\n".join(f"{k}: {v}" for k, v in fields.items())
            yield with_fields(f"KEP-{number}", fields.get("title", ""), head, fields, body, spread)


SECTIONS = {
    r"Inkrafttreten|Schlu(?:ß|ss)vorschrift": ["Ab wann gilt das?", "Seit wann ist das Gesetz wirksam?", "Von welchem Tag an sind die Regeln zu beachten?"],
    r"Ordnungswidrigkeiten|Bu(?:ß|ss)geldvorschriften": ["Was passiert, wenn ich mich nicht daran halte?", "Welche Verstöße werden geahndet?"],
    r"Strafvorschriften": ["Wie viele Jahre Gefängnis drohen?", "Wie wird ein Verstoß bestraft?"],
    r"Begriffsbestimmungen": ["Was ist mit den verwendeten Ausdrücken gemeint?", "Wie sind die Wörter definiert?"],
    r"Anwendungsbereich|Geltungsbereich": ["Für wen gilt das?", "Worauf bezieht sich das Gesetz?"],
    r"Zust(?:ä|ae)ndigkeit|Zust(?:ä|ae)ndige Beh(?:ö|oe)rde\w*": ["An welches Amt muss ich mich wenden?", "Wer ist verantwortlich?"],
    r"Geb(?:ü|ue)hren\w*|Kosten": ["Wie viel muss ich bezahlen?", "Was ist der Preis?"],
    r"Au(?:ß|ss)erkrafttreten": ["Bis wann gilt das?", "Wann endet das Gesetz?"],
    r"Ausbildungsdauer|Dauer der .*": ["Wie lange dauert die Lehre?", "Wie viele Jahre braucht man?"],
}


def law(root, step=29):
    mirror, spread = Mirror(root, "bundestag/gesetze"), 0
    for path in sorted(mirror.paths(r"[a-z]/[a-z0-9_]+/index\.md"))[::step]:
        text = mirror.text(path)
        if not 2_500 < len(text) < 60_000:
            continue
        body = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
        title = (re.search(r"^# (.*)", body, re.M) or ["", ""])[1]
        blocks = [" ".join(b.split()) for b in re.split(r"\n\s*\n", body) if b.strip()]
        document = Document(title, blocks[1:])
        for at, block in enumerate(document.blocks):
            if not (heading := re.match(r"#+ (?:§|Art) *\d+\w*\s*(.*)", block)):
                continue
            end = next((n for n in range(at + 1, len(document.blocks)) if document.blocks[n].startswith("#")), len(document.blocks))
            for name, asked in SECTIONS.items():
                if re.fullmatch(name, heading[1].strip(" -")) and end > at + 1:
                    document.questions.append(Question(asked[spread % len(asked)], list(range(at, end)), []))
                    spread += 1
        if document.questions:
            yield document
