import { AGENTS, PLACES, STATUSES, statusOf } from '../values/clients.js'
import { optionalHeaders } from '../values/optional-headers.js'
import type { ProjectFunction } from '../values/projects.js'
import { logNormal, oneIn, pick, type Random } from '../values/random.js'
import type { RecordContext } from '../values/record-context.js'
import type { TemplateWriter } from '../values/template-writer.js'
import { hex16, hex64, ipv4, uuid } from '../values/text.js'

const METHODS = ['POST', 'POST', 'POST', 'GET', 'OPTIONS']
const TYPES = ['application/json', 'text/plain;charset=UTF-8', 'application/json; charset=utf-8']
const REGIONS = ['us-east-1', 'eu-central-1', 'ap-southeast-1', 'us-west-2']

/** The values that the parts of a call's record share. */
interface Call {
  context: RecordContext
  calledFunction: ProjectFunction
  method: string
  status: number
  search: string
}

/** Writes a function call at the relay: about 1.40 KB, slim about 0.38 KB. */
export function functionEdgeLog(out: TemplateWriter, context: RecordContext): void {
  const { random } = out
  const { project, slim, open, close } = context
  const calledFunction = pick(random, project.functions)
  const method = pick(random, METHODS)
  const status = statusOf(method, pick(random, STATUSES))
  const search = oneIn(random, 3) ? `?time=${Math.floor(context.timestampUs / 1000)}` : ''
  out.put`"event_message":"${method} | ${status} | \
https://${project.ref}.functions.supabase.co/${calledFunction.name}${search}",\
"metadata":${open}"execution_time_ms":${executionTimeMs(random)},"function_id":"${calledFunction.id}",\
"project_ref":"${project.ref}",`
  if (slim) out.put`"response":${open}"status_code":${status}${close}${close}`
  else details(out, { context, calledFunction, method, status, search })
}

/** Returns a log-normal time: mostly whole milliseconds, 1 in 7 with up to three decimals. */
function executionTimeMs(random: Random): number {
  const timeMs = logNormal(random, 48, 1.1)
  return oneIn(random, 7) ? Math.round(timeMs * 1000) / 1000 : Math.ceil(timeMs)
}

function details(out: TemplateWriter, call: Call): void {
  const { context, calledFunction } = call
  const { project, close } = context
  out.put`"deployment_id":"${project.ref}_${calledFunction.id}_${calledFunction.version}","execution_id":"${uuid}",\
"request":`
  request(out, call)
  out.put`,"response":`
  response(out, call)
  out.put`,"version":"${calledFunction.version}"${close}`
}

function request(out: TemplateWriter, { context, calledFunction, method, search }: Call): void {
  const { random } = out
  const { project, optionalHeaders: optional, open, close } = context
  const [place, ip] = [pick(random, PLACES), ipv4(random)]
  out.put`${open}"headers":${open}"accept":"*/*",`
  if (optional) optionalHeaders(out)
  else out.put`"accept_encoding":"gzip, deflate, br",`
  out.put`"cf_connecting_ip":"${ip}",\
"cf_ipcountry":"${place.country}","cf_ray":"${hex16(random)}-${place.colo}","content_length":"${random.below(4_000)}",\
"host":"${project.ref}.functions.supabase.co","user_agent":"${pick(random, AGENTS)}",`
  if (!optional) out.put`"x_client_info":"supabase-js/2.${random.below(60)}.${random.below(9)}",`
  out.put`"x_forwarded_for":"${ip}, ${ipv4(random)}",\
"x_request_digest":"${hex64}"${close},"host":"subhosting-v1.deno-aws.net","method":"${method}",\
"pathname":"/${calledFunction.name}","protocol":"https:","search":"${search}",\
"url":"https://subhosting-v1.deno-aws.net/${calledFunction.name}${search}"${close}`
}

function response(out: TemplateWriter, { context, status }: Call): void {
  const { random } = out
  const { timestampUs, time, open, close } = context
  out.put`${open}"headers":${open}"content_length":"${random.below(9_000)}","content_type":"${pick(random, TYPES)}",\
"date":"${time.http(timestampUs)}","server":"deno/aws-${pick(random, REGIONS)}","vary":"Accept-Encoding"${close},\
"status_code":${status}${close}`
}
