import { pick, repeatByWeight } from '../values/random.js'
import type { RecordContext } from '../values/record-context.js'
import type { TemplateWriter } from '../values/template-writer.js'
import { ipv4, uuidText } from '../values/text.js'

const CALLS = [
  { method: 'GET', path: '/user', message: 'request completed' },
  { method: 'POST', path: '/token', message: 'Login' },
  { method: 'POST', path: '/token', message: 'token_refreshed' },
  { method: 'POST', path: '/signup', message: 'user_signedup' },
  { method: 'POST', path: '/logout', message: 'request completed' },
  { method: 'GET', path: '/authorize', message: '400: Unsupported provider' },
]
const STATUSES = repeatByWeight([
  [200, 40],
  [204, 3],
  [400, 4],
  [401, 2],
  [403, 1],
  [422, 1],
  [500, 1],
])
const PROVIDERS = ['email', 'google', 'github', 'apple']

/** Writes a request to the auth server; the message is JSON within JSON. */
export function authLog(out: TemplateWriter, { project, timestampUs, time, slim, open, close }: RecordContext): void {
  const { random } = out
  const { method, path, message } = pick(random, CALLS)
  const [status, ip, user, request] = [pick(random, STATUSES), ipv4(random), uuidText(random), uuidText(random)]
  const at = `${time.iso(timestampUs).slice(0, 19)}Z`
  const level = status >= 500 ? 'error' : 'info'
  const event = slim
    ? ''
    : `,"auth_event":${open}"action":"${message}","actor_id":"${user}",\
"actor_username":"user${random.below(50_000)}@example.com","actor_via_sso":false,"log_type":"account",\
"traits":${open}"provider":"${pick(random, PROVIDERS)}"${close}${close}`
  out.put`"project":"${project.ref}","event_message":"{\\"component\\":\\"api\\",\\"level\\":\\"\
${level}\\",\\"method\\":\\"${method}\\",\\"msg\\":\\"${message}\\",\\"path\\":\\"${path}\\",\\"remote_addr\\":\\"\
${ip}\\",\\"status\\":${status},\\"time\\":\\"${at}\\"}","metadata":${open}"component":"api",\
"duration":${random.below(400_000_000)},"host":"db-${project.ref}","level":"${level}","method":"${method}",\
"msg":"${message}","path":"${path}","remote_addr":"${ip}","request_id":"${request}","status":${status},\
"timestamp":"${at}","user_id":"${user}"${event}${close}`
}
