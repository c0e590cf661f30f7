import { LogweirError } from '../base/errors.js'
import type { Usage, UsageQuery } from '../common/usage.js'
import { type AnswerColumn, answerColumns, type Row } from '../plan/answer.js'
import { ofProject } from '../plan/of-project.js'
import type { Plan } from '../plan/plan.js'
import type { ArgsOf, Param, Params } from './params.js'

/** How long an answer may be served from the cache, and how often an entry in use is refreshed, in seconds. */
export interface CachePolicy {
  ttlS: number
  warmS: number
}

/** The definition of a stored query. {@link endpoint} makes an {@link Endpoint} of the definition. */
export interface EndpointSpec<P extends Params> {
  /** A UUID, never changed. */
  id: string
  name: string
  /** A description of the rows in a single line, for the listing of the queries. */
  summary?: string
  maxRows: number
  cache: CachePolicy | 'disabled'
  params: P
  /**
   * If set, requests with a parameter that is not in `params` are refused. By default, such a parameter has no effect.
   */
  refusesUnknown?: true
  /** The stored SQL that the listing shows: BigQuery dialect, `@name` for a parameter. */
  query: string
  plan(args: ArgsOf<P>, nowUs: number): Plan
}

/** The parameters of a request, by the interface of `URLSearchParams`. */
export interface Given {
  get(name: string): string | null
  getAll(name: string): readonly string[]
  /** The name of the project if the request names none. Undefined: then there is no project. */
  readonly defaultProject?: string | undefined
}

/**
 * Part of AbortSignal, a type that user modules may lack. Throws the signal's reason once no caller waits for the
 * answer.
 */
export interface Cancellation {
  throwIfAborted(): void
}

/** Reads stored rows for a computation, besides the rows of its plan. */
export interface PlanReader {
  /** The plan that was run: of a single project, if the caller may read no other. */
  plan: Plan
  run(plan: Plan): Promise<AsyncIterable<Row>>
  /** See the engine's `columnPaths`. */
  columnPaths?: ((plan: Plan) => Promise<readonly (readonly string[])[]>) | undefined
  /** See the engine's `usage`. Rejects with `unsupported_by_engine` if the engine counts nothing. */
  usage(query: UsageQuery): Promise<Usage[]>
}

/** An answer that is computed of the rows of a plan, in memory. */
export interface Computation {
  columns: readonly AnswerColumn[]
  /**
   * Reads all rows of the plan, or only the first rows, perhaps rows of other plans through `reader`, and returns the
   * rows of the answer. Gives way to the event loop, and rejects with the reason of `signal`.
   */
  rows(ofPlan: AsyncIterable<Row>, signal: Cancellation, reader: PlanReader): AsyncIterable<Row>
}

/** A call of an endpoint with valid parameters. */
export interface Call {
  /** The cache key, equal for equivalent calls: the values after defaulting, in a fixed order. */
  key: string
  plan(nowUs: number): Plan
  /** If set, the answer has the rows of the computation, not the rows of the plan. */
  computation?: Computation
  /** Loads the compiler of SQL. If set, await the result before `plan`. Rejects with the errors of the compiler. */
  load?(): Promise<unknown>
  /** Set if the query is SQL that the client wrote. */
  isClientSql?: true
  /** Set if names in the query may be wrong: warnings list the names that no row has. */
  checksNames?: true
}

/** A call restricted to the rows of a single project. */
export interface BoundCall extends Call {
  project: string
}

/** A stored query, as seen by the layers above. */
export interface Endpoint {
  readonly id: string
  readonly name: string
  /** A description of the rows in a single line. */
  readonly summary?: string | undefined
  readonly maxRows: number
  readonly cache: CachePolicy | 'disabled'
  readonly query: string
  readonly params: Params
  /** Whether the layer above refuses requests with parameters that are not in `params`. */
  readonly refusesUnknown?: true | undefined
  /** Whether a request may contain a query, as SQL in the parameter `sql`. The name is Logflare's. */
  readonly sandboxing?: boolean
  /** Set if the owner of the service added the query, in a file. */
  readonly isOwn?: true
  /**
   * Reads the parameters of a request. Ignores parameters that the query does not have. Throws a LogweirError:
   * `duplicate_parameter`, `missing_parameter`, `invalid_timestamp`, `invalid_pattern`.
   */
  call(given: Given): Call
  /**
   * The same for a caller that may read some projects only. `project` is then a name, never a pattern, and the answer
   * has no row of another project, whatever the plan does. The layer above checks that the caller may read the project.
   * Also throws `forbidden_project` if the request names no project.
   */
  callBound(given: Given): BoundCall
}

