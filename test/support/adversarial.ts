/** Returns the first `length` characters of a text that is repeated. */
const repeated = (part: string, length: number): string => part.repeat(Math.ceil(length / part.length)).slice(0, length)

const listOf = (part: string, length: number): string =>
  `[${Array.from({ length: Math.max(1, Math.floor(length / (part.length + 1))) }, () => part).join(',')}]`

const objectOf = (member: (i: number) => string, length: number): string =>
  `{${Array.from({ length: Math.max(1, Math.floor(length / (member(0).length + 1))) }, (_, i) => member(i)).join(',')}}`

/** Texts of about some characters that are valid JSON, by the difficulty of each text. */
export const ADVERSARIAL_JSON: Readonly<Record<string, (length: number) => string>> = {
  'nested lists': (n) => '['.repeat(n / 2) + ']'.repeat(n / 2),
  'nested objects': (n) => `${'{"a":'.repeat(n / 6)}1${'}'.repeat(n / 6)}`,
  'nested objects in lists': (n) => `${'[{"a":'.repeat(n / 8)}1${'}]'.repeat(n / 8)}`,
  'one key many times': (n) => objectOf(() => '"a":1', n),
  'one key many times, nested': (n) => objectOf(() => '"a":{"a":[{"a":1}]}', n),
  'many keys': (n) => objectOf((i) => `"k${i}":1`, n),
  'numbers as keys': (n) => objectOf((i) => `"${i}":1`, n),
  'keys with escapes': (n) => objectOf(() => '"\\u0061\\\\\\"":1', n),
  digits: (n) => listOf('1', n),
  'long digits': (n) => `[${'9'.repeat(n - 2)}]`,
  objects: (n) => listOf('{"a":1}', n),
  'empty objects': (n) => listOf('{}', n),
  'empty lists': (n) => listOf('[]', n),
  'empty texts': (n) => listOf('""', n),
  'a text of backslashes': (n) => `{"a":"${'\\\\'.repeat(n / 2 - 4)}"}`,
  'a text of quotes': (n) => `{"a":"${'\\"'.repeat(n / 2 - 4)}"}`,
  'a key of backslashes': (n) => `{"${'\\\\'.repeat(n / 2 - 3)}":1}`,
  'texts of backslashes': (n) => listOf('"\\\\\\\\"', n),
  'a text alone': (n) => `"${'\\u0000'.repeat(n / 6)}"`,
  'white space': (n) => `[${' \n\t'.repeat(n / 3)}]`,
  'white space between': (n) => listOf(' 1 ', n),
}

/**
 * Well-formed texts of about some characters, by the difficulty of each text. No value has half of a surrogate pair.
 */
export const ADVERSARIAL_TEXTS: Readonly<Record<string, (length: number) => string>> = {
  ...ADVERSARIAL_JSON,
  'a letter': (n) => 'a'.repeat(n),
  'letters and a near miss': (n) => `${'a'.repeat(n - 1)}b`,
  'two letters': (n) => repeated('ab', n),
  capitals: (n) => repeated('AΣ', n),
  'letters that become longer': (n) => repeated('ßİŉ', n),
  'combining marks': (n) => `a${'\u0301'.repeat(n - 1)}`,
  'combining marks in the wrong order': (n) => '\u0327\u0301'.repeat(n / 4) + '\u0316\u0308'.repeat(n / 4),
  'runs of marks, almost long': (n) => repeated(`a${'\u0301'.repeat(30)}`, n),
  'runs of marks, almost long, in the wrong order': (n) =>
    repeated(`a${'\u0345\u0301\u0316\u0327\u0334'.repeat(6)}`, n),
  'letters with marks': (n) => repeated('e\u0323\u0301', n),
  ligatures: (n) => repeated('\ufdfa\u1100\u1161', n),
  'pairs of surrogates': (n) => repeated('😀', n),
  'replacements of half pairs': (n) => '\ufffd'.repeat(n),
  quotes: (n) => '"'.repeat(n),
  backslashes: (n) => '\\'.repeat(n),
  'escaped quotes': (n) => repeated('\\"', n),
  zeros: (n) => '0'.repeat(n),
  nines: (n) => '9'.repeat(n),
  'nines with a sign': (n) => `-${'9'.repeat(n - 1)}`,
  'nines and a letter': (n) => `${'9'.repeat(n - 1)}x`,
  'a fraction': (n) => `0.${'0'.repeat(n - 3)}1`,
  'a whole number with zeros behind it': (n) => `1.${'0'.repeat(n - 2)}`,
  'two halves of digits': (n) => `${'1'.repeat(n / 2)}.${'1'.repeat(n / 2 - 1)}`,
  'hexadecimal digits': (n) => `0x${'f'.repeat(n - 2)}`,
  'an exponent': (n) => `1e${'0'.repeat(n - 3)}1`,
  'white space of all kinds': (n) => repeated(' \t\n\u00a0\ufeff\u2003', n),
  'white space and a letter': (n) => `${' '.repeat(n - 1)}x`,
  'a letter and white space': (n) => `x${' '.repeat(n - 1)}`,
  'white space between letters': (n) => `x${' '.repeat(n - 2)}x`,
  'white space around digits': (n) => `${' '.repeat(n / 3)}${'1'.repeat(n / 3)}${' '.repeat(n / 3)}`,
  'open brackets': (n) => '['.repeat(n),
  commas: (n) => ','.repeat(n),
  dots: (n) => '.'.repeat(n),
  'slashes and colons': (n) => repeated('://', n),
  'question marks': (n) => `${'/'.repeat(n - 1)}?`,
  'percent signs': (n) => repeated('%a', n),
  'a time with many digits': (n) => `2026-11-24T00:00:00.${'0'.repeat(n - 21)}Z`,
  times: (n) => repeated('2026-11-24 00:00:00 ', n),
  'names of days': (n) => repeated('Monday', n),
}
