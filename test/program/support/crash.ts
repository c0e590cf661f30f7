import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { DAY_US, HOUR_US } from '../../../src/base/units.js'
import { allNumbers, numberedLine } from './numbered.js'
import { launch, type Program, serve, served, temporaryFolder, until } from './program.js'

/** Runs of the program that die inside a certain call, and the rows that the next run recovers. */

const PRELOAD = new URL('./die-at-call.mjs', import.meta.url).href
/** The environment of a program that survives, with a retention that is enforced eight times a second. */
export const HURRIED = { NODE_OPTIONS: `--import ${PRELOAD}`, DIE_AT_CALL: '0', HURRY: '500' }
/** Half of the memory is for rows, and a sixteenth of that, 48 KiB, for a head: two batches fill a head. */
const SMALL = ['--memory-limit', '1536K']
const BATCHES = 4
const HEAD_BATCHES = 2
const BATCH_ROWS = 24
const MESSAGE = 'x'.repeat(1000)
/**
 * Each batch has rows of two days, so that a head becomes two segments. A retention of one day drops the first segment.
 */
const DAYS = 2
const APART_US = 2 * DAY_US
const DROPPED_DAYS = DAYS - 1

/** The time of row 0, chosen so that rows of the last day are of the last hour. */
const startOfRows = () => Date.now() * 1000 - DROPPED_DAYS * APART_US - HOUR_US

const numberOf = (batch: number, row: number) => (row % DAYS) * APART_US + batch * BATCH_ROWS + row
const numbersOf = (batch: number) => Array.from({ length: BATCH_ROWS }, (_, row) => numberOf(batch, row))
const ascending = (a: number, b: number) => a - b

/** The numbers of the first batches, ascending. */
const upTo = (batches: number) =>
  Array.from({ length: batches }, (_, batch) => numbersOf(batch))
    .flat()
    .sort(ascending)

const linesOf = (batch: number, startUs: number) =>
  numbersOf(batch)
    .map((number) => numberedLine(number, startUs, MESSAGE))
    .join('')

/** A run: the end, the number of sent batches, and how many of the batches a query showed. */
interface RunResult {
  end: number | NodeJS.Signals
  given: number
  seen: number
}

const launchDying = (args: readonly string[], dieAtCall: number) =>
  launch([...SMALL, ...args], { environment: { ...HURRIED, DIE_AT_CALL: String(dieAtCall) } })

/**
 * Waits for the end of a program that `work` stops, or that dies earlier. Fails the test if the program does not end.
 */
async function endOf(program: Program, work: () => Promise<void>): Promise<number | NodeJS.Signals> {
  try {
    await work()
    program.child.kill('SIGTERM')
  } catch (error) {
    // No effect on a process that is dead already.
    program.child.kill('SIGABRT')
    if ((await program.exit) !== 'SIGKILL') throw error
  }
  return program.exit
}

/** Sends batches, each batch once a query shows the batch before, then stops the program. */
async function feed(program: Program, startUs: number): Promise<RunResult> {
  const life = { given: 0, seen: 0 }
  const end = await endOf(program, async () => {
    const service = await served(program)
    for (; life.seen < BATCHES; life.seen++) {
      program.child.stdin!.write(linesOf(life.given++, startUs))
      await until(
        () => service.metric('logweir_rows{source="edge_logs"}'),
        (rows) => rows === life.given * BATCH_ROWS,
      )
    }
  })
  return { ...life, end }
}

/** Returns the numbers of all rows of a data directory, ascending, and the damage that the start reports. */
async function recovered(args: readonly string[], startUs: number) {
  const service = await serve(args)
  const numbers = await allNumbers(service, startUs)
  const said = service.stderrText()
  service.child.kill('SIGKILL')
  await service.exit
  return { numbers, said }
}

/** Kills a run that accepts and seals rows inside call `n`. Returns whether there was such a call. */
export async function dieWhileFed(n: number): Promise<boolean> {
  const [args, startUs] = [['--data-dir', temporaryFolder()], startOfRows()]
  const { end, given, seen } = await feed(launchDying(args, n), startUs)
  const { numbers, said } = await recovered(args, startUs)
  const states = [upTo(seen), upTo(given)]
  expect(states, `call ${n}: of ${seen} batches seen and ${given} given came ${numbers.length} rows`).toContainEqual(
    numbers,
  )
  expect(said, `call ${n}`).not.toContain('cannot be read')
  return wasReached(n, end)
}

function wasReached(n: number, end: RunResult['end']): boolean {
  expect([0, 'SIGKILL'], `the end of the life with call ${n}`).toContain(end)
  return end === 'SIGKILL'
}

/** Makes a data directory with all batches in segments. */
export async function makeSealed(): Promise<{ folder: string; startUs: number }> {
  const [folder, startUs] = [temporaryFolder(), startOfRows()]
  const { end, seen } = await feed(launch([...SMALL, '--data-dir', folder]), startUs)
  expect([end, seen]).toEqual([0, BATCHES])
  return { folder, startUs }
}

/** Kills a run that drops the first day by retention, inside call `n`. Returns whether there was such a call. */
export async function dieWhileEvicting(sealed: { folder: string; startUs: number }, n: number): Promise<boolean> {
  const folder = join(temporaryFolder(), 'data')
  cpSync(sealed.folder, folder, { recursive: true, filter: (path) => !path.endsWith('lock') })
  const args = ['--data-dir', folder]
  const program = launchDying([...args, '--retention-days', '1'], n)
  const end = await endOf(program, async () => {
    const { metric } = await served(program)
    await until(
      () => metric('logweir_evicted_rows_total{source="edge_logs",limit="retention"}'),
      (rows) => rows === (upTo(BATCHES).length / DAYS) * DROPPED_DAYS,
    )
  })
  const { numbers, said } = await recovered(args, sealed.startUs)
  expect(said, `call ${n}`).not.toContain('cannot be read')
  expectWholeSegments(numbers, `call ${n}`)
  if (end === 0) expect(numbers).toEqual(upTo(BATCHES).filter((number) => dayOf(number) === DROPPED_DAYS))
  return wasReached(n, end)
}

const dayOf = (number: number) => Math.floor(number / APART_US)
const headOf = (number: number) => Math.floor((number % APART_US) / (BATCH_ROWS * HEAD_BATCHES))

/** Expects all rows or none of each head and day, and all rows of the last day. */
function expectWholeSegments(numbers: readonly number[], what: string): void {
  const kept = (all: readonly number[]) => {
    const counts = new Map<string, number>()
    for (const number of all) {
      const segment = `day ${dayOf(number)} head ${headOf(number)}`
      counts.set(segment, (counts.get(segment) ?? 0) + 1)
    }
    return counts
  }
  const whole = kept(upTo(BATCHES))
  for (const [segment, rows] of kept(numbers)) expect(rows, `${what}: ${segment}`).toBe(whole.get(segment))
  const lastDay = (all: readonly number[]) => all.filter((number) => dayOf(number) === DROPPED_DAYS)
  expect(lastDay(numbers), what).toEqual(lastDay(upTo(BATCHES)))
}
