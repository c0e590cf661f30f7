import { nearest } from '../base/text/nearest.js'
import { MAX_ENDPOINT_ROWS, MAX_VIEW_ROWS } from '../common/limits.js'
import type { CachePolicy } from '../endpoints/endpoint.js'
import { addEntry, commentOf, type Entry, type EntryKeys, keyOf, summaryOf } from '../front-matter/comment-entries.js'
import { type FilePlace, lineError, placeError } from '../front-matter/place-error.js'
import { readKeep } from '../views/definition/keep.js'
import { type Declaration, readDeclaration } from './declaration.js'
import { MAX_SUMMARY_CHARACTERS, MAX_TTL_S } from './validate.js'

/** The settings of an endpoint in the leading comments of a `.sql` file. */
export interface FrontMatter {
  name: string | undefined
  id: string | undefined
  /** The first comment that is no entry, or undefined if there is no such comment. */
  summary: string | undefined
  maxRows: number
  cache: CachePolicy | 'disabled'
  /** Whether the query itself has to restrict the rows to a project. */
  isProjectByHand: boolean
  /** The parameters by name, in the order of their lines. */
  params: ReadonlyMap<string, Declaration>
  /** Set if the file is a view: how long its groups are kept, and the place of the time. */
  view: { keepUs: number; place: FilePlace } | undefined
}

/** The most rows of an answer if the front matter does not say. */
export const DEFAULT_MAX_ROWS = 1000

const KEYS = ['name', 'id', 'max rows', 'cache', 'project', 'view'] as const
type Key = (typeof KEYS)[number]
const KNOWN: EntryKeys<Key> = { keys: KEYS, meantBy }

/** A line that declares a parameter, the colon forgotten or not. */
const PARAM = /^param\s+(\w+)\s*(:?)\s*(.*)$/i

/**
 * Reads the front matter of a `.sql` file: the `key: value` lines in the comments before the query. Other comments are
 * ignored. Throws `usage` for a wrong line. The message ends with ` (line N)`.
 */
export function readFrontMatter(text: string): FrontMatter {
  const written = text.split('\n')
  const lines = written.map(commentOf)
  const end = lines.indexOf(undefined)
  const entries = new Map<Key, Entry>()
  const params = new Map<string, Declaration>()
  for (const [i, comment] of lines.slice(0, end < 0 ? lines.length : end).entries()) {
    if (!readParam(comment!, i + 1, params)) addEntry(written[i], i + 1, KNOWN, entries)
  }
  if (end >= 0) refuseLater(lines, end)
  const view = entries.get('view')
  if (view !== undefined) checkView(written, params, entries)
  const isProjectByHand = readProject(entries.get('project'))
  if (!isProjectByHand) checkProject(params.get('project'))
  return {
    name: entries.get('name')?.value,
    id: entries.get('id')?.value,
    summary: summaryOf(lines.slice(0, end < 0 ? lines.length : end) as string[], isPlain, MAX_SUMMARY_CHARACTERS),
    maxRows: readMaxRows(entries.get('max rows'), view === undefined ? ROWS : VIEW_ROWS),
    cache: readCache(entries.get('cache')),
    isProjectByHand,
    params,
    view: view && { keepUs: readKeep(view), place: view },
  }
}

function isPlain(comment: string): boolean {
  return comment !== '' && !PARAM.test(comment) && keyOf(comment, KNOWN) === undefined
}

/** Adds the parameter that a comment declares, and returns whether the comment declares a parameter. */
function readParam(comment: string, line: number, params: Map<string, Declaration>): boolean {
  const [, name, colon, value] = PARAM.exec(comment) ?? []
  if (name === undefined) return false
  if (colon === '') throw lineError(`write "-- param ${name}: TYPE", with a colon behind the name`, line)
  if (params.has(name)) throw lineError(`the parameter ${name} is declared twice`, line)
  params.set(name, readDeclaration(name, value!, line))
  return true
}

