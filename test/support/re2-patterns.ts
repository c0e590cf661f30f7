import { below, oneOf, type Random } from './random.js'

const LITERALS = [
  ...['a', 'b', 'c', 'k', 's', 'S', 'K', '0', '7', '_', '-', ' ', '/', '\n', '\t', '\0', ',', ':', '"', 'é', 'É', 'ß'],
  ...['ſ', '\u212a', 'İ', 'ı', 'σ', 'ς', 'Σ', 'Ω', '\u2126', 'ẞ', 'Ꭰ', 'ꭰ', 'Ა', 'ა', 'ɤ', 'ƛ', 'ʕ', '\u{a7dc}'],
  ...['漢', '😀', '\u{10400}', '\u{10428}', '\u{10d50}', '\u{10d70}', '\ufffd', '\u2028', '\x85', '\xff', '\u{10ffff}'],
  ...['\u0301', '\u1c89', '\u{1171e}', '\u{a7cb}', '\u{a7d3}', 'ab', 'ba'],
]
const ESCAPES = [
  ...['\\a', '\\f', '\\t', '\\n', '\\r', '\\v', '\\.', '\\\\', '\\/', '\\-', '\\]', '\\x41', '\\x{e9}', '\\x{1F600}'],
  ...['\\x{a7dc}', '\\x{19b}', '\\x{264}', '\\x0a', '\\101', '\\07', '\\0', '\\633', '\\1144', '\\123', '\\"', '\\ '],
]
const PERL_CLASSES = ['\\d', '\\D', '\\w', '\\W', '\\s', '\\S']
const NAMES = [
  ...[
    'L',
    'Lu',
    'Ll',
    'Lt',
    'Lm',
    'Lo',
    'M',
    'Mn',
    'Mc',
    'Me',
    'N',
    'Nd',
    'Nl',
    'No',
    'P',
    'Pc',
    'Pd',
    'Po',
    'S',
    'Sc',
  ],
  ...['Sk', 'Sm', 'So', 'Z', 'Zs', 'C', 'Cc', 'Cf', 'Co', 'Cs', 'Any', 'Greek', 'Latin', 'Cyrillic', 'Han', 'Common'],
  ...['Inherited', 'Arabic', 'Cherokee', 'Georgian', 'Kannada', 'Deseret', 'Ahom', '^Lu', '^Greek'],
]
const UNKNOWN_NAMES = ['Cn', 'LC', 'Klingon', 'Garay', 'Emoji', 'Unknown', 'Alphabetic', 'Assigned', 'greek', '']
const POSIX = [
  'alnum',
  'alpha',
  'ascii',
  'blank',
  'cntrl',
  'digit',
  'graph',
  'lower',
  'print',
  'punct',
  'space',
  'upper',
]
const POSIX_CLASSES = [...POSIX, 'word', 'xdigit'].flatMap((name) => [`[:${name}:]`, `[:^${name}:]`])
const ANCHORS = ['^', '$', '\\A', '\\z', '\\b', '\\B', '(?m:^)', '(?m:$)', '(?-m:$)']
const REPEATS = [
  '*',
  '+',
  '?',
  '*?',
  '+?',
  '??',
  '{2}',
  '{0}',
  '{1}',
  '{0,3}',
  '{1,}',
  '{2,5}',
  '{0,}',
  '{2,}?',
  '{1,2}?',
]
const GROUPS = [
  ...['(', '(', '(?:', '(?i:', '(?s:', '(?m:', '(?U:', '(?-i:', '(?i-s:', '(?ims:', '(?U-s:', '(?-s:', '(?is-m:'],
]
const FLAGS = ['(?i)', '(?s)', '(?m)', '(?U)', '(?-i)', '(?i-s)', '(?sm)', '(?-U)']
/** The flags that patterns are compiled with. */
export const FLAG_SETS: readonly string[] = ['', 'g', 'i', 'gi', 'gm', 's', 'gs', 'im', 'gims']

