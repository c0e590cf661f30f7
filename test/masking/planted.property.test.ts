import { tableFromIPC } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { createParser } from '../../src/ingest/stream/parse.js'
import { createMasker } from '../../src/masking/lines/masker.js'
import type { Masked, MaskRule, Treatment } from '../../src/masking/rule.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'

/**
 * Records with secrets in every place. The oracle masks the parsed record by the list of planted secrets, and knows
 * neither paths of bytes nor patterns.
 */

const NOW_US = 1_764_000_000_000_000
const SOURCES = ['edge_logs', 'auth_logs', 'postgres_logs']

/** A secret, and the text in its place. */
interface Secret {
  text: string
  masked: string
}

const letters = (random: Random, count: number) =>
  Array.from({ length: count }, () => String.fromCharCode(97 + below(random, 26))).join('')

const base64url = (random: Random) => `${letters(random, 8)}_${below(random, 1e6)}-${letters(random, 6)}`

function cardOf(random: Random): string {
  const digits = [4, ...Array.from({ length: 14 }, () => below(random, 10))]
  const sum = digits.reduce((all, digit, i) => all + (i % 2 === 0 ? (digit > 4 ? 2 * digit - 9 : 2 * digit) : digit), 0)
  return [...digits, (10 - (sum % 10)) % 10].join('')
}

/** Texts around which nothing else is a secret. */
const SECRETS: readonly ((random: Random) => Secret)[] = [
  (random) => ({ text: `${letters(random, 6)}.${letters(random, 4)}@${letters(random, 7)}.example`, masked: '***' }),
  (random) => ({ text: `eyJ${base64url(random)}.eyJ${base64url(random)}.${base64url(random)}`, masked: '***' }),
  (random) => ({ text: `S3cr3t${letters(random, 12)}`, masked: '***' }),
  (random) => {
    const card = cardOf(random)
    const blanks = oneOf(random, ['', ' ', '-'])
    return { text: card.replaceAll(/(\d{4})(?=\d)/g, `$1${blanks}`), masked: `***${card.slice(-4)}` }
  },
]

const RULES: readonly MaskRule[] = (
  [
    [{ builtin: 'email' }, '***'],
    [{ builtin: 'jwt' }, '***'],
    [{ pattern: 'S3cr3t[a-z]+' }, '***'],
    [{ builtin: 'card' }, 'last4'],
    [{ path: ['*', 'password'] }, 'drop'],
    [{ path: ['request', 'headers', 'authorization'] }, '***'],
  ] as [Masked, Treatment][]
).map(([masked, treatment]) => ({ name: JSON.stringify(masked), source: undefined, masked, with: treatment }))

const HARMLESS = [
  'GET /rest/v1/todos',
  '',
  '200',
  'ok "quoted" \\ back',
  'tab\tline\nend',
  'ünïcödé 😀',
  'a@b',
  '12-34',
]

/** A value of the metadata, and the value that is expected in its place. Undefined: the member is to be removed. */
interface Pair {
  given: unknown
  expected: unknown
}

/** A record before and after. Secrets of the record are added to the list. */
function createRecord(random: Random, planted: string[]) {
  const text = (mayBeSecret: boolean): Pair & { given: string; expected: string } => {
    const before = oneOf(random, HARMLESS)
    if (!mayBeSecret || random() < 0.6) return { given: before, expected: before }
    const secret = oneOf(random, SECRETS)(random)
    planted.push(secret.text)
    // A blank keeps the secret from the text around it.
    return { given: `${before} ${secret.text} x`, expected: `${before} ${secret.masked} x` }
  }
  const value = (depth: number, hasSecrets: boolean): Pair => {
    const kind = below(random, depth > 3 ? 4 : 6)
    if (kind === 0) return random() < 0.1 && hasSecrets ? numberOf() : { given: below(random, 1000), expected: 0 }
    if (kind === 1)
      return oneOf(
        random,
        [null, true, false].map((one) => ({ given: one, expected: one })),
      )
    if (kind < 4) return text(hasSecrets)
    if (kind === 4) {
      const elements = Array.from({ length: below(random, 4) }, () => value(depth + 1, hasSecrets))
      return { given: elements.map(({ given }) => given), expected: elements.map(expectedOf) }
    }
    return object(depth + 1, hasSecrets)
  }
  const expectedOf = ({ given, expected }: Pair) => (typeof given === 'number' && expected === 0 ? given : expected)
  const numberOf = (): Pair => {
    const card = cardOf(random)
    planted.push(card)
    return { given: Number(card), expected: `***${card.slice(-4)}` }
  }
  const object = (depth: number, hasSecrets: boolean): Pair => {
    const [given, expected]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}]
    for (let i = below(random, 5); i > 0; i--) {
      const key = text(hasSecrets && random() < 0.2)
      const member = value(depth, hasSecrets)
      if (key.given in given || key.expected in expected) continue
      given[key.given] = member.given
      expected[key.expected] = expectedOf(member)
    }
    if (hasSecrets && random() < 0.2) {
      const secret = letters(random, 16)
      planted.push(secret)
      given.password = oneOf<unknown>(random, [secret, [secret], { secret }])
    }
    return { given, expected }
  }
  const hasSecrets = random() < 0.7
  const [message, id] = [text(hasSecrets), text(hasSecrets)]
  const metadata = object(0, hasSecrets)
  if (hasSecrets && random() < 0.3) {
    const secret = letters(random, 16)
    planted.push(secret)
    Object.assign(metadata.given as object, { request: [{ headers: [{ authorization: secret, host: 'h' }] }] })
    Object.assign(metadata.expected as object, { request: [{ headers: [{ authorization: '***', host: 'h' }] }] })
  }
  const fields = { source: oneOf(random, SOURCES), timestamp: NOW_US, project: 'joe@project.example' }
  return {
    given: { ...fields, id: id.given, event_message: message.given, metadata: metadata.given },
    expected: { id: id.expected, event_message: message.expected, metadata: metadata.expected },
    hasSecrets,
  }
}

