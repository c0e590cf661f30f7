import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { nearest } from '../base/text/nearest.js'
import { hotColumns } from '../common/columns.js'
import type { Row } from '../plan/answer.js'
import { count } from '../plan/builder.js'
import { call, column, literal } from '../plan/expression.js'
import { expressionKey } from '../plan/expression-key.js'
import { type FieldName, type NamedRows, namedRowsOf } from '../plan/names-in-plan.js'
import { ofProject } from '../plan/of-project.js'
import type { Operator, Plan } from '../plan/plan.js'
import { nameOfPath } from './field-name.js'
import { countFields } from './field-values.js'
import { MAX_WARNINGS, nameWarning } from './name-warning.js'

/** The newest rows that are looked at for names: as many as a query of the newest rows reads at least. */
const SAMPLE_ROWS = 256
/** The newest rows that are looked at for names that the sample does not have: a search takes milliseconds. */
const MORE_ROWS = 4_096
/** The limits of the sample of which the nearest field is taken. */
const FIELD_SAMPLE = { rows: SAMPLE_ROWS, characters: 1_000_000, nodes: 2_000, depth: 8 }
/** The most scans that are looked at, and the most names of a scan. */
const MAX_SCANS = 10
const MAX_NAMES = 50
/** Names that were found in rows, with the time of the row. */
const KEPT_NAMES = 2_000
/** How long the search for rows with a name may take, besides a share of the time that the query took. */
const SEARCH_MS = 20
const SEARCH_SHARE = 0.1
/** How long a search that took too long is not tried again. */
const UNFINISHED_MS = 60_000

const COLUMNS = ['id', 'timestamp', 'event_message', 'project', 'metadata']

/** A plan of SQL that has run. */
interface CheckedRun {
  plan: Plan
  /** The only project of which the caller may read rows. */
  project?: string | undefined
  /** Milliseconds that the plan took. */
  ranMs: number
  /** When the signal is aborted, no more rows are read. */
  signal: AbortSignal
  /** Runs a plan as the plan of the query was run. */
  run(plan: Plan, signal: AbortSignal): Promise<AsyncIterable<Row>>
}

/** Finds the names in plans of SQL without a meaning. */
export interface NameChecks {
  /**
   * Returns a warning for each name of a plan that is read as a field and that no row of the scan has. Reads only rows
   * of the scans of the plan: the newest rows, and older rows only for a short time. Rejects only once the signal is
   * aborted.
   */
  warnings(run: CheckedRun): Promise<string[]>
}

/** The results of earlier checks, by {@link keysOf}. */
interface Memory {
  /** The time of a row that has the name, in microseconds since the epoch. */
  found: LRUCache<string, number>
  /** Names that were looked for in vain in the time that there is. */
  unfinished: LRUCache<string, true>
}

/**
 * Creates the checks. A name that was found in a row is not looked up again while the row is in the range, and the
 * search for a name that took too long is not tried again for a minute.
 */
export function createNameChecks(): NameChecks {
  const found = new LRUCache<string, number>({ max: KEPT_NAMES })
  const unfinished = new LRUCache<string, true>({ max: KEPT_NAMES, ttl: UNFINISHED_MS })
  return {
    async warnings(run) {
      const warnings = new Set<string>()
      // The query has just used a slice, and a plan may have 10,000 expressions.
      await nextTurn()
      for (const rows of distinctRows(namedRowsOf(run.plan)).slice(0, MAX_SCANS)) {
        try {
          for (const warning of await checkRows(rows, run, knownNames(rows, run, { found, unfinished })))
            warnings.add(warning)
        } catch {
          // The answer is complete: a warning is worth no error.
          run.signal.throwIfAborted()
        }
      }
      return [...warnings]
    },
  }
}

/** The rows of equal scans are looked at once. */
function distinctRows(all: readonly NamedRows[]): NamedRows[] {
  const byKey = new Map<string, NamedRows>()
  for (const rows of all) {
    if (rows.names.length === 0 || rows.scan.fromUs > rows.scan.throughUs) continue
    const key = JSON.stringify([keyOfRows(rows), rows.scan.fromUs, rows.scan.throughUs])
    const known = byKey.get(key)
    byKey.set(key, known === undefined ? rows : { ...known, names: [...known.names, ...rows.names] })
  }
  return [...byKey.values()]
}

const keyOfRows = ({ scan, operators }: NamedRows): string =>
  JSON.stringify([scan.sources, operators.map(keyOfOperator)])

