import { describe, expect, it } from 'vitest'
import { createParser } from '../../src/ingest/stream/parse.js'
import { createMasker } from '../../src/masking/lines/masker.js'
import type { Masked, MaskRule } from '../../src/masking/rule.js'
import { ADVERSARIAL_JSON, ADVERSARIAL_TEXTS } from '../support/adversarial.js'
import { cpuMs, slownessNow } from '../support/cpu-ms.js'
import { inTries } from '../support/tries.js'

/** O3b: masking a line of a MiB takes at most this long. A quadratic cost would be minutes. */
const MOST_MS = 1_000
const LENGTH = 2 ** 20 - 200
const TRIES = 5
const NOW_US = 1_764_000_000_000_000

const repeated = (part: string, length: number): string => part.repeat(Math.ceil(length / part.length)).slice(0, length)

/** Texts that look like secrets again and again. */
const NEAR_MISSES: Readonly<Record<string, (length: number) => string>> = Object.fromEntries(
  [
    ...['@', 'a@', 'a@b.', 'a@b.co ', '%40', 'eyJ', 'eyJhbGci.', 'eyJaaaaaa.b.c ', 'bearer ', 'bearer\t', 'Bearer%20'],
    ...[
      'token=',
      'token=a&',
      'a_',
      'key=%3D',
      '4',
      '4 ',
      '4111 ',
      '4111-1111-1111-111',
      '4111111111111111 ',
      '1-',
      '. -',
    ],
    ...['é@', '😀@', 'x=', 'session', 'session=a ', 'a b'],
  ].map((part) => [part, (length: number) => repeated(part, length)]),
)

const MASKED: readonly Masked[] = [
  ...(['url-tokens', 'jwt', 'bearer', 'email', 'card'] as const).map((builtin) => ({ builtin })),
  ...['*.password', '*.a.*.b', '*.b.*.a', 'a.*.a.*', 'k0.k1'].map((path) => ({ path: path.split('.') })),
  { pattern: 'session=(\\w+)' },
  { pattern: '[a-z]+[0-9]+x' },
]
const RULES: readonly MaskRule[] = MASKED.map((masked, i) => ({
  name: `${i}`,
  source: undefined,
  masked,
  with: 'hash',
}))

function parse(line: string): number {
  const masker = createMasker({ rules: RULES, key: new Uint8Array(32) })
  let lines = 0
  const parser = createParser(
    { retentionUs: Number.POSITIVE_INFINITY, masker: () => masker },
    {
      batch: ({ rows }) => void (lines += rows),
      reject: () => void lines++,
    },
  )
  parser.push(Buffer.from(line), NOW_US)
  parser.end(NOW_US)
  return lines
}

const texts = { ...ADVERSARIAL_TEXTS, ...NEAR_MISSES }
const lineOf = (metadata: string) => `{"source":"edge_logs","event_message":"x@y.zz","metadata":{"m":${metadata}}}`

describe('O3b: a line of a MiB is masked in linear time', () => {
  it.each([
    ...Object.entries(texts).map(([name, textOf]) => [
      name,
      lineOf(JSON.stringify(textOf(LENGTH).slice(0, LENGTH / 3))),
    ]),
    ...Object.entries(texts).map(([name, textOf]) => [
      `a list of ${name}`,
      lineOf(JSON.stringify(Array(10).fill(textOf(Math.floor(LENGTH / 40)).slice(0, LENGTH / 40)))),
    ]),
    ...Object.entries(ADVERSARIAL_JSON).map(([name, jsonOf]) => [
      `the JSON of ${name}`,
      lineOf(jsonOf(LENGTH).replaceAll('\n', ' ')),
    ]),
  ])('%s', async (_, line) => {
    const factor = await inTries(
      TRIES,
      () => {
        const ms = cpuMs(() => expect(parse(line!)).toBe(1))
        return ms / (MOST_MS * slownessNow())
      },
      (measured) => measured < 1,
    )
    expect(factor).toBeLessThan(1)
  })
})
