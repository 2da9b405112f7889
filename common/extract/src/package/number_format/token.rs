//! [`Token`]: the parts of one section of a number format.

/// A part of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// Text shown as it is; white space for signs that only take room.
    Literal(String),
    /// A letter without quotes that stands for no part: shown as it is, but in dates of some languages it is a part.
    Letter(String),
    /// Place of a digit: `0`, `#` or `?`.
    Digit(char),
    Point,
    /// Groups thousands between digits, divides by 1000 after them.
    Comma,
    Percent,
    /// `E+` or `E-`: whether a plus is shown.
    Exponent {
        shows_plus: bool,
    },
    /// Between numerator and denominator, or two parts of a date.
    Slash,
    /// The number in its shortest form.
    General,
    /// The text of the cell.
    Text,
    /// Year, month or minute, day, hour, second: the letter in lower case, and how often it stands there.
    Date(char, usize),
    /// All hours, minutes or seconds of a duration, in at least so many digits.
    Elapsed(char, usize),
    /// Half of the day.
    HalfDay,
}

/// A comparison that a section is for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Condition {
    pub(super) sign: Comparison,
    pub(super) bound: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    GreaterOrEqual,
    Greater,
}

impl Condition {
    pub(super) fn holds(self, number: f64) -> bool {
        match self.sign {
            Comparison::Less => number < self.bound,
            Comparison::LessOrEqual => number <= self.bound,
            Comparison::Equal => number == self.bound,
            Comparison::NotEqual => number != self.bound,
            Comparison::GreaterOrEqual => number >= self.bound,
            Comparison::Greater => number > self.bound,
        }
    }

    /// Whether it holds for negative numbers only, whose sign is then not shown.
    pub(super) fn is_of_negatives(self) -> bool {
        match self.sign {
            Comparison::Less => self.bound <= 0.0,
            Comparison::LessOrEqual | Comparison::Equal => self.bound < 0.0,
            Comparison::NotEqual | Comparison::GreaterOrEqual | Comparison::Greater => false,
        }
    }
}

/// A section being read.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    pub(super) tokens: Vec<Token>,
    pub(super) condition: Option<Condition>,
    /// Whether letters do not stand for parts of a date.
    letters_are_words: bool,
}

/// Splits `code` into its sections.
pub(super) fn sections(code: &str) -> Vec<Scanned> {
    let chars: Vec<char> = code.chars().collect();
    let (mut all, mut at) = (Vec::new(), 0);
    loop {
        let (mut read, length) = Scanned::read(&chars[at..], false);
        if read.shows_number() {
            (read, _) = Scanned::read(&chars[at..], true);
        }
        all.push(read);
        at += length;
        if at >= chars.len() {
            return all;
        }
        at += 1;
    }
}

impl Scanned {
    /// Reads the section at the start of `rest`; also returns its length.
    fn read(rest: &[char], letters_are_words: bool) -> (Self, usize) {
        let (mut read, mut at) = (Self { letters_are_words, ..Self::default() }, 0);
        while rest.get(at).is_some_and(|c| *c != ';') {
            at += read.take(&rest[at..]);
        }
        (read, at.min(rest.len()))
    }

    /// Whether it has places of digits that are not the decimals of seconds. The number is then no date, and letters are words.
    fn shows_number(&self) -> bool {
        let (mut is_second, mut in_decimals) = (false, false);
        for token in &self.tokens {
            match token {
                Token::General => return true,
                Token::Digit(_) if !in_decimals => return true,
                Token::Digit(_) => {}
                Token::Point | Token::Comma if is_second => in_decimals = true,
                Token::Literal(text) if is_second && matches!(text.as_str(), "." | ",") => in_decimals = true,
                token => {
                    is_second = matches!(token, Token::Date('s', _) | Token::Elapsed('s', _));
                    in_decimals = false;
                }
            }
        }
        false
    }

