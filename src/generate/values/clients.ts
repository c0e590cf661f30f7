import { createRandom, type Random, repeatByWeight } from './random.js'

/** Locations, user agents, statuses and methods of requests. All texts here need no escape in JSON. */

/** The location and network of a client. */
export interface Place {
  city: string
  country: string
  continent: string
  colo: string
  region: string
  regionCode: string
  timezone: string
  latitude: number
  longitude: number
  asn: number
  organization: string
  european: boolean
}

function place(text: string): Place {
  const [city, country, continent, colo, region, regionCode, timezone, latitude, longitude, asn, organization] =
    text.split('|') as [string, string, string, string, string, string, string, string, string, string, string]
  return {
    city,
    country,
    continent,
    colo,
    region,
    regionCode,
    timezone,
    latitude: Number(latitude),
    longitude: Number(longitude),
    asn: Number(asn),
    organization,
    european: continent === 'EU' && country !== 'GB',
  }
}

/** Locations to draw from, each as likely. */
export const PLACES: readonly Place[] = [
  'Berlin|DE|EU|TXL|Land Berlin|BE|Europe/Berlin|52.51|13.40|3209|Vodafone GmbH',
  'Frankfurt am Main|DE|EU|FRA|Hesse|HE|Europe/Berlin|50.11|8.68|24940|Hetzner Online',
  'Z\u00fcrich|CH|EU|ZRH|Zurich|ZH|Europe/Zurich|47.36|8.55|3303|Swisscom',
  'Paris|FR|EU|CDG|\u00cele-de-France|IDF|Europe/Paris|48.85|2.34|16276|OVH SAS',
  'Amsterdam|NL|EU|AMS|North Holland|NH|Europe/Amsterdam|52.37|4.89|14061|DigitalOcean',
  'London|GB|EU|LHR|England|ENG|Europe/London|51.50|-0.12|5089|Virgin Media',
  'Dublin|IE|EU|DUB|Leinster|L|Europe/Dublin|53.33|-6.24|16509|Amazon.com',
  'Ashburn|US|NA|IAD|Virginia|VA|America/New_York|39.04|-77.48|14618|Amazon.com',
  'San Jose|US|NA|SJC|California|CA|America/Los_Angeles|37.33|-121.89|7922|Comcast Cable',
  'Chicago|US|NA|ORD|Illinois|IL|America/Chicago|41.87|-87.62|7018|AT&T Enterprises',
  'Boardman|US|NA|PDX|Oregon|OR|America/Los_Angeles|45.83|-119.70|16509|Amazon.com',
  'Toronto|CA|NA|YYZ|Ontario|ON|America/Toronto|43.65|-79.38|812|Rogers Cable',
  'S\u00e3o Paulo|BR|SA|GRU|S\u00e3o Paulo|SP|America/Sao_Paulo|-23.54|-46.63|27699|Telef\u00f4nica Brasil',
  'Singapore|SG|AS|SIN|Central Singapore|01|Asia/Singapore|1.28|103.85|3758|SingNet',
  'Tokyo|JP|AS|NRT|Tokyo|13|Asia/Tokyo|35.68|139.69|2516|KDDI Corporation',
  'Mumbai|IN|AS|BOM|Maharashtra|MH|Asia/Kolkata|19.07|72.88|55836|Reliance Jio Infocomm',
  'Bengaluru|IN|AS|BLR|Karnataka|KA|Asia/Kolkata|12.97|77.59|24560|Bharti Airtel',
  'Sydney|AU|OC|SYD|New South Wales|NSW|Australia/Sydney|-33.86|151.20|1221|Telstra',
  'Lagos|NG|AF|LOS|Lagos|LA|Africa/Lagos|6.45|3.39|29465|MTN Nigeria',
  'Jakarta|ID|AS|CGK|Jakarta|JK|Asia/Jakarta|-6.21|106.84|7713|Telkom Indonesia',
].map(place)

const BROWSER = 'AppleWebKit/537.36 (KHTML, like Gecko)'

const AGENT_MAKERS: readonly ((random: Random) => string)[] = [
  (r) => `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${BROWSER} Chrome/${chrome(r)} Safari/537.36`,
  (r) => `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${BROWSER} Chrome/${chrome(r)} Safari/537.36`,
  (r) => `Mozilla/5.0 (Linux; Android ${10 + r.below(6)}; K) ${BROWSER} Chrome/${chrome(r)} Mobile Safari/537.36`,
  (r) =>
    `Mozilla/5.0 (iPhone; CPU iPhone OS ${15 + r.below(4)}_${r.below(7)} like Mac OS X) AppleWebKit/605.1.15 (KHTML, \
like Gecko) Mobile/15E148`,
  (r) => `Mozilla/5.0 (X11; Linux x86_64; rv:${110 + r.below(35)}.0) Gecko/20100101 Firefox/${110 + r.below(35)}.0`,
  (r) => `node-fetch/1.0 (+https://github.com/bitinn/node-fetch) supabase-js/2.${r.below(60)}.${r.below(9)}`,
  (r) => `Dart/3.${r.below(9)} (dart:io)`,
  (r) => `okhttp/4.${r.below(13)}.${r.below(3)}`,
  (r) => `python-httpx/0.${20 + r.below(9)}.${r.below(4)}`,
]

const chrome = (random: Random) => `${100 + random.below(45)}.0.${5000 + random.below(2500)}.${random.below(220)}`

/** 600 user agents. Each kind of browser occurs three times as often as each library. */
export const AGENTS: readonly string[] = makeAgents()

function makeAgents(): string[] {
  const random = createRandom(1, 3)
  const makers = repeatByWeight(AGENT_MAKERS.map((maker, i) => [maker, i < 5 ? 3 : 1] as const))
  return Array.from({ length: 600 }, (_, i) => makers[i % makers.length](random))
}

/** HTTP statuses, each as often as drawn per 1,000 requests. */
export const STATUSES: readonly number[] = repeatByWeight([
  [200, 810],
  [201, 45],
  [204, 30],
  [206, 12],
  [304, 28],
  [400, 18],
  [401, 17],
  [403, 5],
  [404, 17],
  [406, 3],
  [409, 5],
  [429, 2],
  [500, 5],
  [502, 1],
  [503, 1],
  [504, 1],
])

/** Returns the status that was drawn, or a status that a request of this method can have instead. */
export function statusOf(method: string, drawn: number): number {
  const isReading = method === 'GET' || method === 'HEAD'
  if (isReading) return drawn === 201 || drawn === 204 ? 200 : drawn
  return drawn === 206 || drawn === 304 ? 200 : drawn
}

/** HTTP methods, each as often as drawn per 100 requests. */
export const METHODS: readonly string[] = repeatByWeight([
  ['GET', 70],
  ['POST', 18],
  ['PATCH', 5],
  ['DELETE', 2],
  ['HEAD', 2],
  ['OPTIONS', 3],
])
