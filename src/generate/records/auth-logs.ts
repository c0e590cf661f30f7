import { pick, repeatByWeight } from '../values/random.js'
import type { RecordContext } from '../values/record-context.js'
import type { TemplateWriter } from '../values/template-writer.js'
import { ipv4, uuidText } from '../values/text.js'

/** A request and its outcome. */
interface Call {
  method: string
  path: string
  status: number
  message: string
  /** The action of the user, if the request succeeded. */
  action?: string
}

const call = (method: string, path: string, status: number, message: string, action?: string): Call => ({
  method,
  path,
  status,
  message,
  ...(action !== undefined && { action }),
})

const FAILED_LOGIN = '400: Invalid login credentials'

/** Each call as often as drawn per 100 requests. */
const CALLS = repeatByWeight([
  [call('GET', '/user', 200, 'request completed'), 34],
  [call('GET', '/user', 401, '401: invalid JWT: token is expired'), 4],
  [call('GET', '/user', 500, '500: Database error finding user'), 2],
  [call('POST', '/token', 200, 'Login', 'login'), 14],
  [call('POST', '/token', 400, FAILED_LOGIN), 5],
  [call('POST', '/token', 200, 'token_refreshed', 'token_refreshed'), 21],
  [call('POST', '/token', 400, '400: Invalid Refresh Token: Already Used'), 2],
  [call('POST', '/signup', 200, 'user_signedup', 'user_signedup'), 7],
  [call('POST', '/signup', 422, '422: User already registered'), 2],
  [call('POST', '/logout', 204, 'request completed', 'logout'), 6],
  [call('GET', '/authorize', 400, '400: Unsupported provider'), 2],
  [call('GET', '/verify', 403, '403: Email link is invalid or has expired'), 1],
])
const PROVIDERS = ['email', 'google', 'github', 'apple']

/** Writes a request to the auth server. The message is JSON within JSON. */
export function authLog(out: TemplateWriter, { project, timestampUs, time, slim, open, close }: RecordContext): void {
  const { random } = out
  const { method, path, status, message, action } = pick(random, CALLS)
  const [ip, user, request] = [ipv4(random), uuidText(random), uuidText(random)]
  const name = `user${random.below(50_000)}@example.com`
  const at = `${time.iso(timestampUs).slice(0, 19)}Z`
  const level = status >= 500 ? 'error' : status >= 400 ? 'warning' : 'info'
  // No user has signed in at a request that failed, but a failed login names the intended user.
  const told = message === FAILED_LOGIN ? ` for ${name}` : ''
  const event =
    slim || action === undefined
      ? ''
      : `,"auth_event":${open}"action":"${action}","actor_id":"${user}",\
"actor_username":"${name}","actor_via_sso":false,"log_type":"account",\
"traits":${open}"provider":"${pick(random, PROVIDERS)}"${close}${close}`
  const error = status < 400 ? '' : `,"error":"${message}"`
  const whose = status < 400 ? `,"user_id":"${user}"` : ''
  out.put`"project":"${project.ref}","event_message":"{\\"component\\":\\"api\\",\\"level\\":\\"\
${level}\\",\\"method\\":\\"${method}\\",\\"msg\\":\\"${message}${told}\\",\\"path\\":\\"${path}\\",\
\\"remote_addr\\":\\"${ip}\\",\\"status\\":${status},\\"time\\":\\"${at}\\"}","metadata":${open}"component":"api",\
"duration":${random.below(400_000_000)}${error},"host":"db-${project.ref}","level":"${level}","method":"${method}",\
"msg":"${message}${told}","path":"${path}","remote_addr":"${ip}","request_id":"${request}","status":${status},\
"timestamp":"${at}"${whose}${event}${close}`
}