    /// Takes the token at the start of `rest`; returns its length.
    fn take(&mut self, rest: &[char]) -> usize {
        match rest[0] {
            '"' => {
                let text: String = rest[1..].iter().take_while(|c| **c != '"').collect();
                let taken = text.chars().count() + 2;
                self.literal(&text);
                taken
            }
            '\\' => {
                self.literal(&rest.get(1).map(char::to_string).unwrap_or_default());
                2
            }
            // Room of the width of a character, and a character that fills the cell.
            '_' => {
                self.literal(" ");
                2
            }
            '*' => 2,
            '[' => self.bracket(rest),
            c @ ('0' | '#' | '?') => self.token(Token::Digit(c), 1),
            '.' => self.token(Token::Point, 1),
            ',' => self.token(Token::Comma, 1),
            '%' => self.token(Token::Percent, 1),
            '/' => self.token(Token::Slash, 1),
            '@' => self.token(Token::Text, 1),
            'E' | 'e' if matches!(rest.get(1), Some('+' | '-')) => {
                self.token(Token::Exponent { shows_plus: rest[1] == '+' }, 2)
            }
            _ => self.word(rest),
        }
    }

    fn token(&mut self, token: Token, length: usize) -> usize {
        self.tokens.push(token);
        length
    }

    fn literal(&mut self, text: &str) {
        match self.tokens.last_mut() {
            Some(Token::Literal(before)) => before.push_str(text),
            _ => self.tokens.push(Token::Literal(text.to_owned())),
        }
    }

    /// Letters that stand for a part of the number, or for themselves.
    fn word(&mut self, rest: &[char]) -> usize {
        let begins = |word: &str| {
            word.chars().enumerate().all(|(at, c)| rest.get(at).is_some_and(|found| found.eq_ignore_ascii_case(&c)))
        };
        if begins("general") {
            return self.token(Token::General, 7);
        }
        if self.letters_are_words {
            self.literal(&rest[0].to_string());
            return 1;
        }
        for half in ["am/pm", "a/p", "上午/下午", "午前/午後", "오전/오후"] {
            if begins(half) {
                return self.token(Token::HalfDay, half.chars().count());
            }
        }
        let letter = rest[0].to_ascii_lowercase();
        let length = rest.iter().take_while(|c| c.to_ascii_lowercase() == letter).count();
        match letter {
            'y' | 'm' | 'd' | 'h' | 's' => self.token(Token::Date(letter, length), length),
            // Years of an era and of Buddha: the date is written in the common calendar.
            'e' | 'b' => self.token(Token::Date('y', length), length),
            'g' => length,
            _ if rest[0].is_alphabetic() => self.token(Token::Letter(rest[0].to_string()), 1),
            _ => {
                self.literal(&rest[0].to_string());
                1
            }
        }
    }

    /// What is in brackets: a duration, a currency with a locale, a condition, a colour.
    fn bracket(&mut self, rest: &[char]) -> usize {
        let inside: String = rest[1..].iter().take_while(|c| **c != ']').collect();
        let length = inside.chars().count() + 2;
        if let Some(currency) = inside.strip_prefix('$') {
            self.literal(currency.split('-').next().unwrap_or_default());
        } else if let Some(condition) = condition(&inside) {
            self.condition = Some(condition);
        } else {
            let letter = inside.chars().next().map(|c| c.to_ascii_lowercase());
            if let Some(letter @ ('h' | 'm' | 's')) = letter
                && inside.chars().all(|c| c.to_ascii_lowercase() == letter)
            {
                self.tokens.push(Token::Elapsed(letter, inside.len()));
            }
        }
        length
    }
}

fn condition(inside: &str) -> Option<Condition> {
    let signs = [
        ("<=", Comparison::LessOrEqual),
        (">=", Comparison::GreaterOrEqual),
        ("<>", Comparison::NotEqual),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
        ("=", Comparison::Equal),
    ];
    let (rest, sign) = signs.iter().find_map(|(text, sign)| Some((inside.strip_prefix(text)?, *sign)))?;
    Some(Condition { sign, bound: rest.trim().parse().ok()? })
}
