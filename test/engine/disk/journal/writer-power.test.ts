import { describe, expect, it, vi } from 'vitest'
import { continueJournal, createJournal, type Journal } from '../../../../src/engine/disk/journal/writer.js'
import type { IngestBatch } from '../../../../src/engine/engine.js'
import { numberedBatch, recoverAll, told } from '../../../support/journal.js'
import { createModelFiles, type ModelFiles } from '../../../support/model-files.js'
import { below, mulberry32, oneOf, type Random } from '../../../support/random.js'

// Many small runs, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 })

const SEEDS = 500
const LIVES = 4
const PATH = 'heads/journal'

/** The promise for a batch. `given`: no promise, since the append was rejected or has not settled. */
type Promised = 'given' | 'written' | 'synced'

interface World {
  random: Random
  files: ModelFiles
  /** By the number of the batch, in the order of the appends. */
  batches: IngestBatch[]
  promised: Promised[]
}

/** Appends batches, a few at a time. */
async function append({ random, batches, promised }: World, journal: Journal): Promise<void> {
  const one = async () => {
    const number = batches.length
    const batch = numberedBatch(number, below(random, 300), random)
    batches.push(batch)
    promised.push('given')
    await journal.append(batch)
    promised[number] = 'written'
  }
  await Promise.allSettled(Array.from({ length: 1 + below(random, 3) }, one))
}

async function sync({ promised }: World, journal: Journal): Promise<void> {
  const before = promised.length
  await journal.sync()
  for (let i = 0; i < before; i++) if (promised[i] === 'written') promised[i] = 'synced'
}

/** Appends to a journal, and abandons the journal in the middle of the work. */
async function live(world: World, journal: Journal): Promise<void> {
  const { random, files } = world
  const isFaulty = random() < 0.5
  for (let steps = below(random, 8); steps > 0; steps--) {
    const step = random() < 0.7 ? append(world, journal) : sync(world, journal)
    if (random() < 0.8) await step.catch(() => {})
    else step.catch(() => {})
    if (isFaulty && random() < 0.4) {
      const only = oneOf(random, [['writeAt'], ['truncate'], ['sync'], ['syncDirectory'], undefined] as const)
      files.fail({ code: 'EIO', after: below(random, 3), share: oneOf(random, [0, 0.5, 1]), only })
    }
  }
  for (let turns = below(random, 4); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve))
}

/** Recovers the journal of the previous process, and checks it against the promises. */
async function reopen(world: World, kept: readonly Promised[]): Promise<Journal> {
  const { files, batches, promised } = world
  const none = { found: [] as IngestBatch[], header: undefined, length: 0 }
  const isThere = files.peek(PATH) !== undefined
  const { found, header, length } = isThere ? await recoverAll(files, PATH, 4096) : none
  const numbers = found.map(({ rows }) => rows)
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  expect(told(found)).toEqual(told(numbers.map((number) => batches[number]!)))
  const owed = promised.flatMap((promise, number) => (kept.includes(promise) ? [number] : []))
  expect(numbers).toEqual(expect.arrayContaining(owed))
  // Recovered batches count as written. The other batches are lost for good.
  for (const number of promised.keys()) {
    if (!numbers.includes(number)) promised[number] = 'given'
    else if (promised[number] === 'given') promised[number] = 'written'
  }
  return header === undefined ? createJournal(files, PATH, 'edge_logs') : continueJournal(files, PATH, header, length)
}

async function runLives(seed: number): Promise<number> {
  const random = mulberry32(seed)
  const world: World = { random, files: createModelFiles(), batches: [], promised: [] }
  await world.files.makeDirectory('heads')
  await world.files.syncDirectory('')
  let journal = createJournal(world.files, PATH, 'edge_logs')
  for (let life = 0; life < LIVES; life++) {
    await live(world, journal)
    // A process that is killed after a failed sync leaves a file of which no later sync proves anything (see
    // `continueJournal`).
    const isPowerCut = journal.failure !== undefined || random() < 0.7
    world.files = isPowerCut ? world.files.cutPower(random) : world.files.restart()
    journal = await reopen(world, isPowerCut ? ['synced'] : ['synced', 'written'])
  }
  return world.promised.filter((promise) => promise === 'synced').length
}

describe('D2: a journal after power cuts and kills', () => {
  it(`opens with all that was promised, whole, once and in order: ${SEEDS} seeds`, async () => {
    let synced = 0
    for (let seed = 0; seed < SEEDS; seed++) {
      synced += await runLives(seed).catch((error) => {
        throw new Error(`Seed ${seed} fails.`, { cause: error })
      })
    }
    // Otherwise nothing was tested.
    expect(synced).toBeGreaterThan(SEEDS)
  })
})
