import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { GIB } from '../../../src/base/units.js'
import { ownSourceNames } from '../../../src/common/sources.js'
import { openDataDirectory } from '../../../src/engine/disk/directory/open.js'
import { expectTwice } from '../../engine/plans.js'
import { openEngine } from '../../support/engine.js'
import { below, mulberry32, type Random } from '../../support/random.js'
import { randomPlan, randomRecords } from '../../support/random-plans.js'
import type { TestRecord } from '../../support/records.js'
import { testSeed } from '../../support/seed.js'
import { type Served, serve, temporaryFolder } from './program.js'

/** Random plans over the rows of a process that was killed, which another process answers like the oracle. */

const PLANS_A_KILL = 10
/** A head takes a sixteenth of half of the memory, 48 KiB: some hundred rows fill a head. No row is too old. */
const ARGS = ['--memory-limit', '1536K', '--retention-days', '10000']
const ROWS_A_REQUEST = 60
/** The program accepts the own source of this process, if there is one. */
const SOURCES = ownSourceNames().length === 0 ? [] : ['--sources', ownSourceNames().join()]

function lineOf({ source, id, timestampUs, project, event_message, metadata }: TestRecord): string {
  const head = JSON.stringify({ source, id, timestamp: timestampUs, project, event_message })
  return `${head.slice(0, -1)},"metadata":${metadata}}\n`
}

/**
 * Kills a process with SIGKILL once the process has acknowledged some rows, `kills` times, each time with a new data
 * directory. Expects random plans to have the rows, or the error, that the oracle says of all acknowledged rows.
 */
export async function expectPlansAfterKills(kills: number): Promise<void> {
  const seed = testSeed()
  console.log(`random plans after kills: seed ${seed}`)
  for (let kill = 0; kill < kills; kill++) {
    const random = mulberry32(seed + kill)
    const dataDir = temporaryFolder()
    const records = await ingestAndKill(dataDir, random)
    // Some rows are sealed, others in journals only.
    expect(namesIn(dataDir, 'segments')).toContainEqual(expect.stringMatching(/hot\.arrow$/))
    expect(namesIn(dataDir, 'journal')).not.toEqual([])
    await expectAnswers(dataDir, records, random, `seed ${seed}, kill ${kill}`)
  }
}

const namesIn = (dataDir: string, folder: string) =>
  readdirSync(join(dataDir, folder), { recursive: true }).map((name) => String(name))

/**
 * Sends records to a process until the process has sealed some records, and once more. Then kills the process. Returns
 * the records.
 */
async function ingestAndKill(dataDir: string, random: Random): Promise<TestRecord[]> {
  const service = await serve(['--data-dir', dataDir, ...ARGS, ...SOURCES], { stdin: 'ignore' })
  const sent: TestRecord[] = []
  const send = async () => {
    const records = randomRecords(random, 1 + below(random, ROWS_A_REQUEST)).map((record) => lengthened(record, random))
    await post(service, records)
    sent.push(...records)
  }
  do await send()
  while (!(await hasSegments(service)))
  await send()
  service.child.kill('SIGKILL')
  expect(await service.exit).toBe('SIGKILL')
  return sent
}

/** Some messages are long, so that heads are full after few rows. */
const lengthened = (record: TestRecord, random: Random): TestRecord =>
  random() < 0.2 ? { ...record, event_message: record.event_message + 'x'.repeat(below(random, 4_000)) } : record

async function hasSegments({ get }: Served): Promise<boolean> {
  const text = await (await get('/metrics')).text()
  return /^logweir_segments\{.*\} [1-9]/m.test(text)
}

async function post(service: Served, records: readonly TestRecord[]): Promise<void> {
  const headers = { 'Content-Type': 'application/x-ndjson' }
  const response = await service.get('/api/logs', { method: 'POST', headers, body: records.map(lineOf).join('') })
  expect(await response.json()).toEqual({ message: 'Logged!' })
}

/** Opens the directory in this process, runs plans, and closes the directory without sealing. */
async function expectAnswers(dataDir: string, records: readonly TestRecord[], random: Random, shown: string) {
  const engine = openEngine({ disk: await openDataDirectory(dataDir), rowsLimitBytes: GIB })
  await engine.recover()
  expect(engine.stats().reduce((sum, { rows }) => sum + rows, 0)).toBe(records.length)
  for (let i = 0; i < PLANS_A_KILL; i++) await expectTwice(engine, randomPlan(random), records, `${shown}, plan ${i}`)
  await engine.close()
}
