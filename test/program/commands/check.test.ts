import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/base/time/clock.js'
import { runCheck } from '../../../src/check/run-check.js'
import { copyDirectory, directoryState } from '../../support/directory-state.js'
import { checkWhileBusy } from '../support/checks.js'
import { generated } from '../support/generated.js'
import { run, type Served, serve, start, temporaryFolder, until } from '../support/program.js'

const ROWS = { edge_logs: 1_900, postgres_logs: 100 }
/** With so little memory the heads are sealed after some hundred rows. */
const SMALL = ['--memory-limit', '6M']
const INTACT = /^read \d+ files, 2,000 rows, [\d,]+ bytes: no fault\n$/

const template = mkdtempSync(join(tmpdir(), 'logweir-check-'))
beforeAll(() => fillDirectory(template))
afterAll(() => rmSync(template, { recursive: true, force: true }))

/** Makes a data directory with segments of several days of a source, and a journal of another source. */
async function fillDirectory(dataDir: string): Promise<void> {
  const service = await serve(['--data-dir', dataDir, ...SMALL], { atEnd() {} })
  for (const [source, rows] of Object.entries(ROWS)) {
    service.child.stdin!.write(generated('--rows', `${rows}`, '--source', source, '--span', '2d'))
    await visible(service, source, rows)
  }
  service.child.kill('SIGTERM')
  await service.exit
}

/** Returns a copy of the data directory, for one test. */
function stopped(): string {
  const dataDir = join(temporaryFolder(), 'data')
  copyDirectory(template, dataDir)
  return dataDir
}

const visible = (service: Served, source: string, count: number) =>
  until(
    () => service.metric(`logweir_rows{source="${source}"}`),
    (rows) => rows === count,
  )

async function outcome(...args: string[]) {
  const { code, stdout, stderr } = await run(args)
  return { code, stdout: stdout.toString(), stderr }
}

/** Runs a check in this process. */
async function checked(directory: string, repair = false) {
  let stdout = ''
  const print = async (text: string) => {
    stdout += text
  }
  const output = { clock: systemClock, log: () => {}, print, onLost() {} }
  const code = (await runCheck({ directory, repair, format: 'text' }, output)) ? 0 : 1
  return { code, stdout }
}

/** Returns the directories of all segments, in order. */
function segmentsIn(dataDir: string): string[] {
  const source = join(dataDir, 'segments/edge_logs')
  return readdirSync(source)
    .sort()
    .flatMap((day) => readdirSync(join(source, day)).map((name) => join(source, day, name)))
}

function change(path: string, edit: (bytes: Buffer) => Buffer): void {
  writeFileSync(path, edit(readFileSync(path)))
}

/** The size of a file depends on when its segment was sealed: a place beyond the middle is the middle. */
const placeIn = (bytes: Buffer, at: number) => Math.min(at, bytes.length >> 1)

const flipped = (at: number) => (bytes: Buffer) => {
  bytes[placeIn(bytes, at)]! ^= 1
  return bytes
}

const STATUS = 'select response.status_code, count(*) as n from edge_logs group by 1 order by 1'

/** Each damage of a directory with segments and a journal, and the exit code of a check. */
const DAMAGES: [what: string, code: number, damage: (segments: string[], dataDir: string) => void][] = [
  ['a flipped bit', 1, ([one]) => change(join(one!, 'cold.arrow'), flipped(900))],
  ['a flipped bit in a journal', 1, (_, dataDir) => change(journalIn(dataDir), flipped(9000))],
  ['a cut file', 1, ([one]) => change(join(one!, 'hot.arrow'), (bytes) => bytes.subarray(0, placeIn(bytes, 700)))],
  ['zeros', 1, ([one]) => change(join(one!, 'cold.arrow'), (bytes) => bytes.fill(0, 0, placeIn(bytes, 4096)))],
  ['a missing file', 1, ([one]) => rmSync(join(one!, 'cold.arrow'))],
  [
    'two files with each other’s names',
    1,
    ([one, other]) => swap(join(one!, 'cold.arrow'), join(other!, 'cold.arrow')),
  ],
  ['a directory in place of a file', 1, ([one]) => replaceByDirectory(join(one!, 'cold.arrow'))],
  ['a directory in place of a journal', 1, (_, dataDir) => replaceByDirectory(journalIn(dataDir))],
  ['a file in place of a segment', 1, ([one]) => replaceByFile(one!)],
  ['a copy of a segment', 1, ([one]) => cpSync(one!, one!.replace(/\d+-\d+$/, '00000088-0'), { recursive: true })],
  [
    'a copy of a journal',
    1,
    (_, dataDir) => cpSync(journalIn(dataDir), journalIn(dataDir).replace(/\d{8}/, '00000088')),
  ],
  ['broken tokens', 1, (_, dataDir) => writeFileSync(join(dataDir, 'tokens.json'), '{"tokens":[{"id":')],
  ['leftovers', 0, ([one]) => cpSync(one!, `${one}9.unfinished`, { recursive: true })],
]

const journalIn = (dataDir: string) => join(dataDir, 'journal/postgres_logs-00000001.log')

function swap(one: string, other: string): void {
  renameSync(one, `${one}.a`)
  renameSync(other, one)
  renameSync(`${one}.a`, other)
}

function replaceByDirectory(path: string): void {
  rmSync(path)
  mkdirSync(path)
}

function replaceByFile(path: string): void {
  rmSync(path, { recursive: true })
  writeFileSync(path, 'a')
}

