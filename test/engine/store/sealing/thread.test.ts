import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LogFields } from '../../../../src/base/log.js'
import { arrayBuffersOf } from '../../../../src/base/memory/array-buffers.js'
import { createInterner } from '../../../../src/engine/execute/columns/dictionary.js'
import { createColdTexts } from '../../../../src/engine/execute/open-batch/texts.js'
import { cancel, createCancellationFlag } from '../../../../src/engine/store/sealing/cancellation.js'
import { compactCold } from '../../../../src/engine/store/sealing/compact.js'
import { copyRows } from '../../../../src/engine/store/sealing/copy.js'
import { restoreOpenRows, restoreSealedRows } from '../../../../src/engine/store/sealing/messages.js'
import { type OpenRows, seal } from '../../../../src/engine/store/sealing/seal.js'
import type { Sealer } from '../../../../src/engine/store/sealing/sealer.js'
import type {
  createSealingThread as CreateSealingThread,
  SealingRetry,
} from '../../../../src/engine/store/sealing/thread.js'
import { type SealedRows, segmentOfSealedRows } from '../../../../src/engine/store/segment/segment.js'
import { eventually } from '../../../support/eventually.js'
import { edge } from '../../../support/records.js'
import { internIn } from '../../../support/sealer.js'
import { arbitraryRecords, coldOf, hotOf, wordy } from '../files/segments.js'
import { headOf, noYield } from '../support.js'

// The thread runs the built program: the tests need `npm run build`.
const BUILT = new URL('../../../../dist/engine/store/sealing/', import.meta.url)
const { createSealingThread }: { createSealingThread: typeof CreateSealingThread } = await import(
  new URL('thread.js', BUILT).href
)
const WORKER = new URL('worker.js', BUILT).href

let open: Sealer[] = []
afterEach(async () => {
  await Promise.all(open.map((sealer) => sealer.close()))
  open = []
})

function start(script?: URL, retry?: SealingRetry) {
  const logged: LogFields[] = []
  const sealer = createSealingThread((_, fields) => void logged.push(fields!), script, retry)
  open.push(sealer)
  return { sealer, logged }
}

/** Returns all content of sealed rows, the bytes of their file included. */
const contentOf = (sealed: readonly SealedRows[]) =>
  Promise.all(
    sealed.map(async (part) => {
      const segment = segmentOfSealedRows(part)
      return { hot: hotOf(segment), cold: await coldOf(segment), file: part.cold.file.toString('base64') }
    }),
  )

const sealHere = (head: OpenRows) => seal(head, internIn(createInterner()), noYield)

/** Copies a message as if the message was sent to another thread. */
const transferred = <Message>(message: Message): Message =>
  structuredClone(message, { transfer: arrayBuffersOf(message) })

const many = Array.from({ length: 3000 }, (_, i) =>
  edge({ id: `${i}`, timestampUs: -i * 1e6 * 60, metadata: { request: { url: `u${i % 7}` } } }),
)

describe('rows that are sealed on another thread', () => {
  it('are as if they were sealed here', () =>
    fc.assert(
      fc.asyncProperty(arbitraryRecords, async (records) => {
        const head = headOf(records)
        const arrived = restoreOpenRows(transferred(copyRows(head)))
        arrived.cold.bytes = head.cold.bytes.slice()
        const back = transferred(await sealHere(arrived)).map(restoreSealedRows)
        expect(await contentOf(back)).toEqual(await contentOf(await sealHere(head)))
      }),
    ))

  it('are those that the thread gives back, head after head', async () => {
    const { sealer, logged } = start()
    const records = fc.sample(arbitraryRecords, 20)
    const large = Array.from({ length: 50 }, (_, i) => edge({ event_message: `${i}`.repeat(100_000) }))
    for (const some of [many, ...records, large, many, large]) {
      const head = headOf(some)
      expect(await contentOf(await sealer.seal(head))).toEqual(await contentOf(await sealHere(head)))
    }
    expect(logged).toEqual([])
  })

  it('are the same and take less where there is patience, as much as without where that ends at once', async () => {
    const { sealer, logged } = start()
    const records = Array.from({ length: 3000 }, (_, i) =>
      edge({ id: `${i}`, timestampUs: i, metadata: { request: { url: `u${i % 7}`, n: (i * i) % 1009 } } }),
    )
    const head = headOf(records)
    const [without] = await contentOf(await sealer.seal(head))
    const [patient] = await contentOf(await sealer.seal(head, createCancellationFlag()))
    expect({ ...patient, file: '' }).toEqual({ ...without, file: '' })
    expect(patient!.file.length).toBeLessThan(0.9 * without!.file.length)
    const ended = createCancellationFlag()
    const sealing = sealer.seal(head, ended)
    cancel(ended)
    expect(await contentOf(await sealing)).toEqual([without])
    expect(logged).toEqual([])
  })

  it('are made anew by the thread, as long as there is patience', async () => {
    const { sealer, logged } = start()
    const head = headOf(wordy(2000))
    const [sealed] = await sealer.seal(head)
    const { file, firstRows, starts } = sealed!.cold
    const cold = () => ({ file: Uint8Array.from(file), firstRows: firstRows.slice(), starts: starts.slice(), check: 7 })
    const expected = await compactCold(
      cold(),
      createColdTexts(),
      () => true,
      () => undefined,
    )
    for (let time = 0; time < 2; time++) {
      const compacted = await sealer.compact(cold(), createCancellationFlag())
      expect(compacted!.equals(expected!)).toBe(true)
      expect(await contentOf(await sealer.seal(head))).toEqual(await contentOf([sealed!]))
      const ended = createCancellationFlag()
      cancel(ended)
      expect(await sealer.compact(cold(), ended)).toBeUndefined()
    }
    expect(logged).toEqual([])
  })

  it('leave the head to those who read it', async () => {
    const { sealer } = start()
    const head = headOf(many)
    const before = structuredClone({ ...head, columns: undefined })
    const sealing = sealer.seal(head)
    expect({ ...head, columns: undefined }).toEqual(before)
    await sealing
    expect({ ...head, columns: undefined }).toEqual(before)
  })
})

