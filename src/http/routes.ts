/** The table of routes: every path of the service with method, access and handler. */

import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Metrics } from '../base/metrics.js'
import type { Clock } from '../base/time/clock.js'
import { VERSION } from '../base/version.js'
import { DELETIONS_PATH } from '../common/deletions.js'
import { QUERY_PATH } from '../common/query-path.js'
import { RULE_TEST_PATH } from '../common/rule-test-path.js'
import { allSources } from '../common/sources.js'
import { USAGE_PATH } from '../common/usage-path.js'
import { type ListedView, VIEWS_PATH } from '../common/views-list.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { type Access, projectForNone, SCOPES } from '../tokens/access.js'
import type { Authenticate } from './access/auth.js'
import type { Logs } from './intake/logs.js'
import { OTLP_PATH, type OtlpLogs } from './intake/otlp.js'
import { isLogsPath, LOGS_PATHS } from './intake/paths.js'
import type { ReadPosted } from './intake/posted-parameters.js'
import { openApi } from './openapi/document.js'
import { loadPage } from './page.js'
import type { Queries } from './query/answer-queries.js'
import { definitions } from './query/definitions.js'
import type { DeletionRequests } from './query/deletions.js'
import type { RuleTests } from './query/rule-tests.js'
import { searchOf } from './query/search.js'
import { connectionOf } from './reply/connection.js'
import { ALLOWED_METHODS, COMMON_HEADERS, POST_METHODS, QUERY_METHODS } from './reply/cors.js'
import type { Dialect } from './reply/dialect.js'
import type { Body } from './reply/encoding.js'
import { refusals } from './reply/errors.js'
import { CODED_JSON_HEADERS, codedReply, jsonReply, VARY } from './reply/reply.js'
import type { Tails } from './tail/tail.js'

/**
 * State of the service. `degraded`: rows cannot be stored, or standard input failed. Stored rows can still be queried.
 */
export type Status = 'starting' | 'ok' | 'degraded' | 'stopping'

/** A request on the way through the chain of `app.ts`, with the connection if there is a connection. */
export interface Exchange {
  request: Request
  path: string
  incoming: HttpBindings['incoming'] | undefined
  outgoing: HttpBindings['outgoing'] | undefined
  /** The access of the request's token. Undefined on public paths. */
  access: Access | undefined
  /** The parameters of a query by POST, as a query string. Undefined until the body is read. */
  posted: string | undefined
}

/** A response, or a promise. Handlers that have the response at hand return the response at once, which is faster. */
export type Answer = Response | Promise<Response>

/** The type parameter of Hono: the exchange is Hono's `env`. */
export interface Env {
  Bindings: Exchange
}

/** A path of the service. A method that is none of {@link methodsOf} is answered with 405. */
export interface Route {
  path: string
  /** Needs no token. */
  isPublic?: boolean
  /**
   * Answers requests without a known token too, and needs no scope. A known token must be within the token's rate
   * limit.
   */
  isForAnyToken?: boolean
  answer(context: Context<Env>): Answer
}

/** Returns the methods of a path, known or unknown, as the header `Allow` lists them. */
export function methodsOf(path: string): string {
  if (isLogsPath(path) || path === RULE_TEST_PATH) return POST_METHODS
  return path.startsWith(QUERY_PATH) || path === DELETIONS_PATH ? QUERY_METHODS : ALLOWED_METHODS
}

/** The files of the explorer page. The files are public, since the files contain no logs. */
export function pageRoutes(): Route[] {
  const page = loadPage()
  return [...page.paths].map((path) => ({
    path,
    isPublic: true,
    answer: ({ env }) => page.answer(path, env.request),
  }))
}