function keyOfOperator(operator: Operator): string {
  if (operator.op === 'filter') return expressionKey(operator.where)
  return operator.op === 'unnest' ? `${operator.name} ${expressionKey(operator.list)}` : ''
}

/** The longest key that is kept without hashing. */
const MAX_KEY_CHARACTERS = 200

/** Returns the key of a name in the rows of a scan and a project. */
function keysOf(rows: NamedRows, { project = '' }: CheckedRun): (name: FieldName) => string {
  const ofRows = keyOfRows(rows)
  return ({ value }) => {
    const key = JSON.stringify([project, ofRows, expressionKey(value)])
    return key.length <= MAX_KEY_CHARACTERS ? key : hash('sha256', key, 'base64url')
  }
}

/** The results of earlier checks of the names of one scan. */
interface KnownNames {
  /** Whether a row of the range is known to have a name. */
  isFound(name: FieldName): boolean
  /** Notes the time of a row that has a name, in microseconds since the epoch. */
  noteFound(name: FieldName, us: number): void
  isUnfinished(name: FieldName): boolean
  noteUnfinished(name: FieldName): void
}

function knownNames(rows: NamedRows, run: CheckedRun, { found, unfinished }: Memory): KnownNames {
  const keyOf = keysOf(rows, run)
  const { fromUs, throughUs } = rows.scan
  return {
    isFound(name) {
      const us = found.get(keyOf(name))
      return us !== undefined && us >= fromUs && us <= throughUs
    },
    noteFound: (name, us) => void found.set(keyOf(name), us),
    isUnfinished: (name) => unfinished.has(keyOf(name)),
    noteUnfinished: (name) => void unfinished.set(keyOf(name), true),
  }
}

async function checkRows(rows: NamedRows, run: CheckedRun, known: KnownNames): Promise<string[]> {
  const names = rows.names
    .filter((name) => name.isOutput || !isDeclared(name, rows))
    .slice(0, MAX_NAMES)
    .filter((name) => !known.isFound(name))
  if (names.length === 0) return []
  const first = await newestRows(rows, names, SAMPLE_ROWS, run, known)
  if (first.missing.length === 0 || first.rows === 0) return []
  const absent = first.rows < SAMPLE_ROWS ? first.missing : await withoutRows(rows, first.missing, run, known)
  if (absent.length === 0) return []
  const fields = await fieldsOf(rows, run)
  const warnings: string[] = []
  for (const name of absent.slice(0, MAX_WARNINGS)) {
    // The search for the nearest of 2,000 fields takes milliseconds: other requests are answered in between.
    await nextTurn()
    const meant = nearestField(name, fields)
    const isOpen = 'isOpen' in name
    const scope = { sources: rows.scan.sources, newest: isOpen ? MORE_ROWS : undefined }
    if (!isOpen || name.isOutput || meant !== undefined) warnings.push(nameWarning(name, scope, meant))
  }
  return warnings
}

/** Whether a name is a field with a column of its own, or an object with such a field. */
function isDeclared({ paths }: FieldName, { scan }: NamedRows): boolean {
  const declared = scan.sources.flatMap((source) => hotColumns(source).map(({ path }) => path))
  return paths.some((path) => declared.some((own) => path.every((key, i) => own[i] === key)))
}

/** The rows of a scan that are looked at. */
const rowsPlan = ({ scan, operators }: NamedRows, { project }: CheckedRun): Plan => {
  const plan = [scan, ...operators]
  return project === undefined ? plan : ofProject(plan, project)
}

const newest = (columns: Extract<Operator, { op: 'select' }>['columns'], rows: number): Plan => [
  { op: 'select', columns },
  { op: 'orderBy', keys: [{ by: column('timestamp'), direction: 'desc', nulls: 'last' }] },
  { op: 'limit', rows, offset: 0 },
]

const TIME = { name: 'timestamp', value: column('timestamp') }

