import { below, oneOf } from '../random.js'
import type { Moment, Transformed } from './vector-events.js'

/** Lines of the gateway, auth, functions and the database after the transforms of Vector. */

const AGENTS = ['node', 'curl/8.5.0', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', 'supabase-js-web/2.48.0']
const PATHS = [
  '/rest/v1/todos',
  '/auth/v1/token',
  '/storage/v1/object/a.png',
  '/realtime/v1/websocket',
  '/functions/v1/hello',
]
const STATUSES = [200, 200, 200, 201, 204, 206, 301, 400, 401, 404, 429, 500, 502, 503]

/** Whole seconds, as nginx writes times. */
const secondOf = (atMs: number) => new Date(atMs).toISOString().replace(/\.\d+/, '')

/** Returns a time in the form of the access lines of nginx, Envoy and PostgREST: `24/Nov/2026:12:00:00 +0000`. */
export function accessTime(atMs: number): string {
  const [, day, month, year, time] = new Date(atMs).toUTCString().split(' ')
  return `${day}/${month}/${year}:${time} +0000`
}

const addressOf = ({ random }: Moment) => `172.18.0.${2 + below(random, 200)}`

/** An access line of Kong or Envoy. The message stays the line. */
export function gatewayRequest(moment: Moment): Transformed {
  const { atMs, number, random } = moment
  const [client, agent] = [addressOf(moment), oneOf(random, AGENTS)]
  const method = oneOf(random, ['GET', 'GET', 'GET', 'POST', 'PATCH', 'DELETE'])
  const path = `${oneOf(random, PATHS)}?select=*&limit=${below(random, 20)}`
  const status = oneOf(random, STATUSES)
  const referer = `http://localhost:3000/?nr=${number}`
  const line = `${method} ${path} HTTP/1.1" ${status} ${below(random, 5000)} "${referer}" "${agent}"`
  return {
    event_message: `${client} - - [${accessTime(atMs)}] "${line}`,
    timestamp: secondOf(atMs),
    metadata: {
      request: {
        headers: { cf_connecting_ip: client, referer, user_agent: agent },
        method,
        path,
        protocol: 'HTTP/1.1',
      },
      response: { status_code: status },
    },
  }
}

/** An error line of Kong. The transform gives each the status 200. */
export function gatewayError(moment: Moment): Transformed {
  const { atMs, number, random } = moment
  const [client, path] = [addressOf(moment), oneOf(random, PATHS)]
  const severity = oneOf(random, ['error', 'warn', 'notice'])
  const failure = `*17 nr ${number} connect() failed (111: Connection refused)`
  const request = `client: ${client}, server: kong, request: "GET ${path} HTTP/1.1", host: "localhost:8000"`
  return {
    event_message: `${secondOf(atMs)} [${severity}] 2137#0: ${failure}, ${request}`,
    timestamp: secondOf(atMs),
    severity,
    metadata: {
      request: {
        headers: { cf_connecting_ip: client },
        host: 'localhost:8000',
        method: 'GET',
        path,
        protocol: 'HTTP/1.1',
      },
      response: { status_code: 200 },
    },
  }
}

/** A JSON line of GoTrue: merged into the metadata, and still the message. */
export function authLine(moment: Moment): Transformed {
  const { atMs, number, random } = moment
  const time = secondOf(atMs)
  const line = below(random, 3) === 0 ? loginOf(moment) : authRequestOf(moment)
  const fields = { component: 'api', request_id: `nr-${number}`, time, ...line }
  return { event_message: JSON.stringify(fields), metadata: { timestamp: time, ...fields } }
}

function authRequestOf(moment: Moment) {
  const { random } = moment
  const status = oneOf(random, [200, 200, 200, 204, 400, 401, 422, 429, 500])
  return {
    level: status >= 500 ? 'error' : 'info',
    msg: 'request completed',
    path: oneOf(random, ['/token', '/signup', '/user', '/recover', '/logout']),
    method: oneOf(random, ['GET', 'POST']),
    status,
    duration: below(random, 1e8),
    remote_addr: addressOf(moment),
    ...(status >= 400 && { error: `${status}: Invalid login credentials` }),
  }
}

const loginOf = ({ random }: Moment) => ({
  level: 'info',
  msg: 'Login',
  action: 'login',
  login_method: oneOf(random, ['password', 'token', 'otp']),
  provider: 'email',
  user_id: `user-${below(random, 50)}`,
  metering: true,
})

/** A line of the database. The severity is the last severity in the line that a colon follows, else LOG. */
export function databaseLine({ atMs, number, random }: Moment): Transformed {
  const severity = oneOf(random, ['LOG', 'LOG', 'LOG', 'NOTICE', 'WARNING', 'ERROR', 'FATAL', 'PANIC'])
  const timestamp = new Date(atMs).toISOString()
  const start = `${timestamp} [${below(random, 9999)}] authenticator@postgres`
  return {
    event_message: `${start} ${severity}:  statement nr ${number} of relation "todos"`,
    timestamp,
    metadata: { host: 'db-default', parsed: { error_severity: severity, timestamp } },
  }
}

/** A console line of a function: no function id, no status, no time. The line is no invocation. */
export const functionLine = ({ number, random }: Moment): Transformed => ({
  event_message: `${oneOf(random, ['[Info] ', '[Warning] ', ''])}serving the request nr ${number} with functions\n`,
  metadata: { project_ref: 'default' },
  isProjectMoved: true,
})
