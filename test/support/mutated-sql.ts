import { below, oneOf, type Random } from './random.js'

/** Texts that a mutation puts in: words, symbols and characters that the syntax gives a meaning. */
const PIECES = [
  'select',
  'from',
  'where',
  'and',
  'or',
  'not',
  'in',
  'is null',
  'between',
  'like',
  'case when',
  'then',
  'else',
  'end',
  'group by',
  'order by',
  'limit',
  'offset',
  'having',
  'union all',
  'with x as (',
  'distinct',
  'cross join unnest(',
  'left join unnest(',
  'as',
  'on true',
  'interval 1 hour',
  'cast(',
  'safe_cast(',
  'extract(',
  'count(*)',
  'sum(',
  'edge_logs',
  'metadata',
  'timestamp',
  'request.method',
  'null',
  'true',
  '1',
  '0',
  '-1',
  '9223372036854775808',
  '1e999',
  "'a'",
  "'",
  '"',
  '`',
  '(',
  ')',
  '((',
  '))',
  '[',
  ']',
  '[offset(0)]',
  ',',
  ';',
  '.',
  '..',
  '*',
  '/',
  '+',
  '-',
  '--',
  '#',
  '/*',
  '*/',
  '=',
  '!=',
  '<',
  '>',
  '||',
  '::',
  '::int64',
  '->>',
  '@',
  '@p',
  '\\',
  '\u0000',
  '😀',
  '\ud800',
  '\n',
  '\t',
  'é',
] as const

const TOKEN = /\s+|[A-Za-z_]\w*|\d+|'[^']*'|"[^"]*"|`[^`]*`|./gsu

type Mutation = (tokens: string[], at: number, random: Random) => void

const MUTATIONS: readonly Mutation[] = [
  (tokens, at) => tokens.splice(at, 1),
  (tokens, at, random) => tokens.splice(at, 1 + below(random, 5)),
  (tokens, at, random) => tokens.splice(at, 0, ` ${oneOf(random, PIECES)} `),
  (tokens, at, random) => tokens.splice(at, 1, oneOf(random, PIECES)),
  (tokens, at) => tokens.splice(at, 0, tokens[at]!),
  (tokens, at, random) => {
    const other = below(random, tokens.length)
    ;[tokens[at], tokens[other]] = [tokens[other]!, tokens[at]!]
  },
  (tokens, at, random) => {
    const piece = tokens.slice(at, at + 1 + below(random, 8))
    tokens.splice(below(random, tokens.length), 0, ...piece)
  },
  (tokens, at) => tokens.splice(at),
  (tokens, at, random) =>
    tokens.splice(at, 1, oneOf(random, ['(', '-', 'not ', 'lower(']).repeat(1 + below(random, 50))),
]

/** Returns a text with one to four changes, most of which make the text wrong. */
export function mutated(text: string, random: Random): string {
  const tokens = text.match(TOKEN) ?? []
  for (let left = 1 + below(random, 4); left > 0 && tokens.length > 0; left--) {
    oneOf(random, MUTATIONS)(tokens, below(random, tokens.length), random)
  }
  return tokens.join('')
}