/** Reads the newest rows, and returns the names that none of these rows has. */
async function newestRows(
  rows: NamedRows,
  names: readonly FieldName[],
  mostRows: number,
  run: CheckedRun,
  known: KnownNames,
) {
  const isNull = names.map(({ value }, i) => ({ name: `n${i}`, value: call('is_null', value) }))
  const lastTimes = isNull.map(({ name }) => ({
    name,
    value: { fn: 'max', args: [call('if', column(name), literal(null), column('timestamp'))] } as const,
  }))
  const plan: Plan = [
    ...rowsPlan(rows, run),
    ...newest([TIME, ...isNull], mostRows),
    { op: 'group', keys: [], aggregates: [{ name: 'rows', value: count() }, ...lastTimes] },
  ]
  const row = await firstRow(run.run(plan, run.signal))
  const lastUs = names.map((_, i) => row?.[`n${i}`] ?? undefined)
  for (const [i, name] of names.entries()) if (lastUs[i] !== undefined) known.noteFound(name, Number(lastUs[i]))
  return { rows: Number(row?.rows ?? 0), missing: names.filter((_, i) => lastUs[i] === undefined) }
}

async function firstRow(answer: Promise<AsyncIterable<Row>>): Promise<Row | undefined> {
  for await (const row of await answer) return row
  return undefined
}

/** A name that the newest rows do not have. If `isOpen`, older rows may have the name. */
type Absent = FieldName & { isOpen?: true }

/** Looks for names in more rows, then in all as long as there is time. Returns the names that were not found. */
async function withoutRows(
  rows: NamedRows,
  names: readonly FieldName[],
  run: CheckedRun,
  known: KnownNames,
): Promise<Absent[]> {
  const open: Absent[] = names.filter(known.isUnfinished).map((name) => ({ ...name, isOpen: true }))
  const others = names.filter((name) => !known.isUnfinished(name))
  if (others.length === 0) return open
  const more = await newestRows(rows, others, MORE_ROWS, run, known)
  const absent = more.rows < MORE_ROWS ? more.missing : await withoutAnyRow(rows, more.missing, run, known)
  return [...open, ...absent]
}

async function withoutAnyRow(
  rows: NamedRows,
  names: readonly FieldName[],
  run: CheckedRun,
  known: KnownNames,
): Promise<Absent[]> {
  const deadline = AbortSignal.timeout(Math.ceil(SEARCH_MS + SEARCH_SHARE * run.ranMs))
  const absent: Absent[] = []
  for (const name of names) {
    const us = await newestWith(name, rows, run, deadline)
    if (us === 'unfinished') {
      known.noteUnfinished(name)
      absent.push({ ...name, isOpen: true })
    } else if (us === undefined) absent.push(name)
    else known.noteFound(name, us)
  }
  return absent
}

/** Returns the time of the newest row that has a name, undefined if no row has the name. */
async function newestWith(
  { value }: FieldName,
  rows: NamedRows,
  run: CheckedRun,
  deadline: AbortSignal,
): Promise<number | 'unfinished' | undefined> {
  const where = call('not', call('is_null', value))
  const plan = [...rowsPlan(rows, run), { op: 'filter', where } as const, ...newest([TIME], 1)]
  try {
    deadline.throwIfAborted()
    const row = await firstRow(run.run(plan, AbortSignal.any([run.signal, deadline])))
    return row && Number(row.timestamp)
  } catch (error) {
    run.signal.throwIfAborted()
    if (deadline.aborted) return 'unfinished'
    throw error
  }
}

/** The paths of fields by their names. */
type Fields = ReadonlyMap<string, readonly string[]>

/** Returns the fields of the newest rows, and the objects that the fields are in. */
async function fieldsOf({ scan, operators }: NamedRows, run: CheckedRun): Promise<Fields> {
  const filters = operators.filter(({ op }) => op === 'filter')
  const metadata = { name: 'metadata', value: column('metadata') }
  const plan = [...rowsPlan({ scan, operators: filters, names: [] }, run), ...newest([TIME, metadata], SAMPLE_ROWS)]
  const { fields } = await countFields(await run.run(plan, run.signal), FIELD_SAMPLE, run.signal)
  const paths = fields.flatMap(({ keys }) => keys.map((_, i) => keys.slice(0, i + 1)))
  return new Map(paths.map((keys) => [nameOfPath(keys), keys]))
}

/** The name of the nearest field: a field with a similar name, or else a field with the name as its last key. */
function nearestField({ name, paths }: FieldName, fields: Fields): string | undefined {
  const known = [...fields.keys(), ...COLUMNS]
  const written = paths.map((path) => path.join('.'))
  for (const one of [...written, name]) {
    const near = nearest(one, known)
    if (near !== undefined && !written.includes(near)) return near
  }
  const last = paths[0]?.at(-1)
  return [...fields].find(([, keys]) => keys.length > 1 && keys.at(-1) === last)?.[0]
}
