import { LogweirError } from '../base/errors.js'
import { nearest } from '../base/text/nearest.js'
import { type Endpoint, endpoint } from '../endpoints/endpoint.js'
import { lineError } from '../front-matter/place-error.js'
import { ofProject } from '../plan/of-project.js'
import type { readSql, SqlQuery } from '../sql/read-sql.js'
import { type FrontMatter, readFrontMatter } from './front-matter.js'
import { uuidOfName } from './name-uuid.js'

/** The views that SQL may read. */
export type ReadableViews = NonNullable<Parameters<typeof readSql>[2]>

/** The part of the SQL compiler that endpoints in files use. */
export interface Compiler {
  /** Throws `invalid_sql` or `unsupported_sql`. */
  readSql(text: string): SqlQuery
}

/**
 * Returns the endpoint of a `.sql` file. If the front matter has no name, the endpoint is named `defaultName`.
 * `readSql` parses the text. The endpoint's fields may still be invalid. Throws `usage` for wrong front matter and the
 * errors of `readSql`. The message ends with the place in the file.
 */
export function sqlEndpoint(text: string, defaultName: string, readSql: Compiler['readSql']): Endpoint {
  const matter = readFrontMatter(text)
  // The whole text: front matter is SQL comments, and places count from the start of the file.
  const query = readSql(text)
  checkQuery(text, query, matter)
  const made = endpointOf(text, defaultName, matter, () => query)
  return {
    ...made,
    call: (given) => ({ ...made.call(given), checksNames: true }),
    callBound: (given) => ({ ...made.callBound(given), checksNames: true }),
  }
}

/**
 * Returns the endpoint of a `.sql` file that is known to be right. The query is compiled when the first call is run.
 * Throws `usage` for wrong front matter.
 */
export function lazySqlEndpoint(text: string, defaultName: string, loadCompiler: () => Promise<Compiler>): Endpoint {
  let query: SqlQuery | undefined
  const load = async () => void (query ??= (await loadCompiler()).readSql(text))
  const made = endpointOf(text, defaultName, readFrontMatter(text), () => query!)
  return {
    ...made,
    call: (given) => ({ ...made.call(given), load }),
    callBound: (given) => ({ ...made.callBound(given), load }),
  }
}

/** `queryOf` returns the compiled text. Plans call `queryOf`. */
function endpointOf(text: string, defaultName: string, matter: FrontMatter, queryOf: () => SqlQuery): Endpoint {
  const { name = defaultName, summary, maxRows, cache, isProjectByHand, params } = matter
  const isOfProject = params.has('project') && !isProjectByHand
  const made = endpoint({
    id: matter.id ?? uuidOfName(name),
    name,
    summary,
    maxRows,
    cache,
    params: Object.fromEntries([...params].map(([name, { param }]) => [name, param])),
    query: text,
    plan(args: Readonly<Record<string, unknown>>, nowUs) {
      const scalars = [...params].map(([name, { scalarOf }]) => [name, scalarOf(args[name])])
      const plan = queryOf().plan(Object.fromEntries(scalars), nowUs)
      return isOfProject ? ofProject(plan, args.project as string) : plan
    },
  })
  return params.has('project') && isProjectByHand ? { ...made, callBound: refuseBound } : made
}

function refuseBound(): never {
  throw new LogweirError(
    'forbidden_project',
    'The access token is bound to projects, and this query is not limited to one. Use a token that is not bound.',
  )
}

/**
 * Throws `usage` if the query can be no endpoint, or if the parameters differ from the parameters of the front matter.
 */
function checkQuery(text: string, query: SqlQuery, { params, isProjectByHand }: FrontMatter): void {
  const isExplain = (word: string) => /^explain$/i.test(word)
  if (query.isExplain) throw lineError('an endpoint cannot be EXPLAIN: delete the word', lineWith(text, isExplain))
  for (const [name, { line }] of params) {
    const isApplied = name === 'project' && !isProjectByHand
    if (!isApplied && !query.parameters.has(name))
      throw lineError(`the parameter ${name} is declared but not used: use @${name}, or delete the line`, line)
  }
  for (const name of query.parameters) {
    if (params.has(name)) continue
    const line = lineWith(text, (word) => word === `@${name}`)
    const meant = nearest(name, [...params.keys()])
    const hint = meant === undefined ? '' : `. Did you mean @${meant}?`
    const type = name === 'project' ? 'text, required' : 'text'
    throw lineError(`@${name} is not declared: add "-- param ${name}: ${type}" above the query${hint}`, line)
  }
}

/** Returns the first line of which a word passes, counted from 1. Comments are not searched. */
function lineWith(text: string, passes: (word: string) => boolean): number {
  const lines = text.split('\n').map((line) => line.replace(/--.*/, '').match(/@?\w+/g) ?? [])
  return lines.findIndex((words) => words.some(passes)) + 1
}