describe('the sealing thread', () => {
  it('gives way to other threads, on Linux', async () => {
    const niceOf = (thread: string) =>
      Number(readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1]!.split(' ')[16])
    const lowered = () => readdirSync('/proc/self/task').filter((thread) => niceOf(thread) > 0).length
    const before = lowered()
    await start().sealer.seal(headOf([edge()]), undefined)
    expect(lowered()).toBe(before + 1)
  })

  it('counts the memory that it keeps, while that is used', async () => {
    const { sealer } = start()
    const atFirst = sealer.bytes()
    const head = headOf(many)
    const sealing = sealer.seal(head)
    sealer.trim('idle')
    await sealing
    const used = sealer.bytes()
    expect(used - atFirst).toBeGreaterThanOrEqual(head.cold.usedBytes)
    sealer.trim('idle')
    expect(sealer.bytes()).toBe(used)
    sealer.trim('idle')
    expect(sealer.bytes()).toBe(atFirst)
    await sealer.seal(head)
    sealer.trim('all')
    expect(sealer.bytes()).toBe(used)
    expect(await contentOf(await sealer.seal(head))).toEqual(await contentOf(await sealHere(head)))
  })

  let directory: string
  beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'logweir-sealing-'))))
  afterEach(() => rmSync(directory, { recursive: true }))

  /** Returns the script of a thread that dies `deaths` times at the start, and then works. A file counts the deaths. */
  function mortal(deaths: number): URL {
    const counter = JSON.stringify(join(directory, 'deaths'))
    writeFileSync(join(directory, 'deaths'), '')
    const script = `
      import { appendFileSync, statSync } from 'node:fs'
      if (statSync(${counter}).size < ${deaths}) {
        appendFileSync(${counter}, '+')
        throw new RangeError('no memory')
      }
      await import(${JSON.stringify(WORKER)})`
    return new URL(`data:text/javascript,${encodeURIComponent(script)}`)
  }

  const failed = (level: 'warn' | 'error') => ({ level, code: 'sealing_thread_failed' })

  it('that dies is restarted, and seals the rows', async () => {
    const { sealer, logged } = start(mortal(2), { attempts: 3, delayMs: 1 })
    const head = headOf(many)
    expect(await contentOf(await sealer.seal(head))).toEqual(await contentOf(await sealHere(head)))
    expect(logged).toEqual([failed('warn'), failed('warn')])
    expect(await contentOf(await sealer.seal(head))).toEqual(await contentOf(await sealHere(head)))
    expect(logged).toHaveLength(2)
  })

  it('that dies at every attempt leaves the head as it is, and seals the next one', async () => {
    const { sealer, logged } = start(mortal(3), { attempts: 3, delayMs: 1 })
    const head = headOf(many)
    await expect(sealer.seal(head)).rejects.toThrow('no memory')
    expect(logged).toEqual([failed('warn'), failed('warn'), failed('error')])
    expect(sealer.bytes()).toBe(0)
    expect(await contentOf(await sealer.seal(head))).toEqual(await contentOf(await sealHere(head)))
  })

  it('is not restarted once it is closed', async () => {
    const { sealer, logged } = start(mortal(9), { attempts: 9, delayMs: 1e9 })
    const sealing = sealer.seal(headOf(many))
    const rejected = expect(sealing).rejects.toThrow('no memory')
    await eventually(() => expect(logged).toHaveLength(1))
    await sealer.close()
    await rejected
    expect(logged).toHaveLength(1)
  })
})