/** The paths about the service itself: health, readiness, metrics, and the documents about the endpoints. */
export function serviceRoutes(status: () => Status, { registry }: Metrics, documents: Documents): Route[] {
  const health = () => jsonReply(JSON.stringify({ status: status() }))
  const ready = () => {
    if (status() === 'stopping') throw refusals.stopping()
    return health()
  }
  const headers = { 'Content-Type': registry.contentType, ...COMMON_HEADERS, ...VARY }
  const metrics: Route['answer'] = async ({ env }) =>
    codedReply(env.request.headers, { plain: Buffer.from(await registry.metrics()) }, headers)
  const document =
    (name: 'listing' | 'openApi'): Route['answer'] =>
    ({ env }) =>
      codedReply(env.request.headers, documents.current()[name], CODED_JSON_HEADERS)
  return [
    { path: '/health', isPublic: true, answer: health },
    { path: '/ready', isPublic: true, answer: ready },
    { path: '/metrics', answer: metrics },
    { path: '/api/endpoints', answer: document('listing') },
    { path: '/api/openapi.json', answer: document('openApi') },
  ]
}

/**
 * The permissions of a request's token. A page may ask before the user signs in: an answer with an error status would
 * be an error in the browser's console. The answer says no more than other paths do with this token.
 */
export function sessionRoutes(defaultProject: string | undefined): Route[] {
  const answer: Route['answer'] = ({ env }) => sessionReply(env.access, defaultProject)
  return [{ path: '/api/session', isForAnyToken: true, answer }]
}

function sessionReply(access: Access | undefined, ofService: string | undefined): Response {
  if (access === undefined) return jsonReply(NO_SESSION)
  const { scopes, projects } = access
  return jsonReply(
    JSON.stringify({
      scopes: SCOPES.filter((scope) => scopes.has(scope)),
      projects: projects === undefined ? null : [...projects].sort(),
      default_project: projectForNone(projects, ofService) ?? null,
    }),
  )
}

/** The permissions of a request without a known token. */
const NO_SESSION = JSON.stringify({ scopes: [], projects: [], default_project: null })

/** Lists that never change, by path. */
export function listRoutes(lists: Readonly<Record<string, readonly object[]>>): Route[] {
  return Object.entries(lists).map(([path, list]) => {
    const text = JSON.stringify(list)
    return { path, answer: () => jsonReply(text) }
  })
}

/**
 * The stored queries, by name or id, the list of projects and the usage. `authenticate` is called again while an answer
 * is a stream of events.
 */
export function queryRoutes(queries: Queries, readPosted: ReadPosted, authenticate: Authenticate): Route[] {
  async function postedSearch(exchange: Exchange): Promise<string> {
    exchange.posted = await readPosted(exchange, searchOf(exchange.request.url))
    return exchange.posted
  }
  const answer: Route['answer'] = ({ req, env }) => {
    const { request, outgoing, access } = env
    return queries.answer(req.param('idOrName')!, {
      request,
      search: () => (request.method === 'POST' ? postedSearch(env) : searchOf(request.url)),
      connection: connectionOf(outgoing),
      projects: access?.projects,
      access: () => authenticate(request.headers),
    })
  }
  return [
    { path: `${QUERY_PATH}:idOrName`, answer },
    {
      path: '/api/projects',
      answer: ({ env }) => queries.answerProjects(env.request, env.access?.projects),
    },
    {
      path: USAGE_PATH,
      answer: ({ env }) => queries.answerUsage(env.request, env.access?.projects, connectionOf(env.outgoing)),
    },
  ]
}

/** The alerts and the rules of a service, as JSON. With `projects`, the part that a token bound to them may see. */
export interface Alerting {
  alerts(projects: ReadonlySet<string> | undefined): readonly object[]
  rules(projects: ReadonlySet<string> | undefined): readonly object[]
}

/** The states of alerts, and their rules. Without alerts both lists are empty. */
export function alertingRoutes(alerting: Alerting | undefined): Route[] {
  const list =
    (name: keyof Alerting): Route['answer'] =>
    ({ env: { request, access } }) => {
      const result = alerting?.[name](access?.projects) ?? []
      return codedReply(request.headers, { plain: Buffer.from(JSON.stringify({ result })) }, CODED_JSON_HEADERS)
    }
  return [
    { path: '/api/alerting/alerts', answer: list('alerts') },
    { path: '/api/alerting/rules', answer: list('rules') },
  ]
}

