import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EITHER_WAY, MUST_ACCEPT, MUST_REFUSE, NOT_UTF8 } from '../../ingest/json-test-suite.js'
import { isJson } from '../../support/json.js'
import { allRows } from '../support/pages.js'
import { type Served, serve, temporaryFolder } from '../support/program.js'

const PROJECT = 'jsontestsuiteproject'
const START_US = (Date.now() - 3_600_000) * 1000
/** The record is level 1, the metadata level 2. A value with more levels than are left is always rejected. */
const LEVELS_LEFT = 126

/** A line of the stream, the name of its case, and the expected result. */
interface Line {
  name: string
  bytes: Buffer
  /** Undefined if the line is accepted. */
  reason: string | undefined
}

const record = (name: string, number: number, value: string) =>
  `{"source":"edge_logs","id":${JSON.stringify(name)},"timestamp":${START_US + number},` +
  `"project":"${PROJECT}","metadata":{"value":${value}}}`

/** A case as a value in a record. JSON.parse gives the expected result. */
function inRecord([name, text]: [string, string], number: number): Line {
  return { name, bytes: Buffer.from(record(name, number, text)), reason: reasonOf(record(name, number, text), text) }
}

/** A case as a whole line. No object of the suite names a source. */
function alone([name, text]: [string, string]): Line {
  return { name: `${name} alone`, bytes: Buffer.from(text), reason: reasonOf(text, text, 2) ?? otherwise(text) }
}

const otherwise = (text: string) => (/^\s*\{/.test(text) ? 'missing_source' : 'not_an_object')

function reasonOf(line: string, text: string, levelsMore = 0): string | undefined {
  if (opensDeeper(text, LEVELS_LEFT + levelsMore)) return 'too_deep'
  return isJson(line) ? undefined : 'invalid_json'
}

/** Returns whether a text begins with more levels than that. In the suite only texts that only nest are so deep. */
const opensDeeper = (text: string, levels: number) =>
  (/^(?:\[|\{"":)*/.exec(text)![0].match(/[[{]/g)?.length ?? 0) > levels

function notUtf8([name, text]: [string, string], number: number): Line[] {
  const reason = 'invalid_utf8'
  const bytes = Buffer.from(record(name, number, text), 'latin1')
  return [
    { name, bytes, reason },
    { name: `${name} alone`, bytes: Buffer.from(text, 'latin1'), reason },
  ]
}

/**
 * Every case of the suite, with a record between each two cases. The records must be stored whatever their neighbours
 * are.
 */
function corpus(): Line[] {
  const texts = Object.entries({ ...MUST_ACCEPT, ...MUST_REFUSE, ...EITHER_WAY })
  const cases = texts.flatMap((entry, i) => [inRecord(entry, 2 * i), alone(entry)])
  const unreadable = Object.entries(NOT_UTF8).flatMap((entry, i) => notUtf8(entry, 100_000 + i))
  return [...cases, ...unreadable].flatMap((line, i) => [line, marker(i)])
}

function marker(number: number): Line {
  const name = `marker ${number}`
  return { name, bytes: Buffer.from(record(name, 1_000_000 + number, `${number}`)), reason: undefined }
}

async function feed(service: Served, lines: readonly Line[]): Promise<void> {
  for (const { bytes } of lines) service.child.stdin!.write(Buffer.concat([bytes, Buffer.from('\n')]))
  service.child.stdin!.end()
  await service.waitForStderr(/standard input ended: /)
}

const rejectsIn = (dataDir: string): { line: number; reason: string }[] =>
  readFileSync(join(dataDir, 'rejects.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text))

describe('I1: JSONTestSuite, a record between each two cases', () => {
  const lines = corpus()
  const refused = lines.flatMap(({ reason }, i) => (reason === undefined ? [] : [{ line: i + 1, reason }]))

  it('I1: expects each case to be taken or refused as the suite says', () => {
    const reasonOfCase = new Map(lines.map(({ name, reason }) => [name, reason]))
    for (const name of Object.keys(MUST_ACCEPT)) expect([name, reasonOfCase.get(name)]).toEqual([name, undefined])
    for (const name of Object.keys(MUST_REFUSE)) {
      expect([name, reasonOfCase.get(name)]).toEqual([name, expect.stringMatching(/^(invalid_json|too_deep)$/)])
    }
    expect(lines.length).toBeGreaterThan(1200)
  })

  it('I1: serves what it takes, value for value, refuses the rest, and accounts for every line', async () => {
    const dataDir = temporaryFolder()
    const service = await serve(['--data-dir', dataDir])
    await feed(service, lines)
    const taken = lines.filter(({ reason }) => reason === undefined)
    expect(service.stderrText()).toContain(
      `standard input ended: ${taken.length} rows accepted, ${refused.length} rejected`,
    )

    const shown = new Map((await allRows(service, PROJECT)).map(({ id, metadata }) => [id, metadata]))
    const wanted = new Map(taken.map(({ name, bytes }) => [name, JSON.parse(bytes.toString()).metadata]))
    expect(shown).toEqual(wanted)
    expect(rejectsIn(dataDir).map(({ line, reason }) => ({ line, reason }))).toEqual(refused)
    expect(await service.metric('logweir_ingested_rows_total{source="edge_logs"}')).toBe(taken.length)
    for (const [reason, count] of countBy(refused)) {
      expect(await service.metric(`logweir_rejected_rows_total{reason="${reason}"}`)).toBe(count)
    }
    expect((await service.get('/health')).status).toBe(200)
  })
})

function countBy(refused: readonly { reason: string }[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { reason } of refused) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return counts
}