/** Returns the record as JSON, with escapes and white space that JSON does not need. */
function lineOf(record: unknown, random: Random): string {
  const plain = random() < 0.5 ? JSON.stringify(record) : JSON.stringify(record, undefined, 1).replaceAll('\n', ' ')
  if (random() < 0.5) return plain
  return plain.replaceAll(/[@a-zA-Z0-9]/g, (character, at: number) => {
    const isInText = (plain.slice(0, at).match(/(?<!\\)(?:\\\\)*"/g)?.length ?? 0) % 2 === 1
    const isEscape = plain[at - 1] === '\\' || /\\u[0-9a-f]{0,3}$/.test(plain.slice(0, at))
    const isName = /^(?:source|timestamp|project|id|event_message|metadata)/.test(plain.slice(at))
    if (!isInText || isEscape || isName || random() > 0.2) return character
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

interface Stored {
  id: string
  event_message: string
  metadata: string
}

/** Returns the stored rows of lines by source. */
function store(lines: readonly string[], rules: readonly MaskRule[] | undefined): Map<string, Stored[]> {
  const rows = new Map<string, Stored[]>()
  const masker = rules && createMasker({ rules, key: new Uint8Array(32) })
  const parser = createParser(
    { retentionUs: Number.POSITIVE_INFINITY, masker: masker && (() => masker) },
    {
      batch({ source, ipc }) {
        const ofSource = rows.get(source) ?? []
        for (const row of tableFromIPC(ipc)) ofSource.push(row!.toJSON() as Stored)
        rows.set(source, ofSource)
      },
      reject: (line, reason) => expect.fail(`line ${line} is rejected: ${reason}`),
    },
  )
  parser.push(Buffer.from(lines.join('\n')), NOW_US)
  parser.end(NOW_US)
  return rows
}

describe('records with planted secrets', () => {
  const seed = testSeed()
  const records = runs(100_000)

  it(`lose them, and nothing else (${records} records, seed ${seed})`, { timeout: 600_000 }, () => {
    const random = mulberry32(seed)
    for (let left = records; left > 0; left -= 500) {
      const planted: string[] = []
      const batch = Array.from({ length: Math.min(500, left) }, () => createRecord(random, planted))
      const rows = store(
        batch.map(({ given }) => lineOf(given, random)),
        RULES,
      )
      const all = JSON.stringify([...rows])
      expect(planted.filter((secret) => all.includes(secret))).toEqual([])
      for (const source of SOURCES) {
        const expected = batch.filter(({ given }) => given.source === source).map(({ expected }) => expected)
        const found = (rows.get(source) ?? []).map(({ id, event_message, metadata }) => {
          return { id, event_message, metadata: JSON.parse(metadata) as unknown }
        })
        expect(found).toEqual(expected.map((one) => ({ ...one, id: one.id === '' ? expect.anything() : one.id })))
      }
    }
  })

  const harmless = runs(1_000_000)

  it(`are unchanged to the byte if they have none (${harmless} records, seed ${seed})`, { timeout: 1_200_000 }, () => {
    const random = mulberry32(seed)
    for (let left = harmless; left > 0; left -= 500) {
      const lines: string[] = []
      while (lines.length < 500) {
        const { given, hasSecrets } = createRecord(random, [])
        if (!hasSecrets) lines.push(lineOf({ ...given, id: `${lines.length}` }, random))
      }
      expect(store(lines, RULES)).toEqual(store(lines, undefined))
    }
  })
})