describe('logweir check', () => {
  it('finds each damage, and --repair leaves a directory that a service starts from', async () => {
    const whole = stopped()
    const before = directoryState(whole)
    expect(await outcome('check', whole)).toEqual({ code: 0, stdout: expect.stringMatching(INTACT), stderr: '' })
    expect(directoryState(whole)).toEqual(before)
    for (const [what, code, damage] of DAMAGES) {
      const dataDir = stopped()
      damage(segmentsIn(dataDir), dataDir)
      const damaged = directoryState(dataDir)
      const found = await checked(dataDir)
      expect([what, found.code]).toEqual([what, code])
      expect(found.stdout).toMatch(
        code === 1 ? /^fault: .*\n(?:.*\n)*read .*: \d+ faults?\n$/ : /^note: .*\nread .*: no fault\n$/,
      )
      expect(directoryState(dataDir), what).toEqual(damaged)
      const repaired = await checked(dataDir, true)
      expect([what, repaired.code]).toEqual([what, 0])
      expect(repaired.stdout).toContain('\nrepaired: ')
      const { code: after, stdout } = await checked(dataDir)
      expect([what, after, stdout]).toEqual([what, 0, expect.stringMatching(/no fault\n$/)])
    }
  })

  it('--repair keeps the rows of intact batches, in queries and without doubling any', async () => {
    const dataDir = stopped()
    const [one] = segmentsIn(dataDir)
    change(join(one!, 'cold.arrow'), flipped(900))
    const { stdout } = await outcome('check', '--repair', dataDir)
    const lost = Number(/Costs (\d+) rows of edge_logs/.exec(stdout)![1])
    expect(lost).toBeGreaterThan(0)
    expect(lost).toBeLessThan(ROWS.edge_logs / 4)
    const counted = await outcome('sql', dataDir, STATUS, '--format', 'csv')
    expect([counted.code, counted.stderr]).toEqual([0, ''])
    const counts = counted.stdout
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => Number(line.split(',')[1]))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(ROWS.edge_logs - lost)
    // Much more than the limit of the disk, which counts only live files.
    writeFileSync(join(dataDir, 'damaged', 'more'), Buffer.alloc(60_000_000))
    const service = await serve(['--data-dir', dataDir, '--max-disk-bytes', '50M'])
    await visible(service, 'edge_logs', ROWS.edge_logs - lost)
    expect(await service.metric('logweir_evicted_rows_total{source="edge_logs",limit="disk"}')).not.toBeGreaterThan(0)
    expect(service.stderrText()).not.toMatch(/damaged/)
    expect(existsSync(join(dataDir, 'damaged'))).toBe(true)
  })

  it('prints objects with --format json', async () => {
    const dataDir = stopped()
    const [one] = segmentsIn(dataDir)
    change(join(one!, 'cold.arrow'), flipped(900))
    const { code, stdout } = await outcome('check', dataDir, '--format', 'json')
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).toBe(1)
    expect(lines).toEqual([
      {
        level: 'fault',
        code: 'damaged_batch',
        path: `${one!.slice(dataDir.length + 1)}/cold.arrow`,
        what: expect.stringContaining('batch 0'),
        offset: expect.any(Number),
        bytes: expect.any(Number),
        source: 'edge_logs',
        rows: expect.any(Number),
        from: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        to: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
      {
        level: 'summary',
        files: expect.any(Number),
        rows: 2_000 - lines[0].rows,
        bytes: expect.any(Number),
        faults: 1,
      },
    ])
  })

  it('reads the journals of --engine clickhouse', async () => {
    const whole = stopped()
    const dataDir = temporaryFolder()
    mkdirSync(join(dataDir, 'unconfirmed'))
    cpSync(join(whole, 'format.json'), join(dataDir, 'format.json'))
    cpSync(journalIn(whole), join(dataDir, 'unconfirmed/1764000000000000-postgres_logs.log'))
    const intact = await outcome('check', dataDir)
    expect([intact.code, intact.stdout]).toEqual([0, expect.stringMatching(/^read 2 files, 100 rows, .*: no fault\n$/)])
    change(join(dataDir, 'unconfirmed/1764000000000000-postgres_logs.log'), flipped(9000))
    expect(await outcome('check', dataDir)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('fault: unconfirmed/'),
    })
    expect(await outcome('check', '--repair', dataDir)).toMatchObject({ code: 0 })
    expect(await outcome('check', dataDir)).toMatchObject({ code: 0 })
  })

  it('finds nothing next to a service that ingests, seals and deletes, and --repair refuses', async () => {
    expect(await checkWhileBusy({ forMs: 1_500, checks: 3 })).toBeGreaterThan(0)
    const dataDir = temporaryFolder()
    const service = await serve(['--data-dir', dataDir])
    expect(await outcome('check', '--repair', dataDir)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `logweir: The data directory ${dataDir} is in use by process ${service.child.pid}. ` +
        'Stop that one, or give another --data-dir.\n',
    })
    expect(await outcome('check', dataDir)).toMatchObject({ code: 0 })
  })

  it('that is killed while it repairs leaves what the next repair finishes', async () => {
    for (const afterMs of [400, 700]) {
      const dataDir = stopped()
      for (const segment of segmentsIn(dataDir)) change(join(segment, 'cold.arrow'), flipped(900))
      const repairing = start(['check', '--repair', dataDir])
      await new Promise((resolve) => setTimeout(resolve, afterMs))
      repairing.child.kill('SIGKILL')
      await repairing.exit
      expect(await outcome('check', '--repair', dataDir)).toMatchObject({ code: 0 })
      const { code, stdout } = await outcome('check', dataDir)
      const [, rows] = /, ([\d,]+) rows/.exec(stdout)!
      expect([afterMs, code]).toEqual([afterMs, 0])
      expect(Number(rows!.replaceAll(',', ''))).toBeGreaterThan(400)
      expect(Number(rows!.replaceAll(',', ''))).toBeLessThan(2_000)
    }
  })
})
