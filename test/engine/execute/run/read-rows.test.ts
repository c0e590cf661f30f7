import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeUtf8 } from '../../../../src/base/text/utf8.js'
import { KIB } from '../../../../src/base/units.js'
import { COLD_COLUMNS } from '../../../../src/common/columns.js'
import type { ColdReader, ColdRow } from '../../../../src/engine/execute/columns/batch.js'
import type { FoundRow } from '../../../../src/engine/execute/ordering/output-columns.js'
import { CHUNK_BYTES, readRows } from '../../../../src/engine/execute/run/read-rows.js'
import type { Row } from '../../../../src/plan/answer.js'
import { noYield } from '../../store/support.js'

/** Returns a row of the answer. The timestamp was read when the row was found. */
const toRow = ({ values }: FoundRow, { id, event_message }: ColdRow): Row => ({
  id: decodeUtf8(id),
  event_message: decodeUtf8(event_message),
  timestamp: values[0] as number,
})

interface Wanted {
  batch: number
  row: number
  bytes: number
  /** Event loop turns until the row is read. 0: synchronously. */
  turns: number
}

/** Rows of equal size from several batches in turn, newest first. The last row of a batch is the newest. */
const interleaved = (count: number, batches: number, bytes: number): Wanted[] =>
  Array.from({ length: count }, (_, i) => ({ batch: i % batches, row: count - i, bytes, turns: 1 }))

/** Returns batches of the given rows, and a record of the reads so far. */
function batchesOf(wanted: readonly Wanted[]) {
  const reads = { opened: [] as number[], rows: [] as string[], open: new Set<symbol>(), mostOpen: 0 }
  const text = Buffer.alloc(Math.max(...wanted.map(({ bytes }) => bytes)), 'x')
  const rows = new Map(wanted.map((each) => [`${each.batch}:${each.row}`, each]))

  function openCold(batch: number): ColdReader {
    reads.opened.push(batch)
    const reader = Symbol()
    return (row) => {
      const name = `${batch}:${row}`
      const { bytes, turns } = rows.get(name)!
      reads.rows.push(name)
      const cold: ColdRow = {
        id: Buffer.from(name),
        event_message: text.subarray(0, bytes),
        metadata: Buffer.from('{}'),
      }
      if (turns === 0) return cold
      reads.open.add(reader)
      reads.mostOpen = Math.max(reads.mostOpen, reads.open.size)
      return nextTurns(turns).then(() => {
        reads.open.delete(reader)
        return cold
      })
    }
  }
  const opened = new Map(wanted.map(({ batch }) => [batch, () => openCold(batch)]))
  return { opened, reads }
}

async function nextTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await nextTurn()
}

const foundOf = (wanted: readonly Wanted[]): FoundRow[] =>
  wanted.map(({ batch, row }, i) => ({ keys: [], batch, row, values: [wanted.length - i] }))

function read(wanted: readonly Wanted[]) {
  const { opened, reads } = batchesOf(wanted)
  return { rows: readRows(foundOf(wanted), { opened, toRow, columns: COLD_COLUMNS, yieldIfDue: noYield }), reads }
}

async function readAll(wanted: readonly Wanted[]) {
  const { rows, reads } = read(wanted)
  const all: Row[] = []
  for await (const row of rows) all.push(row)
  return { all, reads }
}

const shortOf = ({ id, timestamp, event_message }: Row) => [id, timestamp, String(event_message).length]

describe('the rows found', () => {
  it('come in their order, whatever their length and however long each batch takes', async () => {
    const arbitraryWanted = fc.uniqueArray(
      fc.record({
        batch: fc.integer({ min: 0, max: 9 }),
        row: fc.integer({ min: 0, max: 30 }),
        bytes: fc.constantFrom(0, 100, 20 * KIB, 100 * KIB, 300 * KIB),
        turns: fc.integer({ min: 0, max: 3 }),
      }),
      { selector: ({ batch, row }) => `${batch}:${row}`, minLength: 1, maxLength: 60 },
    )
    await fc.assert(
      fc.asyncProperty(arbitraryWanted, async (wanted) => {
        const { all } = await readAll(wanted)
        expect(all.map(shortOf)).toEqual(
          wanted.map(({ batch, row, bytes }, i) => [`${batch}:${row}`, wanted.length - i, bytes]),
        )
      }),
      { numRuns: 300 },
    )
  })

  it('are none where none are found', async () => {
    const nothing = readRows([], { opened: new Map(), toRow, columns: COLD_COLUMNS, yieldIfDue: noYield })
    expect(await nothing.next()).toEqual({ done: true, value: undefined })
  })

  it('are read from four batches at once, each opened once and its last row read first', async () => {
    const { reads } = await readAll(interleaved(100, 20, KIB))
    expect([reads.opened.length, new Set(reads.opened).size, reads.mostOpen]).toEqual([20, 20, 4])
    expect(reads.rows).toHaveLength(100)
    const ascending = interleaved(100, 1, KIB).reverse()
    expect((await readAll(ascending)).reads.rows).toEqual(ascending.reverse().map(({ row }) => `0:${row}`))
  })

  it('are held a stretch at a time: a batch is let go of while the caller takes them', async () => {
    const fitting = 16
    const { rows, reads } = read(interleaved(100, 1, CHUNK_BYTES / fitting - 100))
    const openedAt: number[] = []
    for (let taken = 0; !(await rows.next()).done; taken++) {
      // No row is read ahead for a slow caller.
      await nextTurns(5)
      if (reads.opened.length > openedAt.length) openedAt.push(taken)
    }
    expect(openedAt).toEqual([0, 1, 2, 3, 4, 5, 6].map((stretch) => fitting * stretch))
  })

  it('are not read again and again where few fit', async () => {
    const long = await readAll(interleaved(100, 20, 100 * KIB))
    expect(long.reads.rows.length).toBeLessThanOrEqual(300)
    const longer = await readAll(interleaved(20, 20, 2 * CHUNK_BYTES))
    expect(longer.reads.rows.length).toBeLessThanOrEqual(60)
  })

  it('fail where one cannot be read, once all before its stretch were given', async () => {
    const wanted = interleaved(10, 10, 100 * KIB)
    const { opened } = batchesOf(wanted)
    opened.set(9, () => () => Promise.reject(new Error('EIO')))
    const ids: unknown[] = []
    const reading = async () => {
      for await (const { id } of readRows(foundOf(wanted), {
        opened,
        toRow,
        columns: COLD_COLUMNS,
        yieldIfDue: noYield,
      }))
        ids.push(id)
    }
    await expect(reading()).rejects.toThrow('EIO')
    expect(ids).toEqual(['0:10', '1:9', '2:8', '3:7', '4:6', '5:5'])
  })

  it('are read no further once a pause tells that nobody wants them', async () => {
    const wanted = interleaved(100, 20, KIB)
    const { opened, reads } = batchesOf(wanted)
    const yieldIfDue = () => {
      throw new Error('unwanted')
    }
    await expect(
      readRows(foundOf(wanted), { opened, toRow, columns: COLD_COLUMNS, yieldIfDue }).next(),
    ).rejects.toThrow('unwanted')
    await nextTurns(50)
    expect(reads.rows.length).toBe(4)
  })
})
