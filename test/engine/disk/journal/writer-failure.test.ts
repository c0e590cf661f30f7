import { describe, expect, it, vi } from 'vitest'
import { recoverJournal } from '../../../../src/engine/disk/journal/recover.js'
import { continueJournal, createJournal, type Journal } from '../../../../src/engine/disk/journal/writer.js'
import type { IngestBatch } from '../../../../src/engine/engine.js'
import { numberedBatch, recoverAll, told } from '../../../support/journal.js'
import { createModelFiles, type Fault, type ModelFiles } from '../../../support/model-files.js'
import { mulberry32 } from '../../../support/random.js'

// Many small runs, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 })

const random = mulberry32(6)
/** Long batches before short batches: the remains of a long batch would extend past a short batch in its place. */
const SIZES = [100, 10, 300, 5, 64, 200, 1]
const batches = SIZES.map((bytes, i) => numberedBatch(i, bytes, random))
const PATH = 'heads/journal'
const SHARES = [0, 0.3, 0.9, 1]

async function newFiles(): Promise<ModelFiles> {
  const files = createModelFiles()
  await files.makeDirectory('heads')
  await files.syncDirectory('')
  return files
}

interface Outcome {
  /** Batches that were appended, that were rejected, and that were synced. */
  written: IngestBatch[]
  refused: IngestBatch[]
  synced: IngestBatch[]
  errors: NodeJS.ErrnoException[]
}

/** Appends the first five batches with syncs between the batches, and continues after any failure. */
async function feed(journal: Journal, outcome: Outcome): Promise<void> {
  const { written, refused, errors } = outcome
  for (const [i, batch] of batches.slice(0, 5).entries()) {
    const before = journal.bytes
    await journal.append(batch).then(
      () => written.push(batch),
      (error) => {
        expect(journal.bytes).toBe(before)
        refused.push(batch)
        errors.push(error)
      },
    )
    if (i % 2 === 0) {
      await journal.sync().then(
        () => void (outcome.synced = [...written]),
        (error) => errors.push(error),
      )
    }
  }
}

const nothing = (): Outcome => ({ written: [], refused: [], synced: [], errors: [] })

async function countCalls(): Promise<number> {
  const files = await newFiles()
  const before = files.calls
  await feed(createJournal(files, PATH, 'edge_logs'), nothing())
  return files.calls - before
}

/** A fault of each kind at each call in turn. */
function faults(calls: number): Fault[] {
  const places = Array.from({ length: calls }, (_, after) => after)
  return places.flatMap((after) =>
    [false, true].flatMap((forGood) => SHARES.map((share) => ({ code: 'ENOSPC', after, forGood, share }))),
  )
}

