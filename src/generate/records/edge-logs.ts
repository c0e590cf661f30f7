import { AGENTS, METHODS, PLACES, type Place, STATUSES, statusOf } from '../values/clients.js'
import { optionalHeaders } from '../values/optional-headers.js'
import { logNormal, oneIn, pick, type Random, repeatByWeight } from '../values/random.js'
import type { RecordContext } from '../values/record-context.js'
import { drawTarget, type RequestTarget } from '../values/requests.js'
import type { TemplateValue, TemplateWriter } from '../values/template-writer.js'
import { hex8, hex16, hex64, ipv4 } from '../values/text.js'

const CACHE_STATUSES = repeatByWeight([
  ['DYNAMIC', 7],
  ['HIT', 2],
  ['MISS', 1],
  ['EXPIRED', 1],
])
const TYPES = ['application/json; charset=utf-8', 'application/json', 'image/webp', 'image/png', 'text/plain']
const PROTOCOLS = ['HTTP/2', 'HTTP/2', 'HTTP/3', 'HTTP/1.1']
const CIPHERS = ['AEAD-AES128-GCM-SHA256', 'AEAD-AES256-GCM-SHA384', 'ECDHE-RSA-AES128-GCM-SHA256']

/** The values that the parts of a request's record share. */
interface Exchange {
  context: RecordContext
  target: RequestTarget
  url: string
  method: string
  status: number
  ip: TemplateValue
  ray: TemplateValue
  agent: string
  place: Place
}

/** Writes a request to the platform's edge: about 1.87 KB, slim about 0.38 KB. */
export function edgeLog(out: TemplateWriter, context: RecordContext): void {
  const { random } = out
  const target = drawTarget(random, context.project)
  const method = pick(random, METHODS)
  const exchange: Exchange = {
    context,
    target,
    url: `https://${target.host}${target.path}${target.search}`,
    method,
    status: statusOf(method, pick(random, STATUSES)),
    ip: ipv4(random),
    ray: hex16(random),
    agent: pick(random, AGENTS),
    place: pick(random, PLACES),
  }
  if (context.slim) slim(out, exchange)
  else full(out, exchange)
}

function slim(out: TemplateWriter, { context, target, url, method, status, ip }: Exchange): void {
  const { project, open, close } = context
  out.put`"project":"${project.ref}","event_message":"${method} | ${status} | ${ip}",\
"metadata":${open}"request":${open}"path":"${target.path}","url":"${url}"${close},\
"response":${open}"status_code":${status}${close}${close}`
}

function full(out: TemplateWriter, exchange: Exchange): void {
  const { context, url, method, status, ip, ray, agent } = exchange
  const { project, open, close } = context
  out.put`"project":"${project.ref}","event_message":"${method} | ${status} | ${ip} | ${ray} | ${url} | ${agent}",\
"metadata":${open}"logflare_worker":${open}"worker_id":"${hex8(out.random)}"${close},"request":`
  request(out, exchange)
  out.put`,"response":`
  response(out, exchange)
  out.put`${close}`
}

function request(out: TemplateWriter, { context, target, url, method, ip, ray, agent, place }: Exchange): void {
  const { open, close } = context
  out.put`${open}"cf":`
  connection(out, context, place)
  out.put`,"headers":${open}"accept":"${oneIn(out.random, 3) ? '*/*' : 'application/json'}",`
  if (context.optionalHeaders) optionalHeaders(out)
  out.put`"cf_connecting_ip":"${ip}","cf_ipcountry":"${place.country}","cf_ray":"${ray}","host":"${target.host}",`
  if (!oneIn(out.random, 3)) out.put`"referer":"https://app-${out.random.below(9_000)}.example.com/",`
  out.put`"user_agent":"${agent}","x_forwarded_proto":"https","x_real_ip":"${ip}"${close},"host":"${target.host}",\
"method":"${method}","path":"${target.path}","protocol":"https:",`
  if (target.search !== '') out.put`"search":"${target.search}",`
  out.put`"url":"${url}"${close}`
}

function connection(out: TemplateWriter, { open, close }: RecordContext, place: Place): void {
  const { random } = out
  const score = 1 + random.below(99)
  out.put`${open}"asOrganization":"${place.organization}","asn":${place.asn},\
"botManagement":${open}"ja3Hash":"${hex16(random)}${hex16(random)}","score":${score},"verifiedBot":false${close},\
"city":"${place.city}","clientTcpRtt":${1 + random.below(180)},"colo":"${place.colo}",\
"continent":"${place.continent}","country":"${place.country}","httpProtocol":"${pick(random, PROTOCOLS)}",`
  if (place.european) out.put`"isEUCountry":"1",`
  out.put`"latitude":"${degrees(random, place.latitude)}","longitude":"${degrees(random, place.longitude)}",\
"postalCode":"${10_000 + random.below(89_999)}","region":"${place.region}","regionCode":"${place.regionCode}",\
"timezone":"${place.timezone}","tlsCipher":"${pick(random, CIPHERS)}",\
"tlsExportedAuthenticator":${open}"clientFinished":"${hex64}"${close},"tlsVersion":"TLSv1.3"${close}`
}

/** Returns a coordinate within a few kilometres of the place, with up to five decimals. */
function degrees(random: Random, centre: number): number {
  return Math.round(centre * 100_000 + random.below(9_000)) / 100_000
}

function response(out: TemplateWriter, { context, status, ray, place }: Exchange): void {
  const { random } = out
  const { timestampUs, time, open, close } = context
  const originMs = Math.ceil(logNormal(random, 60, 0.9))
  out.put`${open}"headers":${open}"cf_cache_status":"${pick(random, CACHE_STATUSES)}","cf_ray":"${ray}-${place.colo}",\
"content_length":"${random.below(60_000)}","content_type":"${pick(random, TYPES)}","date":"${time.http(timestampUs)}",\
"sb_gateway_mode":"direct","sb_gateway_version":"1"${close},"origin_time":${originMs},"status_code":${status}${close}`
}
