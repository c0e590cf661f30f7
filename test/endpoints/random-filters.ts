import { ownSourceNames, type SourceName } from '../../src/common/sources.js'
import type { Alternatives, Asked, Condition } from '../oracle/explore.js'
import { below, oneOf, type Random } from '../support/random.js'
import { edge, type TestRecord } from '../support/records.js'

/** Records with values of every type in fields, and requests of the log explorer over the records. */

export const DAY_US = Date.UTC(2026, 10, 26) * 1000
const SPAN_US = 100

/** The sources of random records. Also an own source, if the process has one. */
export const SOURCES: readonly SourceName[] = ['edge_logs', 'auth_logs', 'postgres_logs', ...ownSourceNames()]

/** Fields with a column of their own, and others. */
const DECLARED = ['response.status_code', 'request.method', 'request.path', 'status', 'level', 'parsed.error_severity']
const UNDECLARED = ['other', 'deep.er', 'tags']
const COLUMNS = ['id', 'event_message', 'project', 'timestamp']

const VALUES: readonly unknown[] = [
  ...['GET', 'get', 'POST', '500', '5e2', 'éa', 'İx', '', 'a b', 'x.y'],
  ...[500, 404, 200, 0, -1.5, 70_000, true, false, null],
]
const MESSAGES = ['GET | 200', 'login Failed', 'Ölwechsel', '', 'timeout', 'ＧＥＴ'.normalize('NFKC'), 'straße']
const PATTERNS = ['^GET$', 'e', '[0-9]+', '^$', '5.*', 'a|b', '\\.']

const placed = (path: string, value: unknown, isInList: boolean): object =>
  path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: isInList ? [inner] : inner }), value) as object

/** Merges objects at the first level. */
function metadata(random: Random, source: SourceName): object {
  const fields = [...DECLARED, ...UNDECLARED].filter(() => random() < 0.6)
  const all = fields.map((path) => {
    const value = random() < 0.05 ? oneOf(random, [{ a: 1 }, [1, 'x'], []]) : oneOf(random, VALUES)
    return placed(path, value, path !== 'tags' && source === 'edge_logs' && random() < 0.2)
  })
  return Object.assign({}, ...all)
}

export function randomRecord(random: Random, i: number): TestRecord {
  const source = oneOf(random, SOURCES)
  const timestampUs = DAY_US + below(random, SPAN_US)
  const project = oneOf(random, ['a', 'a', 'a', 'b', null])
  const event_message = oneOf(random, MESSAGES)
  return { ...edge({ id: `${i}`, timestampUs, project, event_message, metadata: metadata(random, source) }), source }
}

const isoOf = (us: number) => `${new Date(us / 1000).toISOString().slice(0, 23)}${String(us % 1000).padStart(3, '0')}Z`
const moment = (random: Random) => DAY_US + below(random, SPAN_US + 2) - 1

function valueFor(random: Random, field: string): unknown {
  if (field === 'timestamp') return random() < 0.5 ? moment(random) : isoOf(moment(random))
  if (field === 'id') return `${below(random, 100)}`
  if (field === 'project') return oneOf(random, ['a', 'b', 'A'])
  return field === 'event_message' ? oneOf(random, MESSAGES) : oneOf(random, VALUES)
}

const OPS = ['=', '!=', '<', '<=', '>', '>=', 'in', 'not_in', 'exists', 'missing', 'contains', 'matches']

/** A condition on one of the fields, or on any field. */
function randomCondition(random: Random, fields = [...DECLARED, ...UNDECLARED, ...COLUMNS]): Condition {
  const field = oneOf(random, fields)
  const isColumn = COLUMNS.includes(field)
  const name = isColumn || random() < 0.7 ? field : oneOf(random, [`metadata.${field}`, field.split('.')])
  const op = oneOf(random, field === 'timestamp' ? OPS.slice(0, 10) : OPS)
  if (op === 'exists' || op === 'missing') return { field: name, op }
  if (op === 'contains') return { field: name, op, value: oneOf(random, ['e', 'GET', '5', 'É', '', 'ß', 'true']) }
  if (op === 'matches') return { field: name, op, value: oneOf(random, PATTERNS) }
  if (op === 'in' || op === 'not_in') {
    return { field: name, op, value: Array.from({ length: 1 + below(random, 10) }, () => valueFor(random, field)) }
  }
  const value = valueFor(random, field)
  return { field: name, op, value: value === null && op !== '=' && op !== '!=' ? 500 : value }
}

/** A condition, or now and then a list of alternative conditions. */
function randomAlternatives(random: Random, fields?: string[]): Alternatives {
  if (random() < 0.75) return randomCondition(random, fields)
  return Array.from({ length: 1 + below(random, 3) }, () => randomCondition(random, fields))
}

/** A request for rows of project `a`. */
export function randomAsked(random: Random, fields?: string[]): Asked {
  const startUs = random() < 0.5 ? DAY_US : moment(random)
  return {
    project: 'a',
    source: oneOf(random, SOURCES),
    startUs,
    endUs: random() < 0.5 ? DAY_US + SPAN_US : moment(random),
    filter: Array.from({ length: below(random, 4) }, () => randomAlternatives(random, fields)),
    search: random() < 0.7 ? '' : oneOf(random, ['get', 'F', 'ö', 'SS', '200', 'ß']),
  }
}

/** A request for all rows of project `a` and a source. */
export const allRowsOf = (source: SourceName): Asked => {
  return { project: 'a', source, startUs: DAY_US, endUs: DAY_US + SPAN_US, filter: [], search: '' }
}

/** The query string of a request. */
export const searchOf = ({ project, source, startUs, endUs, filter, search }: Asked): URLSearchParams =>
  new URLSearchParams({
    project,
    source,
    start: isoOf(startUs),
    end: isoOf(endUs),
    ...(filter.length > 0 && { filter: JSON.stringify(filter) }),
    ...(search !== '' && { search }),
  })
