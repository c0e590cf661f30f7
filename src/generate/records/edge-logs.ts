import { AGENTS, METHODS, PLACES, type Place, STATUSES } from '../values/clients.js'
import type { Moment } from '../values/record-context.js'
import type { Out, Piece } from '../values/template-writer.js'
import { logNormal, oneIn, pick, type Random, spread } from '../values/random.js'
import { type Target, target } from '../values/requests.js'
import { hex8, hex16, hex64, ipv4 } from '../values/text.js'

const CACHE_STATUSES = spread([
  ['DYNAMIC', 7],
  ['HIT', 2],
  ['MISS', 1],
  ['EXPIRED', 1],
])
const TYPES = ['application/json; charset=utf-8', 'application/json', 'image/webp', 'image/png', 'text/plain']
const PROTOCOLS = ['HTTP/2', 'HTTP/2', 'HTTP/3', 'HTTP/1.1']
const CIPHERS = ['AEAD-AES128-GCM-SHA256', 'AEAD-AES256-GCM-SHA384', 'ECDHE-RSA-AES128-GCM-SHA256']

/** One request, as all parts of its record see it. */
interface Exchange {
  moment: Moment
  asked: Target
  url: string
  method: string
  status: number
  ip: Piece
  ray: Piece
  agent: string
  place: Place
}

/** One request at the platform's edge: about 1.87 KB, slim about 0.38 KB. */
export function edgeLog(out: Out, moment: Moment): void {
  const { random } = out
  const asked = target(random, moment.project)
  const exchange: Exchange = {
    moment,
    asked,
    url: `https://${asked.host}${asked.path}${asked.search}`,
    method: pick(random, METHODS),
    status: pick(random, STATUSES),
    ip: ipv4(random),
    ray: hex16(random),
    agent: pick(random, AGENTS),
    place: pick(random, PLACES),
  }
  if (moment.slim) slim(out, exchange)
  else full(out, exchange)
}

function slim(out: Out, { moment, asked, url, method, status, ip }: Exchange): void {
  const { project, open, close } = moment
  out.put`"project":"${project.ref}","event_message":"${method} | ${status} | ${ip}",\
"metadata":${open}"request":${open}"path":"${asked.path}","url":"${url}"${close},\
"response":${open}"status_code":${status}${close}${close}`
}

function full(out: Out, exchange: Exchange): void {
  const { moment, url, method, status, ip, ray, agent } = exchange
  const { project, open, close } = moment
  out.put`"project":"${project.ref}","event_message":"${method} | ${status} | ${ip} | ${ray} | ${url} | ${agent}",\
"metadata":${open}"logflare_worker":${open}"worker_id":"${hex8(out.random)}"${close},"request":`
  request(out, exchange)
  out.put`,"response":`
  response(out, exchange)
  out.put`${close}`
}

function request(out: Out, { moment, asked, url, method, ip, ray, agent, place }: Exchange): void {
  const { open, close } = moment
  out.put`${open}"cf":`
  connection(out, moment, place)
  out.put`,"headers":${open}"accept":"${oneIn(out.random, 3) ? '*/*' : 'application/json'}",\
"cf_connecting_ip":"${ip}","cf_ipcountry":"${place.country}","cf_ray":"${ray}","host":"${asked.host}",`
  if (!oneIn(out.random, 3)) out.put`"referer":"https://app-${out.random.below(9_000)}.example.com/",`
  out.put`"user_agent":"${agent}","x_forwarded_proto":"https","x_real_ip":"${ip}"${close},"host":"${asked.host}",\
"method":"${method}","path":"${asked.path}","protocol":"https:",`
  if (asked.search !== '') out.put`"search":"${asked.search}",`
  out.put`"url":"${url}"${close}`
}

function connection(out: Out, { open, close }: Moment, place: Place): void {
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

/** Within a few kilometres of the place, to the fifth digit behind the point. */
function degrees(random: Random, centre: number): number {
  return Math.round(centre * 100_000 + random.below(9_000)) / 100_000
}

function response(out: Out, { moment, status, ray, place }: Exchange): void {
  const { random } = out
  const { timestampUs, time, open, close } = moment
  const originMs = Math.ceil(logNormal(random, 60, 0.9))
  out.put`${open}"headers":${open}"cf_cache_status":"${pick(random, CACHE_STATUSES)}","cf_ray":"${ray}-${place.colo}",\
"content_length":"${random.below(60_000)}","content_type":"${pick(random, TYPES)}","date":"${time.http(timestampUs)}",\
"sb_gateway_mode":"direct","sb_gateway_version":"1"${close},"origin_time":${originMs},"status_code":${status}${close}`
}
