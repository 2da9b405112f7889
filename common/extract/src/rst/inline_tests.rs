use super::definitions::Definitions;
use super::inline;

fn read(source: &str) -> String {
    let page = ".. |sub| replace:: *put* in\n.. [#f] x\n.. [2] y\n.. [#] z\n";
    inline::read(source, &Definitions::of(&page.lines().collect::<Vec<_>>(), inline::replacement)).words().text
}

#[test]
fn markup_goes_and_words_stay() {
    for (source, want) in [
        ("*a b* **c** ``d*`` `e` (*f*) \"``g``\"", "a b c d* e (f) \"g\""),
        ("``not \\*this`` \\*but\\* this\\ s", "not \\*this *but* thiss"),
        (":func:`len` :py:class:`~a.B` `x`:sub: :meth:`!c.d`", "len B ₓ c.d"),
        (":pep:`8` and :rfc:`2119`, :pep:`this <20>`", "PEP 8 and RFC 2119, this"),
        ("`text <https://a.b>`_ `phrase one`_ `anon`__ `<https://c.d>`_", "text phrase one anon https://c.d"),
        ("a name_ and name__, other_ (name_)", "a name and name, other (name)"),
        ("are :strike:`not` allowed, x\\ :sup:`2`", "are allowed, x²"),
        ("by 2_ and [2_]", "by 2 and [2]"),
        ("see [1]_, [#f]_ and [#]_ and [Cit2002]_", "see [1], [1] and [3] and [Cit2002]"),
        ("|sub| |sub|_ |none|", "put in put in |none|"),
        ("an _`inline target` here", "an inline target here"),
        ("**a *b* c** ```d```", "a *b* c `d`"),
        ("**use ``a*b`` and `c`** *``d``*", "use a*b and c d"),
        ("H\\ :sub:`2`\\ O", "H₂O"),
        (":math:`\\alpha` :code:`a\\b`", "\\alpha a\\b"),
    ] {
        assert_eq!(read(source), want, "{source}");
    }
}

#[test]
fn what_only_looks_like_markup_stays() {
    for source in [
        "a * b * c",
        "__init__ and x_y_ and _z",
        "*args and **kwargs",
        "2*x and 3*y",
        "'*' \"`\" (*) '|'",
        "a | b | c",
        "``open and *open and `open",
        "a[1] and [x] and :colon: text",
        "* a*",
        "https://a.b/c_d?e=*f",
    ] {
        assert_eq!(read(source), source);
    }
}

#[test]
fn many_marks_cost_little() {
    for mark in ["`", "``", "*", "*a ", "**a ", "|a ", "`a ", "``a ", "[a", ":a:", "a-", "a_", "\\", "_`a "] {
        let source = mark.repeat(200_000 / mark.len()) + "x|";
        assert!(read(&source).len() <= source.len());
    }
}
