import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { DAY_US } from '../../../src/base/units.js'
import { OWN_SOURCE } from '../../support/own-source.js'
import { mulberry32 } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'
import { allNumbers, numberedLine } from './numbered.js'
import { launch, type Served, serve, served, temporaryFolder, until } from './program.js'

/**
 * Rows of each source, one of them an own source. Rows of edge_logs are numbered. Some sources are recovered before
 * edge_logs, others after.
 */
const ROWS = { auth_logs: 1000, edge_logs: 3000, function_logs: 1000, postgres_logs: 1000, [OWN_SOURCE]: 1000 }
const MESSAGE = 'x'.repeat(2000)
/** With so little memory each journal is a full head, so that recovery seals the head too. */
const SMALL = ['--memory-limit', '16M']
/**
 * The days of the other sources. Each head becomes this many segments, which takes so long that a kill can come
 * in the meantime.
 */
const DAYS = 10

const SOURCES = Object.keys(ROWS)

function lineOf(source: string, row: number, startUs: number): string {
  if (source === 'edge_logs') return numberedLine(row, startUs, MESSAGE)
  return `{"source":"${source}","timestamp":${startUs - (row % DAYS) * DAY_US},"event_message":"${MESSAGE}"}\n`
}

function writeRows({ child }: Served, startUs: number): void {
  for (const [source, rows] of Object.entries(ROWS)) {
    for (let row = 0; row < rows; row++) child.stdin!.write(lineOf(source, row, startUs))
  }
}

async function rowsOf({ metric }: Served) {
  const rows = await Promise.all(SOURCES.map((source) => metric(`logweir_rows{source="${source}"}`)))
  return Object.fromEntries(SOURCES.map((source, i) => [source, rows[i]]))
}

/** Makes a data directory with all rows in journals. */
async function makeKilled(startUs: number): Promise<string> {
  const folder = temporaryFolder()
  const service = await serve(['--data-dir', folder, '--sources', OWN_SOURCE])
  writeRows(service, startUs)
  await until(
    () => rowsOf(service),
    (rows) => JSON.stringify(rows) === JSON.stringify(ROWS),
    60_000,
  )
  service.child.kill('SIGKILL')
  await service.exit
  return folder
}

/** Starts a process and kills the process `delayMs` after the start, or after the process listens and so recovers. */
async function startAndKill(args: readonly string[], delayMs: number, from: 'start' | 'listening'): Promise<void> {
  const program = launch([...args, ...SMALL])
  if (from === 'listening') await program.waitForStderr(/listening on /)
  await wait(delayMs)
  program.child.kill('SIGKILL')
  expect(await program.exit).toBe('SIGKILL')
  expect(program.stderrText()).not.toMatch(/damaged|cannot/)
}

/**
 * Kills `kills` starts at random moments, which do not name the own source any more. Expects all rows after the next
 * start.
 */
export async function killStarts(kills: number): Promise<void> {
  const seed = testSeed()
  console.log(`X3 seed ${seed}`)
  const random = mulberry32(seed)
  const startUs = Date.now() * 1000 - 3600e6
  const folder = await makeKilled(startUs)
  const args = ['--data-dir', folder]
  const journals: number[] = []
  for (let kill = 0; kill < kills; kill++) {
    const [longestMs, from] = kill % 2 === 0 ? [300, 'listening' as const] : [600, 'start' as const]
    await startAndKill(args, random() * longestMs, from)
    journals.push(readdirSync(join(folder, 'journal')).length)
  }
  console.log(`X3 journals left behind each kill: ${journals}`)
  const last = await served(launch(args))
  expect(last.stderrText()).not.toMatch(/damaged|cannot/)
  expect(await rowsOf(last)).toEqual(ROWS)
  expect(await allNumbers(last, startUs)).toEqual([...Array(ROWS.edge_logs).keys()])
}
