import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { mulberry32 } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'
import { addSource, createSchema, insertRequests } from './logflare.js'
import { residentBytes } from './memory.js'
import { startPostgres } from './postgres.js'
import { run, start, temporaryFolder } from './program.js'
import { importArgs, storedRows } from './run-import.js'

const POLL_MS = 2
/** A write in progress lets a journal grow within this time. */
const WRITE_MS = 20
/** Journals that have grown by this have new rows. */
const ROWS_BYTES = 64 * 1024
const TWO_DAYS_US = 2 * 86_400e6

interface KillOptions {
  /**
   * A kill comes at most this long after the first rows of the import are written. If not given, an import without a
   * kill is measured first, and kills come after at most an eighth of the measured time.
   */
  withinMs?: number
  /** The least number of kills after which some of the rows are stored, and not all. */
  leastPartial: number
}

/** Small, since later imports may be faster on a machine with other work. */
const SHARE = 1 / 8
const MEMORY_LIMIT_MIB = 256
/** Most bytes of the process: the limit and a quarter. */
const MOST_BYTES = 1.25 * MEMORY_LIMIT_MIB * MIB

/**
 * Imports `count` rows, and kills the import with SIGKILL at a random moment, `kills` times. Each new import continues.
 * Expects that the last import finishes, and that the directory then has each row once, with the row's time.
 */
export async function expectEachRowOnce(
  count: number,
  kills: number,
  { withinMs: given, leastPartial }: KillOptions,
): Promise<void> {
  const seed = testSeed()
  console.log(`imports that are killed: seed ${seed}`)
  const random = mulberry32(seed)
  const postgres = await startPostgres()
  try {
    await createSchema(postgres)
    const table = await addSource(postgres, 'cloudflare.logs.prod', 1)
    const fromTime = new Date(Date.now() - 3 * 86_400e3).toISOString().slice(0, 19)
    await insertRequests(postgres, table, { count, fromTime, everyUs: Math.floor(TWO_DAYS_US / count) })
    await postgres.run(`ANALYZE ${table}`)
    const limit = ['--memory-limit', `${MEMORY_LIMIT_MIB}M`]
    const measured = importArgs(postgres.url(), temporaryFolder(), ...limit)
    const withinMs = given ?? SHARE * (await measure(measured, count))
    const dataDir = temporaryFolder()
    const args = importArgs(postgres.url(), dataDir)
    let partial = 0
    let had = 0
    for (let kill = 0; kill < kills; kill++) {
      await killAfter(args, dataDir, random() * withinMs, kill % 2 === 0)
      const ids = (await storedRows(dataDir, 'edge_logs', ['id'])).map(([id]) => id)
      expect([new Set(ids).size, ids.length >= had]).toEqual([ids.length, true])
      had = ids.length
      console.log(`kill ${kill + 1}: ${had} of ${count} rows are stored`)
      if (had > 0 && had < count) partial++
    }
    expect(partial).toBeGreaterThanOrEqual(leastPartial)
    const { code, stdout } = await run(args)
    expect([code, stdout.toString()]).toEqual([
      0,
      `cloudflare.logs.prod as edge_logs: ${count - had} rows imported, ${had} already there, 0 past retention, ` +
        '0 rejected\n',
    ])
    const stored = (await storedRows(dataDir, 'edge_logs', ['id', 'timestamp'])).map(([id, us]) => `${id} ${us}`)
    const inTable = await postgres.run(
      `SELECT id || ' ' || (extract(epoch FROM timestamp) * 1000000)::bigint FROM ${table}`,
    )
    expect(stored.length).toBe(count)
    expect(new Set(stored)).toEqual(new Set(inTable.map(([text]) => text)))
  } finally {
    await postgres.stop()
  }
}

/**
 * Starts an import, and kills the import some time after the first rows are written: after a whole write, or perhaps
 * within the first write, which leaves no row.
 */
async function killAfter(args: readonly string[], dataDir: string, ms: number, isWhole: boolean): Promise<void> {
  const program = start(args)
  let least = Number.POSITIVE_INFINITY
  for (let bytes = 0; program.child.exitCode === null && bytes < least + ROWS_BYTES; await wait(POLL_MS)) {
    bytes = bytesIn(dataDir)
    least = Math.min(least, bytes)
  }
  for (let before = 0; isWhole && before !== bytesIn(dataDir); await wait(WRITE_MS)) before = bytesIn(dataDir)
  await wait(ms)
  program.child.kill('SIGKILL')
  expect([0, 'SIGKILL']).toContain(await program.exit)
}

/** Returns the size of the journals in a data directory. */
function bytesIn(dataDir: string): number {
  try {
    return readdirSync(join(dataDir, 'journal'), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { name }) => sum + statSync(join(dataDir, 'journal', name)).size, 0)
  } catch {
    // The folder is not there yet, or a file has been sealed.
    return 0
  }
}

/** Imports `count` rows. Prints speed and peak memory, and expects the peak below the bound. Returns the time in ms. */
async function measure(args: readonly string[], count: number): Promise<number> {
  const startedMs = performance.now()
  const program = start(args)
  let peak = 0
  const timer = setInterval(() => {
    try {
      peak = residentBytes(program).peak
    } catch {
      // The import has ended.
    }
  }, 100)
  expect(await program.exit).toBe(0)
  clearInterval(timer)
  const ms = performance.now() - startedMs
  console.log(
    `${count} rows imported in ${(ms / 1000).toFixed(1)} s, ${Math.round((1000 * count) / ms)} rows/s, ` +
      `peak resident memory ${Math.round(peak / MIB)} MiB`,
  )
  expect(peak).toBeGreaterThan(0)
  expect(peak).toBeLessThan(MOST_BYTES)
  return ms
}