/** The list of views. Without views the list is empty. */
export function viewRoutes(listViews: () => readonly ListedView[] = () => []): Route[] {
  const answer: Route['answer'] = ({ env: { request } }) =>
    codedReply(request.headers, { plain: Buffer.from(JSON.stringify({ result: listViews() })) }, CODED_JSON_HEADERS)
  return [{ path: VIEWS_PATH, answer }]
}

/** Deletions on request: the list, a deletion by its id, and a request with its parameters in the body. */
export function deletionRoutes(deletions: DeletionRequests, readPosted: ReadPosted): Route[] {
  const answer: Route['answer'] = async ({ env }) => {
    const { request, access } = env
    if (request.method !== 'POST') return deletions.list(request, access!)
    env.posted = await readPosted(env, searchOf(request.url))
    return deletions.request(request, env.posted, access!)
  }
  return [
    { path: DELETIONS_PATH, answer },
    { path: `${DELETIONS_PATH}/:id`, answer: ({ req, env }) => deletions.find(req.param('id')!, env.access!) },
  ]
}

/** The test of a rule, with its parameters in the body. */
export function ruleTestRoutes(ruleTests: RuleTests, readPosted: ReadPosted): Route[] {
  const answer: Route['answer'] = async ({ env }) => {
    const { request } = env
    env.posted = await readPosted(env, searchOf(request.url))
    return ruleTests(request, env.posted)
  }
  return [{ path: RULE_TEST_PATH, answer }]
}

/** Live tails. No route if the engine has no live tails. `authenticate` is called again while a tail lasts. */
export function tailRoutes(tails: Tails | undefined, authenticate: Authenticate): Route[] {
  if (tails === undefined) return []
  const answer: Route['answer'] = ({ env }) =>
    tails.answer(env.request, () => authenticate(env.request.headers), connectionOf(env.outgoing)?.breakOff)
  return [{ path: '/api/tail', answer }]
}

/**
 * Returns a route for each path that accepts records and has a handler. Handlers limit size, memory and rate of a body
 * while receiving the body.
 */
export function logsRoutes(logs: Logs | undefined, otlp: OtlpLogs | undefined): Route[] {
  return LOGS_PATHS.flatMap((path) => {
    const handler = path === OTLP_PATH ? otlp : logs
    if (handler === undefined) return []
    const answer: Route['answer'] = ({ env: { request, incoming, access } }) =>
      handler.answer({ request, incoming, projects: access?.projects, token: access?.id })
    return [{ path, answer }]
  })
}

/** The documents about the endpoints, the same for every caller. */
export interface Documents {
  current(): { listing: Body; openApi: Body }
  replace(endpoints: readonly Endpoint[]): void
}

interface DocumentsOptions {
  endpoints: readonly Endpoint[]
  dialect: Dialect
  clock: Clock
  defaultProject?: string | undefined
}

/**
 * Builds the documents once for each set of endpoints and known sources, on the first request: that takes longer than
 * the rest of a start. The documents are compressed once, too.
 */
export function createDocuments({ endpoints, dialect, clock, defaultProject }: DocumentsOptions): Documents {
  const form = { dialect, hasDefaultProject: defaultProject !== undefined }
  const build = (all: readonly Endpoint[]): ReturnType<Documents['current']> => ({
    listing: { plain: Buffer.from(definitions(all)) },
    openApi: { plain: Buffer.from(openApi(all, VERSION, clock.nowUs(), form)) },
  })
  let latest = endpoints
  let sources = allSources().length
  let documents: ReturnType<typeof build> | undefined
  return {
    current() {
      // Recovery makes sources known after the start.
      if (allSources().length > sources) documents = undefined
      sources = allSources().length
      documents ??= build(latest)
      return documents
    },
    replace(next) {
      latest = next
      documents = undefined
    },
  }
}