/** The key, or the line of a parameter, that an unknown key was meant to be. */
function meantBy(written: string): string | undefined {
  const [first = '', second] = written.split(/\s+/)
  // Two letters are near to many words.
  const candidates: string[] = KEYS.filter((key) => key !== 'id')
  return second !== undefined && nearest(first, ['param']) ? `param ${second}` : nearest(written, candidates)
}

/** A view that is kept, as in `view: keep 400d`. Behind the query any other comment is plain. */
const VIEW = /^view\s*:\s*keep\b/i

/** A declaration behind the front matter would be a plain comment. */
function refuseLater(lines: readonly (string | undefined)[], from: number): void {
  for (const [i, comment = ''] of lines.entries()) {
    if (i < from) continue
    const [, name, colon] = PARAM.exec(comment) ?? []
    if (colon === ':') throw lineError(`move "-- param ${name}: …" above the query`, i + 1)
    if (VIEW.test(comment)) throw lineError('move "-- view: …" above the query', i + 1)
  }
}

/** Refuses the parts that a view, which groups all rows of all projects, cannot have. */
function checkView(
  lines: readonly string[],
  params: ReadonlyMap<string, Declaration>,
  entries: ReadonlyMap<Key, Entry>,
): void {
  for (const [name, { line }] of params) {
    const place = { line, column: lines[line - 1].search(/\S/) + 1 }
    const instead = name === 'project' ? 'is asked for by itself' : 'is a key that is compared when the view is read'
    throw placeError(`a view has no parameters, and ${name} ${instead}: delete the line`, place)
  }
  const cache = entries.get('cache')
  if (cache !== undefined) throw placeError('a view is kept on disk, and has no cache: delete the line', cache)
  const project = entries.get('project')
  if (project !== undefined)
    throw placeError('a view is read by project, which is a key of its groups: delete the line', project)
}

const ROWS = { byDefault: DEFAULT_MAX_ROWS, most: MAX_ENDPOINT_ROWS }
const VIEW_ROWS = { byDefault: MAX_VIEW_ROWS, most: MAX_VIEW_ROWS }

function readMaxRows(entry: Entry | undefined, { byDefault, most }: typeof ROWS): number {
  if (entry === undefined) return byDefault
  const { value, line } = entry
  const rows = /^\d+$/.test(value) ? Number(value) : 0
  if (rows < 1 || rows > most) throw lineError(`max rows: ${value} is not a number from 1 to ${most}`, line)
  return rows
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 }
const CACHE = /^(\d{1,9}) ?([smh])(?:\s*,\s*warm (\d{1,9}) ?([smh]))?$/

/** Reads `900s, warm 300s`. By default, an entry in use is computed again after a third of the entry's time. */
function readCache(entry: Entry | undefined): CachePolicy | 'disabled' {
  if (entry === undefined || entry.value === 'disabled') return 'disabled'
  const [, ttl, ttlUnit, warm, warmUnit] = CACHE.exec(entry.value) ?? []
  const ttlS = Number(ttl) * SECONDS[ttlUnit!]
  const warmS = warm === undefined ? Math.max(1, Math.round(ttlS / 3)) : Number(warm) * SECONDS[warmUnit!]
  if (ttlS >= 1 && ttlS <= MAX_TTL_S && warmS >= 1 && warmS <= ttlS) return { ttlS, warmS }
  throw lineError(
    `cache: ${entry.value} is not understood. Write "900s", "15m, warm 5m" or "disabled": ` +
      `at most ${MAX_TTL_S / 3600}h, and "warm" at most as long`,
    entry.line,
  )
}

function readProject(entry: Entry | undefined): boolean {
  if (entry === undefined) return false
  if (/^by hand$/i.test(entry.value)) return true
  throw lineError(`project: ${entry.value} is not understood. Write "by hand", or delete the line`, entry.line)
}

/** The project is applied to every source, so each request has to name a project. */
function checkProject(project: Declaration | undefined): void {
  if (project === undefined || project.isRequiredText) return
  throw lineError(
    'the parameter project is applied to every source. Write "-- param project: text, required", ' +
      'or add "-- project: by hand" if the query does it',
    project.line,
  )
}