describe('D6: a journal whose calls fail', () => {
  it('says so, keeps what it took, and takes more when the fault is gone', async () => {
    const calls = await countCalls()
    expect(calls).toBeGreaterThan(10)
    for (const fault of faults(calls)) {
      const files = await newFiles()
      const journal = createJournal(files, PATH, 'edge_logs')
      const outcome = nothing()
      files.fail(fault)
      await feed(journal, outcome)
      const what = JSON.stringify(fault)
      expect(new Set(outcome.errors.map(({ code }) => code)), what).toEqual(
        new Set(outcome.errors.length ? ['ENOSPC'] : []),
      )

      // The process dies here: a rejected batch may be recovered, but only as the last batch.
      const afterwards = await recoverAll(copyOf(files), PATH).catch(() => ({ found: [], damage: [] }))
      const found = told(afterwards.found)
      const written = told(outcome.written)
      expect(found.slice(0, written.length), what).toEqual(written)
      if (found.length > written.length) expect([...written, ...told(outcome.refused.slice(-1))], what).toEqual(found)

      // The process continues, and the fault has passed.
      files.heal()
      for (const batch of batches.slice(5)) await journal.append(batch)
      const all = [...written, ...told(batches.slice(5))]
      const isSynced = await journal.sync().then(
        () => true,
        () => false,
      )
      expect(isSynced, what).toBe(journal.failure === undefined)
      expect(await recoverAll(copyOf(files), PATH).then(({ found, damage }) => [told(found), damage]), what).toEqual([
        all,
        [],
      ])

      // Then the power fails: all synced batches are recovered.
      const { found: left } = await recoverAll(files.cutPower(mulberry32(fault.after)), PATH).catch(() => ({
        found: [],
      }))
      expect(told(left), what).toEqual(expect.arrayContaining(isSynced ? all : told(outcome.synced)))
    }
  })

  it('does not call a sync a success after one that failed', async () => {
    for (const only of [['sync'], ['syncDirectory']] as const) {
      const files = await newFiles()
      const journal = createJournal(files, PATH, 'edge_logs')
      await journal.append(batches[0]!)
      files.fail({ code: 'EIO', after: 0, only })
      await expect(journal.sync()).rejects.toMatchObject({ code: 'EIO' })
      await journal.append(batches[1]!)
      await expect(journal.sync()).rejects.toMatchObject({ code: 'EIO' })
      expect(journal.failure).toMatchObject({ code: 'EIO' })
      expect(told((await recoverAll(files.restart(), PATH)).found)).toEqual(told(batches.slice(0, 2)))
    }
  })

  it('gives the space of a torn frame back at once', async () => {
    const files = await newFiles()
    const journal = createJournal(files, PATH, 'edge_logs')
    await journal.append(batches[0]!)
    files.fail({ code: 'ENOSPC', after: 0, forGood: true, share: 0.9, only: ['writeAt'] })
    await expect(journal.append(batches[2]!)).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(files.peek(PATH)!.length).toBe(journal.bytes)
  })

  it('refuses to append while the torn end cannot be cut off', async () => {
    const files = await newFiles()
    const journal = createJournal(files, PATH, 'edge_logs')
    await journal.append(batches[0]!)
    files.fail({ code: 'EIO', after: 0, forGood: true, share: 0.5, only: ['writeAt', 'truncate'] })
    await expect(journal.append(batches[2]!)).rejects.toMatchObject({ code: 'EIO' })
    const { found, damage, torn, length } = await recoverAll(files, PATH)
    expect([told(found), damage, torn.length, length]).toEqual([told(batches.slice(0, 1)), [], 1, journal.bytes])
    files.fail({ code: 'EIO', after: 0, forGood: true, only: ['truncate'] })
    await expect(journal.append(batches[1]!)).rejects.toMatchObject({ code: 'EIO' })
    files.heal()
    await journal.append(batches[1]!)
    const { damage: none, torn: noEnd } = await recoverAll(files, PATH)
    expect([none, noEnd]).toEqual([[], []])
  })

  it('is recovered wholly if a read fails once', async () => {
    const files = await newFiles()
    const journal = createJournal(files, PATH, 'edge_logs')
    for (const batch of batches) await journal.append(batch)
    const before = files.calls
    await recoverAll(files, PATH, 64)
    const calls = files.calls - before
    for (let after = 0; after < calls; after++) {
      files.fail({ code: 'EIO', after })
      const { found, damage } = await recoverAll(files, PATH, 64)
      expect([told(found), damage], `call ${after}`).toEqual([told(batches), []])
    }
  })

  it.each(['EMFILE', 'ENOMEM', 'ENOSPC', 'EROFS'])('is not recovered if the system fails with %s', async (code) => {
    const files = await newFiles()
    await createJournal(files, PATH, 'edge_logs').append(batches[0]!)
    for (const call of ['openToRead', 'readAt'] as const) {
      files.fail({ code, after: 0, only: [call] })
      await expect(recoverAll(files, PATH)).rejects.toMatchObject({ code })
    }
    // The journal is not recovered either if the disk fails as a whole.
    files.fail({ code: 'EIO', after: 0, forGood: true })
    await expect(recoverAll(files, PATH)).rejects.toMatchObject({ code: 'EIO' })
  })

  it.each([
    'EIO',
    'EISDIR',
    'EACCES',
    'ENXIO',
    'EINVAL',
    'ELOOP',
  ])('is damaged if it alone cannot be read, with %s', async (code) => {
    const files = await newFiles()
    const journal = createJournal(files, PATH, 'edge_logs')
    await journal.append(batches[0]!)
    for (const call of ['openToRead', 'readAt'] as const) {
      files.fail({ code, after: 0, forGood: true, only: [call] })
      const { found, damage, damaged } = await recoverAll(files, PATH)
      expect([found, damaged]).toEqual([[], 'inside'])
      expect(damage).toEqual([{ path: PATH, offset: 0, bytes: journal.bytes, unreadable: `${code}: ${PATH}` }])
    }
    files.heal()
    expect(told((await recoverAll(files, PATH)).found)).toEqual(told(batches.slice(0, 1)))
  })

  it('ends its recovery where a batch cannot be taken, and lets go of the file', async () => {
    const files = await newFiles()
    const journal = createJournal(files, PATH, 'edge_logs')
    for (const batch of batches) await journal.append(batch)
    let taken = 0
    const batch = () => {
      if (++taken === 3) throw new Error('no room')
    }
    const before = files.calls
    await expect(recoverJournal(files, PATH, 'edge_logs', { batch, damage() {} })).rejects.toThrow('no room')
    expect([taken, files.calls - before]).toEqual([3, 3])
  })

  it('continues only behind what was read, whatever fails', async () => {
    const files = await newFiles()
    const first = createJournal(files, PATH, 'edge_logs')
    await first.append(batches[0]!)
    const { header, length } = await recoverAll(files, PATH)
    const second = continueJournal(files, PATH, header!, length)
    files.fail({ code: 'EMFILE', after: 0, only: ['openToWrite'] })
    await expect(second.append(batches[1]!)).rejects.toMatchObject({ code: 'EMFILE' })
    await second.append(batches[2]!)
    expect(told((await recoverAll(files, PATH)).found)).toEqual(told([batches[0]!, batches[2]!]))
  })
})

/** Returns the current file for another process. */
function copyOf(files: ModelFiles): ModelFiles {
  const copy = createModelFiles()
  const bytes = files.peek(PATH)
  if (bytes !== undefined) copy.put(PATH, bytes)
  return copy
}
