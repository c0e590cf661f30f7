import { beforeAll, describe, expect, it } from 'vitest'
import { DAY_US } from '../../src/base/units.js'
import { acceptSources } from '../../src/common/sources.js'
import { createBodyParser } from '../../src/ingest/body/body.js'
import type { ParserSink } from '../../src/ingest/lines/record-sink.js'
import { createParser } from '../../src/ingest/stream/parse.js'
import type { Body } from '../../src/ingest/thread/messages.js'
import { receiveLimits } from '../../src/ingest/thread/received-limits.js'
import { LINES_LIMITS } from '../../src/otlp/lines.js'
import { translate } from '../../src/otlp/translate.js'
import { inSharedMemory, keptToJson } from '../../src/retention/kept-json.js'
import { type Held, hiddenThrough, MOST_US, PROJECTS, randomHistory, rowsTime } from '../retention/random-retention.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import { rowsOf } from './parsing.js'
import { collectInto, type Reject } from './rejected.js'

const CASES = runs(2_000)
const SOURCES = ['edge_logs', 'auth_logs', 'storage_logs', 'nginx']

interface TestRecord {
  id: string
  source: string
  project: string | undefined
  timestampUs: number
}

/** A record around the limit of its project, or anywhere. */
function randomRecord(random: Random, held: readonly Held[], nowUs: number, id: string): TestRecord {
  const source = oneOf(random, SOURCES)
  const project = oneOf(random, PROJECTS)
  const limitUs = hiddenThrough(held, nowUs, (file) => rowsTime(file, source, project))
  const offsetUs = oneOf(random, [0, 1, -1, below(random, DAY_US), -below(random, DAY_US)])
  const timestampUs = random() < 0.8 ? limitUs + offsetUs : nowUs - below(random, 100 * DAY_US)
  // A later time is too far ahead.
  return { id, source, project, timestampUs: Math.min(timestampUs, nowUs) }
}

/** A text with an escape, so that the project must be decoded. */
const escaped = (text: string) => `"\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}${text.slice(1)}"`

const lineOf = (random: Random, { id, source, project, timestampUs }: TestRecord): string =>
  `{"id":"${id}","source":"${source}","timestamp":${timestampUs},"event_message":"m"${
    project === undefined ? '' : `,"project":${random() < 0.3 ? escaped(project) : JSON.stringify(project)}`
  }}`

/** Each record has a resource of its own, which names source and project. */
const otlpOf = (records: readonly TestRecord[]): Uint8Array => {
  const resourceLogs = records.map(({ id, source, project, timestampUs }) => ({
    resource: {
      attributes: Object.entries({ 'logweir.source': source, 'logweir.project': project })
        .filter(([, value]) => value !== undefined)
        .map(([key, stringValue]) => ({ key, value: { stringValue } })),
    },
    scopeLogs: [{ logRecords: [{ timeUnixNano: `${timestampUs}000`, body: { stringValue: id } }] }],
  }))
  return Buffer.from(JSON.stringify({ resourceLogs }))
}

/** The outcome of each record: accepted, or the reason of the reject. */
type Outcomes = Map<string, string>

function expected(records: readonly TestRecord[], held: readonly Held[], nowUs: number, defaults: Body['defaults']) {
  const outcomes: Outcomes = new Map()
  for (const { id, source, project = defaults.project, timestampUs } of records) {
    const isAllowed = defaults.projects === undefined || (project !== undefined && defaults.projects.has(project))
    const limitUs = hiddenThrough(held, nowUs, (file) => rowsTime(file, source, project))
    const isOld = timestampUs <= limitUs || timestampUs < nowUs - MOST_US
    outcomes.set(id, isAllowed ? (isOld ? 'too_old' : 'accepted') : 'forbidden_project')
  }
  return outcomes
}

type Form = 'json' | 'ndjson' | 'otlp' | 'stream'

/** Returns a function that parses records of a form, with limits as a thread receives them. */
function openParser(form: Form) {
  const limits = receiveLimits(undefined)
  const options = { retentionUs: MOST_US, limits }
  const outcomes: Outcomes = new Map()
  const rejects: Reject[] = []
  const sink: ParserSink = {
    reject: collectInto(rejects),
    batch(batch) {
      for (const row of rowsOf(batch)) outcomes.set(`${form === 'otlp' ? row.event_message : row.id}`, 'accepted')
    },
  }
  const stream = createParser(options, sink)
  const body = createBodyParser(options, sink)
  let lines = 0

  return (random: Random, records: readonly TestRecord[], defaults: Body['defaults'], json: string, nowUs: number) => {
    limits.replace(inSharedMemory(json))
    const texts = records.map((record) => lineOf(random, record))
    outcomes.clear()
    rejects.length = 0
    if (form === 'stream') {
      stream.push(Buffer.from(`${texts.join('\n')}\n`), nowUs)
      stream.flush()
    } else {
      const bytes = {
        json: () => Buffer.from(`[${texts.join(',')}]`),
        ndjson: () => Buffer.from(texts.join('\n')),
        otlp: () => Buffer.from(translate(otlpOf(records), 'json', LINES_LIMITS)),
      }[form]()
      body.parse({ bytes, form: form === 'json' ? 'json' : 'ndjson', defaults }, nowUs)
      body.flush()
    }
    for (const { line, reason } of rejects) outcomes.set(records[line - 1 - lines]!.id, reason)
    if (form === 'stream') lines += records.length
    return new Map(outcomes)
  }
}

describe('limits of projects and sources', () => {
  const seed = testSeed()
  beforeAll(() => acceptSources(['nginx']))

  it.each(['json', 'ndjson', 'otlp', 'stream'] as const)(`reject what is hidden at once: %s (seed ${seed})`, (form) => {
    const seen = new Set<string>()
    const parse = openParser(form)
    for (let i = 0; i < CASES; i++) {
      const random = mulberry32(seed + i)
      const { kept, nowUs: lastUs, held } = randomHistory(random)
      const nowUs = lastUs + below(random, oneOf(random, [1, 20 * DAY_US]))
      const records = Array.from({ length: 1 + below(random, 20) }, (_, j) => randomRecord(random, held, nowUs, `${j}`))
      const defaults: Body['defaults'] =
        form === 'stream'
          ? {}
          : {
              ...(random() < 0.3 && { project: 'a' }),
              ...(random() < 0.3 && { projects: new Set(['a', '__proto__']) }),
            }
      const outcomes = parse(random, records, defaults, keptToJson(kept), nowUs)
      expect(outcomes, `seed ${seed + i}`).toEqual(expected(records, held, nowUs, defaults))
      for (const outcome of outcomes.values()) seen.add(outcome)
    }
    expect(seen).toEqual(new Set(['accepted', 'too_old', ...(form === 'stream' ? [] : ['forbidden_project'])]))
  })
})