const className = (random: Random): string => {
  const name = oneOf(random, random() < 0.97 ? NAMES : UNKNOWN_NAMES)
  return `\\${random() < 0.75 ? 'p' : 'P'}${name.length === 1 && random() < 0.5 ? name : `{${name}}`}`
}

/** A range, or a text that only looks like a range. */
function classRange(random: Random): string {
  const ends = [oneOf(random, LITERALS), oneOf(random, LITERALS)]
    .map((literal) => String.fromCodePoint(literal.codePointAt(0)!))
    .sort((a, b) => a.codePointAt(0)! - b.codePointAt(0)!)
  const escaped = ends.map((end) => (end === '-' ? '\\-' : end))
  return random() < 0.97 ? escaped.join('-') : escaped.reverse().join('-')
}

function classItem(random: Random): string {
  const kind = random()
  if (kind < 0.35) return oneOf(random, LITERALS)
  if (kind < 0.55) return classRange(random)
  if (kind < 0.65) return oneOf(random, ESCAPES)
  if (kind < 0.75) return oneOf(random, PERL_CLASSES)
  if (kind < 0.85) return oneOf(random, POSIX_CLASSES)
  if (kind < 0.97) return className(random)
  return oneOf(random, ['.', '*', '^', '[', '(?<', '$', '|'])
}

const bracketed = (random: Random): string =>
  `[${oneOf(random, ['', '', '^', ']', '^]', '-', '^-'])}` +
  `${Array.from({ length: 1 + below(random, 3) }, () => classItem(random)).join('')}${random() < 0.1 ? '-' : ''}]`

function atom(random: Random, depth: number): string {
  const kind = random()
  if (depth > 0 && kind < 0.35) {
    const name = random() < 0.15 ? oneOf(random, ['(?P<n>', '(?<name>', '(?P<n1>', '(?<n>']) : oneOf(random, GROUPS)
    return `${name}${alternatives(random, depth - 1)})`
  }
  if (kind < 0.65) return oneOf(random, LITERALS).replace(/[-/]/g, '\\$&')
  if (kind < 0.72) return '.'
  if (kind < 0.78) return oneOf(random, ESCAPES)
  if (kind < 0.82) return oneOf(random, PERL_CLASSES)
  if (kind < 0.86) return className(random)
  if (kind < 0.93) return bracketed(random)
  if (kind < 0.97) return oneOf(random, ANCHORS)
  if (kind < 0.98) return oneOf(random, ['\\Qa.b\\E', '\\Q/*\\E', '\\Q\\E', '\\Qab'])
  if (kind < 0.99) return oneOf(random, FLAGS)
  return oneOf(random, ['', '\\C', '\\pZ', '\\Z', '[^\\x00-\\x{10FFFF}]', '[[:word:]'])
}

function sequence(random: Random, depth: number): string {
  return Array.from({ length: below(random, 4) }, () => {
    const part = atom(random, depth)
    return random() < 0.35 ? part + oneOf(random, REPEATS) : part
  }).join('')
}

const alternatives = (random: Random, depth: number): string =>
  Array.from({ length: random() < 0.6 ? 1 : 1 + below(random, 3) }, () => sequence(random, depth)).join('|')

/** A pattern that has all of RE2's syntax, and is valid in most cases. */
export const randomRe2Pattern = (random: Random): string =>
  (random() < 0.15 ? oneOf(random, FLAGS) : '') + alternatives(random, 1 + below(random, 3))

/** A text of what patterns are made of: short in most cases, with a repetition in some. */
export function randomText(random: Random): string {
  const pieces = () =>
    Array.from({ length: below(random, 8) }, () =>
      random() < 0.6 ? oneOf(random, ['a', 'b', 'ab', 'k', 's', '0', ' ', '\n', '_']) : oneOf(random, LITERALS),
    ).join('')
  const text = pieces()
  if (random() < 0.05) return text + pieces().repeat(below(random, 400)) + pieces()
  return random() < 0.02 ? `${text}\ud800${pieces()}\udc00` : text
}
