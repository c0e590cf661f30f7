import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { createMetrics } from '../../src/base/metrics.js'
import { systemClock } from '../../src/base/time/clock.js'
import { allSourceNames, findSource } from '../../src/common/sources.js'
import type { IngestBatch } from '../../src/engine/engine.js'
import { createBodyParser } from '../../src/ingest/body/body.js'
import type { createRequests as CreateRequests, Requests } from '../../src/ingest/body/requests.js'
import { runs } from '../support/runs.js'
import { NOW_US, parseBound, RETENTION_US, rowsOf } from './parsing.js'
import { storeInto } from './rejected.js'

/** Returns a record's project in the obvious way: the first project place of the source that is a text, else null. */
function projectOf(text: string): string | null {
  const { source, metadata, ...fields } = JSON.parse(text)
  const first = (Array.isArray(metadata) ? metadata[0] : metadata) ?? {}
  const texts: Record<string, unknown> = {
    project: fields.project,
    'metadata.project': first.project,
    'metadata.project_ref': first.project_ref,
  }
  const place = findSource(source)!.projectPlaces.find((one) => typeof texts[one] === 'string')
  return place === undefined ? null : (texts[place] as string)
}

const NAMES = [
  'a',
  'b',
  'ab',
  'é',
  '',
  '__proto__',
  'a project of more than sixteen bytes',
  'a project of more than sixteen byteS',
]
const text = fc.constantFrom(...NAMES).chain((name) =>
  fc.constantFrom(
    JSON.stringify(name),
    // The same text as escapes.
    `"${[...name].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`,
  ),
)
const nothingOrText = fc.oneof({ weight: 3, arbitrary: text }, fc.constant('null'))
const anything = fc.oneof({ weight: 4, arbitrary: nothingOrText }, fc.constantFrom('7', '{}', '["a"]', 'false'))
const key = (name: string) => fc.constantFrom(`"${name}"`, `"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}"`)
const member = (name: string, value: fc.Arbitrary<string>) => fc.tuple(key(name), value).map((pair) => pair.join(':'))

/** Objects with members in random order, repeated or missing. */
const object = (...members: fc.Arbitrary<string>[]) =>
  fc.array(fc.oneof(...members), { maxLength: 5 }).map((all) => `{${all.join(',')}}`)
const inner = object(
  member('project', anything),
  member('project_ref', anything),
  member('projects', text),
  member('request', object(member('project', text))),
)
const metadata = fc.oneof(
  inner,
  fc.constant('null'),
  fc.array(inner, { minLength: 1, maxLength: 3 }).map((all) => `[${all.join(',')}]`),
)
const source = fc.constantFrom(...allSourceNames())
const record = fc
  .tuple(
    source,
    object(member('project', nothingOrText), member('metadata', metadata), member('x', inner)),
    fc.boolean(),
  )
  .map(([name, object, isFirst]) => {
    const members = object.slice(1, -1)
    const all = isFirst ? [`"source":"${name}"`, members] : [members, `"source":"${name}"`]
    return `{${all.filter(Boolean).join(',')}}`
  })
const bound = fc
  .subarray(
    NAMES.filter((name) => name !== ''),
    { minLength: 1 },
  )
  .map((names) => new Set(names))