/** Returns the columns of a call's answer. */
export const columnsOf = ({ computation }: Call, plan: Plan): readonly AnswerColumn[] =>
  computation?.columns ?? answerColumns(plan)

/**
 * Makes an endpoint of the parts: parameters, stored SQL, plan. The contract is the docstring of the endpoint's file.
 */
export function endpoint<P extends Params>(spec: EndpointSpec<P>): Endpoint {
  return endpointWith(spec, () => ({}))
}

/** Makes an endpoint that computes the answer from the rows of the plan. */
export function computedEndpoint<P extends Params>(
  spec: EndpointSpec<P>,
  compute: (args: ArgsOf<P>) => Computation,
): Endpoint {
  return endpointWith(spec, (args) => ({ computation: compute(args) }))
}

function endpointWith<P extends Params>(
  spec: EndpointSpec<P>,
  more: (args: ArgsOf<P>) => Pick<Call, 'computation'>,
): Endpoint {
  const { id, name, summary, maxRows, cache, query, params, refusesUnknown } = spec
  return {
    id,
    name,
    summary,
    maxRows,
    cache,
    query,
    params,
    refusesUnknown,
    call(given) {
      const args = readParams(params, given)
      const key = keyOf([id, ...Object.values(args)])
      return { key, plan: (nowUs) => spec.plan(args, nowUs), ...more(args) }
    },
    callBound(given) {
      const args = readArgs(params, given, readingOfBound)
      const project = Object.hasOwn(params, 'project') ? given.get('project') || given.defaultProject : undefined
      if (!project) throw notOfAProject()
      const key = keyOf(['bound', project, id, ...Object.values(args)])
      return { key, project, plan: (nowUs) => ofProject(spec.plan(args, nowUs), project), ...more(args) }
    },
  }
}

/** A text that is equal for equal values. Integers beyond 2^53 in a filter are no JSON. */
const keyOf = (values: readonly unknown[]) =>
  JSON.stringify(values, (_, value) => (typeof value === 'bigint' ? { integer: String(value) } : value))

const notOfAProject = () =>
  new LogweirError(
    'forbidden_project',
    'The access token is bound to projects, and this query names none. ' +
      'Name one of them as ?project=…, or use another token.',
  )

/** Reads the parameters of a request. Throws `duplicate_parameter`, and the errors of the parameters. */
export const readParams = <P extends Params>(params: P, given: Given): ArgsOf<P> =>
  readArgs(params, given, (param) => param.read)

type Reading = (param: Param<unknown>) => Param<unknown>['read']

const readingOfBound: Reading = (param) => param.readBound ?? param.read

function readArgs<P extends Params>(params: P, given: Given, readingOf: Reading): ArgsOf<P> {
  const entries = Object.entries(params).map(([name, param]) => {
    const texts = given.getAll(name)
    if (texts.length > 1) {
      throw new LogweirError(
        'duplicate_parameter',
        `The parameter "${name}" is given ${texts.length} times. Give it once.`,
      )
    }
    const text = texts[0] || undefined
    const project = text === undefined && name === 'project' ? given.defaultProject : undefined
    return [name, project ? readingOfBound(param)(project, name) : readingOf(param)(text, name)]
  })
  return Object.fromEntries(entries) as ArgsOf<P>
}

/**
 * Template tag for stored SQL: removes the common indentation and the empty first and last line. A value stands alone
 * in a line. All lines of the value are indented as the first.
 */
export function sql(strings: TemplateStringsArray, ...values: readonly string[]): string {
  const lines = strings
    .reduce((before, after, i) => before + values[i - 1].replaceAll('\n', `\n${/ *$/.exec(before)![0]}`) + after)
    .replace(/^\n|\n\s*$/g, '')
    .split('\n')
  const indent = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)))
  return lines.map((line) => line.slice(indent)).join('\n')
}
