import { describe, expect, it } from 'vitest'
import { foldCase } from '../../../../src/base/text/fold-case.js'
import type { ColdTexts } from '../../../../src/engine/execute/columns/batch.js'
import {
  createMessageFilter,
  messageGrams,
  rowsWithGrams,
} from '../../../../src/engine/execute/columns/message-filter.js'
import { range, rowAt, type Selection, sizeOf } from '../../../../src/engine/execute/columns/selection.js'
import { below, mulberry32, oneOf, type Random } from '../../../support/random.js'
import { runs } from '../../../support/runs.js'
import { testSeed } from '../../../support/seed.js'

const WORDS = [
  'GET',
  'post',
  'Error',
  'ölpreis',
  'ÖL',
  'ＧＥＴ',
  'straße',
  '\u212a8s',
  'ﬁle',
  'ſum',
  '😀',
  '\0',
  'e\u0301',
  'İx',
  '',
]

function message(random: Random): string {
  const id = () => Math.floor(random() * 2 ** 32).toString(16)
  return Array.from({ length: below(random, 6) }, () => (random() < 0.2 ? id() : oneOf(random, WORDS))).join(' ')
}

/** The texts of some messages from a row on. */
function textsOf(messages: readonly string[], from: number): ColdTexts {
  const parts = messages.map((text) => Buffer.from(text))
  const offsets = new Int32Array(parts.length + 1)
  for (const [i, { length }] of parts.entries()) offsets[i + 1] = offsets[i]! + length
  return { from, to: from + parts.length, offsets, bytes: Buffer.concat(parts) }
}

function filterOf(messages: readonly string[], readRows = 300) {
  const builder = createMessageFilter(messages.length)
  for (let from = 0; from < messages.length; from += readRows)
    builder.add(textsOf(messages.slice(from, from + readRows), from))
  return builder.build()!
}

const rowsOf = (selection: Selection) => Array.from({ length: sizeOf(selection) }, (_, i) => rowAt(selection, i))
const gramsOf = (text: string) => messageGrams(Buffer.from(text))

describe('a filter of messages', () => {
  it('keeps each row whose message has a text, as it is or with its case folded', () => {
    const seed = testSeed()
    let dropped = 0
    for (let run = 0; run < runs(200); run++) {
      const random = mulberry32(seed + run)
      const messages = Array.from({ length: 1 + below(random, 2_000) }, () => message(random))
      const filter = filterOf(messages, 1 + below(random, 700))
      const [bytes, foldedMessages] = [messages.map((text) => Buffer.from(text)), messages.map(foldCase)]
      const all = range(0, messages.length, true)
      for (let asked = 0; asked < 20; asked++) {
        const from = random() < 0.7 ? oneOf(random, messages) : message(random)
        const start = below(random, from.length + 1)
        const part = from.slice(start, start + below(random, 20)).toWellFormed()
        const exact = new Set(rowsOf(rowsWithGrams(filter, all, gramsOf(part))))
        const folded = new Set(rowsOf(rowsWithGrams(filter, all, gramsOf(foldCase(part)))))
        const [wanted, wantedFolded] = [Buffer.from(part), foldCase(part)]
        const lost = messages.filter((_, row) => {
          const isLost = !exact.has(row) && bytes[row]!.includes(wanted)
          return isLost || (!folded.has(row) && foldedMessages[row]!.includes(wantedFolded))
        })
        expect([seed + run, part, lost]).toEqual([seed + run, part, []])
        dropped += messages.length - exact.size
      }
    }
    expect(dropped).toBeGreaterThan(0)
  })

  it('drops the blocks of a text that they do not have, from ranges and from other rows', () => {
    const messages = Array.from({ length: 2_000 }, (_, i) => `GET | 200 | ${(i * 2654435761).toString(16)}`)
    const filter = filterOf(messages)
    const needle = gramsOf(messages[1_100]!.slice(12))
    expect(rowsOf(rowsWithGrams(filter, range(0, 2_000, true), needle))).toEqual(
      Array.from({ length: 512 }, (_, i) => 1_024 + i),
    )
    const indices = Uint32Array.of(3, 1_023, 1_024, 1_535, 1_536)
    const some: Selection = { kind: 'indices', indices, timeOrdered: true }
    expect(rowsOf(rowsWithGrams(filter, some, needle))).toEqual([1_024, 1_535])
    expect(rowsOf(rowsWithGrams(filter, some, gramsOf('GET')))).toEqual([...indices])
  })

  it('is left out where nearly every text would be found in every block', () => {
    const random = mulberry32(7)
    const long = () => Array.from({ length: 400 }, () => Math.floor(random() * 2 ** 32).toString(36)).join('')
    const builder = createMessageFilter(512)
    builder.add(textsOf(Array.from({ length: 512 }, long), 0))
    expect(builder.build()).toBeUndefined()
  })
})
