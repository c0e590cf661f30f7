import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { createDiskFiles } from '../../../src/engine/disk/files/files.js'
import { createJournal } from '../../../src/engine/disk/journal/writer.js'
import { journalPath } from '../../../src/engine/store/files/file-names.js'
import { toBatch } from '../../support/batch.js'
import { mulberry32 } from '../../support/random.js'
import { edge } from '../../support/records.js'
import { testSeed } from '../../support/seed.js'
import { residentBytes } from './memory.js'
import { CLI, launch, listening, type Served, serve, temporaryFolder, until } from './program.js'

/** The limit of D9: recovered and answering. */
const READY_MS = 5_000
const SOURCE = 'function_edge_logs'

/**
 * Fills a data directory, kills the process, and measures the next process from the start to the first answer over all
 * rows.
 */
export async function expectBackInTime(rows: number): Promise<void> {
  const dataDir = temporaryFolder()
  const first = await serve(['--data-dir', dataDir])
  const project = await fill(first, rows)
  first.child.kill('SIGKILL')
  await first.exit

  const startedMs = performance.now()
  const second = await listening(launch(['--data-dir', dataDir]))
  const answers = await untilReady(second)
  // While the program is not ready, every request gets 503, with or without a token.
  expect(answers.slice(0, -1).filter((answer) => answer !== '503 with Retry-After')).toEqual([])
  expect(answers.length).toBeGreaterThan(1)
  const stats = await second.rows(`functions.invocation-stats?project=${project}&interval=7day`)
  const tookMs = performance.now() - startedMs
  console.log(`D9 ${rows} rows back and answering after ${Math.round(tookMs)} ms`)
  expect(await second.metric(`logweir_rows{source="${SOURCE}"}`)).toBe(rows)
  expect(stats.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(rows / 20)
  expect(tookMs).toBeLessThan(READY_MS)
}

/** Requests without a token until the program asks for a token. Returns all answers. */
async function untilReady({ url }: Served): Promise<string[]> {
  const answers: string[] = []
  const ask = async () => {
    const { status, headers } = await fetch(`${url}/api/endpoints`)
    answers.push(`${status} with ${headers.has('Retry-After') ? 'Retry-After' : 'nothing'}`)
    return status
  }
  await until(ask, (status) => status === 401, 2 * READY_MS)
  return answers
}

/** Feeds generated slim rows. Returns the project that has a tenth of the rows. */
async function fill(service: Served, rows: number): Promise<string> {
  const args = ['generate', '--rows', `${rows}`, '--slim', '--source', SOURCE]
  const generator = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void generator.kill('SIGKILL'))
  let head = ''
  generator.stdout.once('data', (bytes: Buffer) => {
    head = bytes.toString('latin1')
  })
  generator.stdout.pipe(service.child.stdin!)
  await service.waitForStderr(/standard input ended/)
  return mostFrequent(head.match(/(?<="project_ref":")[^"]+/g)!)
}

const LIMIT_MIB = 256
const JOURNAL_BYTES = 4 * LIMIT_MIB * MIB
const PEAK_BYTES = 1.25 * LIMIT_MIB * MIB

/**
 * Starts a process on a journal of four times the memory limit, kills the process during recovery, and starts another,
 * `rounds` times. Expects the second process to have every row, and both to stay within the limit and a quarter.
 */
export async function expectReadyUnderCeiling(rounds: number): Promise<void> {
  const seed = testSeed()
  console.log(`D10 seed ${seed}`)
  const random = mulberry32(seed)
  for (let round = 0; round < rounds; round++) {
    const dataDir = temporaryFolder()
    const args = ['--data-dir', dataDir, '--memory-limit', `${LIMIT_MIB}M`]
    const rows = await writeJournal(dataDir, random)
    const killed = await listening(launch(args))
    await wait(random() * 5000)
    const peaks = [residentBytes(killed).peak]
    killed.child.kill('SIGKILL')
    await killed.exit
    const service = await listening(launch(args))
    await until(
      () => service.get('/health'),
      ({ status }) => status === 200,
      120_000,
    )
    peaks.push(residentBytes(service).peak)
    console.log(`D10 peaks of ${peaks.map((bytes) => Math.round(bytes / MIB))} MiB`)
    expect(await service.metric('logweir_rows{source="edge_logs"}')).toBe(rows)
    expect(Math.max(...peaks)).toBeLessThan(PEAK_BYTES)
    service.child.kill('SIGKILL')
    await service.exit
    rmSync(dataDir, { recursive: true })
  }
}

/** Writes a journal as a process with far more memory would leave the journal. Returns the number of rows. */
async function writeJournal(dataDir: string, random: () => number): Promise<number> {
  const files = createDiskFiles(dataDir)
  await files.makeDirectory('journal')
  const journal = createJournal(files, journalPath({ source: 'edge_logs', number: 1 }), 'edge_logs')
  const nowUs = Date.now() * 1000
  const noise = () => Array.from({ length: 40 }, () => random().toString(36).slice(2)).join(' ')
  const records = Array.from({ length: 4_000 }, (_, i) =>
    edge({ timestampUs: nowUs - i * 1e6, event_message: noise() }),
  )
  const batch = toBatch('edge_logs', records)
  let rows = 0
  for (; journal.bytes < JOURNAL_BYTES; rows += batch.rows) await journal.append(batch)
  await journal.close()
  return rows
}

function mostFrequent(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]![0]
}
