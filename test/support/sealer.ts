import type { Interner } from '../../src/base/memory/interner.js'
import { createYielder } from '../../src/base/scheduling/time-slices.js'
import { ABSENT, clearInterner, createInterner } from '../../src/engine/execute/columns/dictionary.js'
import { createColdTexts, piecesOf, type Texts } from '../../src/engine/execute/open-batch/texts.js'
import { effortOf } from '../../src/engine/store/sealing/cancellation.js'
import { compactCold } from '../../src/engine/store/sealing/compact.js'
import { copyRows } from '../../src/engine/store/sealing/copy.js'
import type { InternTexts } from '../../src/engine/store/sealing/intern.js'
import { keepRows } from '../../src/engine/store/sealing/keep-rows.js'
import { pathColumnsOfCold } from '../../src/engine/store/sealing/path-columns-of-cold.js'
import { seal } from '../../src/engine/store/sealing/seal.js'
import type { Sealer } from '../../src/engine/store/sealing/sealer.js'

/** A sealer that works on the calling thread, without WebAssembly: the oracle of the sealing thread. */
export function createTestSealer(): Sealer {
  let distinct = createInterner()
  return {
    seal(head) {
      const { cold, ...rows } = copyRows(head)
      const bytes = new Uint8Array(Buffer.concat(piecesOf(head.cold)))
      return seal({ ...rows, cold: { ...cold, bytes } }, internIn(distinct), createYielder())
    },
    compact: (cold, cancellation) =>
      compactCold(cold, createColdTexts(), () => effortOf(cancellation) === 'high', createYielder()),
    makePathColumns: (cold, cancellation) =>
      pathColumnsOfCold(cold, () => effortOf(cancellation) === 'high', createYielder()),
    keepRows: (rows) => keepRows(rows, createColdTexts(), internIn(distinct), createYielder()),
    bytes: () => distinct.byteLength,
    trim(what) {
      if (what === 'all') distinct = createInterner()
    },
    async close() {},
  }
}

/** Finds the distinct texts of a column in `distinct`, which is cleared before. */
export const internIn =
  (distinct: Interner): InternTexts =>
  (texts, order) => {
    const dictionary = clearInterner(distinct)
    return { codes: internTexts(texts, order, dictionary), dictionary }
  }

function internTexts({ bytes, places }: Texts, order: Uint32Array, sealed: Interner): Uint32Array {
  const sorted = new Uint32Array(order.length)
  for (let i = 0; i < order.length; i++) {
    const start = places[2 * order[i]!]!
    const end = places[2 * order[i]! + 1]!
    sorted[i] = end < start ? ABSENT : sealed.intern(bytes, start, end)
  }
  return sorted
}