describe('lines that are bound to projects', () => {
  it('are taken of these projects alone, wherever a record names its own', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 20 }), bound, (records, projects) => {
        const isAllowed = (line: string) => projects.has(projectOf(line) ?? '')
        const { rows, rejects } = parseBound(records.join('\n'), projects)
        const accepted = rows.map(({ project }) => project)
        expect(accepted.sort()).toEqual(records.filter(isAllowed).map(projectOf).sort())
        expect(rejects.map(({ line, reason }) => [line, reason])).toEqual(
          records.flatMap((line, i) => (isAllowed(line) ? [] : [[i + 1, 'forbidden_project']])),
        )
      }),
      { numRuns: runs(100) },
    )
  })

  it('have their other faults told first, but for the time', () => {
    const other = { source: 'edge_logs', project: 'b' }
    const reasonOf = (record: object) => parseBound(JSON.stringify(record), new Set(['a'])).rejects[0]?.reason
    expect(reasonOf({ ...other, id: 7 })).toBe('invalid_field')
    expect(reasonOf({ ...other, source: 'x' })).toBe('unknown_source')
    expect(reasonOf({ ...other, project: 'a\ud800' })).toBe('invalid_json')
    expect(reasonOf({ ...other, timestamp: 'x' })).toBe('forbidden_project')
    expect(reasonOf({ source: 'edge_logs' })).toBe('forbidden_project')
  })

  it('may be of as many projects, and as long ones, as there can be', () => {
    const names = Array.from({ length: 100 }, (_, i) => `${i}`.padStart(200, '\u20ac'))
    const lines = [...names, 'x', names[99]!.slice(1), `${names[0]}1`]
    const { rows, rejects } = parseBound(
      lines.map((project) => JSON.stringify({ source: 'edge_logs', project })).join('\n'),
      new Set(names),
    )
    expect(rows.map(({ project }) => project)).toEqual(names)
    expect(rejects.map(({ line }) => line)).toEqual([101, 102, 103])
  })

  it('leave nothing of a refused one behind', () => {
    const line = (project: string, id: string) => `${JSON.stringify({ source: 'edge_logs', project, id })}\n`
    const { batches } = parseBound(line('secret', 'refused') + line('a', 'taken'), new Set(['a']))
    expect(Buffer.from(batches[0]!.ipc).toString('latin1')).not.toMatch(/secret|refused/)
  })

  it('are bound body by body, also when the memory is renewed in between', () => {
    const rows: unknown[] = []
    const rejected: number[] = []
    const parser = createBodyParser(
      { retentionUs: RETENTION_US },
      {
        batch: (batch) => rows.push(...rowsOf(batch).map(({ id }) => id)),
        reject: (line) => rejected.push(line),
      },
    )
    const take = (id: string, projects?: ReadonlySet<string>, filler = 0) => {
      const record = { source: 'edge_logs', project: 'b', id, event_message: 'x'.repeat(filler) }
      const bytes = Buffer.from(`${JSON.stringify(record)}\n`.repeat(filler > 0 ? 5 : 1))
      return parser.parse({ bytes, form: 'ndjson', defaults: { projects } }, NOW_US).taken
    }
    expect([take('1', new Set(['a'])), take('2', new Set(['b'])), take('3')]).toEqual([0, 1, 1])
    expect(take('4', new Set(['a']), 1_000_000)).toBe(0)
    expect(take('5', undefined, 1_000_000)).toBe(5)
    parser.flush()
    while (parser.holdsLargeMemory()) parser.releaseIdle()
    expect([take('6', new Set(['a'])), take('7')]).toEqual([0, 1])
    parser.flush()
    expect(rows).toEqual(['2', '3', '5', '5', '5', '5', '5', '7'])
    expect(rejected).toEqual([1, 1, 2, 3, 4, 5, 1])
  })

  it('get the project of the body where they name none, if it is one of them', () => {
    const rows: unknown[] = []
    const batch = (one: IngestBatch) => void rows.push(...rowsOf(one).map(({ project }) => project))
    const parser = createBodyParser({ retentionUs: RETENTION_US }, { batch, reject: () => {} })
    const bytes = Buffer.from('[{"source":"edge_logs"},{"source":"edge_logs","project":"other"}]')
    for (const project of ['own', 'other']) {
      parser.parse(
        { bytes: Buffer.from(bytes), form: 'json', defaults: { project, projects: new Set(['own']) } },
        NOW_US,
      )
    }
    parser.flush()
    expect(rows).toEqual(['own'])
  })
})

// The parsing thread runs built code: run `npm run build` before the tests.
const { createRequests }: { createRequests: typeof CreateRequests } = await import(
  new URL('../../dist/ingest/body/requests.js', import.meta.url).href
)

describe('requests that are bound to projects', () => {
  let requests: Requests | undefined
  afterEach(() => requests?.close())

  it('come one behind the other, each taken of its own projects alone', async () => {
    const rows: unknown[] = []
    const engine = { append: async (batch: IngestBatch) => void rows.push(...rowsOf(batch)) }
    const parts = { metrics: createMetrics(), rejects: storeInto([]), clock: systemClock }
    requests = createRequests({ engine, ...parts })
    const bindings = [undefined, new Set(['a']), new Set(['b', 'c']), new Set(['d'])]
    const projects = ['a', 'b', 'c', 'd', undefined]
    const tasks = Array.from({ length: 60 }, (_, n) => ({ n, projects: bindings[n % bindings.length] }))
    const answers = await Promise.all(
      tasks.map(({ n, projects: bound }) => {
        const records = projects.map((project) => ({ id: `${n}`, project }))
        const defaults = {
          source: 'edge_logs',
          projects: bound,
          ...(bound?.size === 1 ? { project: [...bound][0] } : {}),
        }
        return requests!.take(Buffer.from(JSON.stringify(records)), 'json', defaults)
      }),
    )
    const counts = answers.map(({ taken, byReason }) => [taken, byReason.forbidden_project])
    expect(counts).toEqual(
      tasks.map(
        ({ n }) =>
          [
            [5, undefined],
            [2, 3],
            [2, 3],
            [2, 3],
          ][n % 4],
      ),
    )
    const wanted = tasks.flatMap(({ n }) =>
      [
        ['a', 'b', 'c', 'd', null],
        ['a', 'a'],
        ['b', 'c'],
        ['d', 'd'],
      ][n % 4]!.map((project) => `${n} ${project}`),
    )
    const accepted = (rows as { id: string; project: string }[]).map(({ id, project }) => `${id} ${project}`)
    expect(accepted.sort()).toEqual(wanted.sort())
  })
})
