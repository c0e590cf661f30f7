import type { Project } from './projects.js'
import { oneIn, pick, type Random, spread } from './random.js'
import { hex8Text, uuidText } from './text.js'

/** What a request asks for; all text stands in JSON as it is. */
export interface Target {
  /** The project's host; now and then a domain of its own. */
  host: string
  path: string
  /** Empty, or with its question mark. */
  search: string
}

const TABLES = [
  'profiles',
  'todos',
  'orders',
  'messages',
  'products',
  'posts',
  'comments',
  'invoices',
  'events',
  'teams',
]
const RPCS = ['match_documents', 'get_feed', 'nearby_stores', 'increment_views', 'search_products']
const BUCKETS = ['avatars', 'uploads', 'public-assets', 'documents']
const EXTENSIONS = ['png', 'jpg', 'webp', 'pdf', 'mp4']
const COLUMNS = ['id,name,created_at', '*', 'id,title,author(id,name)', 'id,status,total,customer_id', 'count']
const GRANTS = ['?grant_type=password', '?grant_type=refresh_token', '?grant_type=pkce']
const NO_SEARCH = ''

type Maker = (random: Random, project: Project) => readonly [path: string, search: string]

const table: Maker = (random) => [`/rest/v1/${pick(random, TABLES)}`, tableSearch(random)]
const rpc: Maker = (random) => [`/rest/v1/rpc/${pick(random, RPCS)}`, rpcSearch(random)]
const object: Maker = (random) => [
  `/storage/v1/object/public/${pick(random, BUCKETS)}/${uuidText(random)}.${pick(random, EXTENSIONS)}`,
  oneIn(random, 4) ? `?width=${64 * (1 + random.below(30))}&quality=${50 + random.below(50)}` : NO_SEARCH,
]
const signed: Maker = (random) => [
  `/storage/v1/object/sign/${pick(random, BUCKETS)}/${random.below(90_000)}/${hex8Text(random)}.\
${pick(random, EXTENSIONS)}`,
  NO_SEARCH,
]
const token: Maker = (random) => ['/auth/v1/token', pick(random, GRANTS)]
const user: Maker = () => ['/auth/v1/user', NO_SEARCH]
const otp: Maker = (random) => ['/auth/v1/otp', `?redirect_to=https%3A%2F%2Fapp.example.com%2F${hex8Text(random)}`]
const websocket: Maker = () => ['/realtime/v1/websocket', '?vsn=1.0.0&log_level=info']
const broadcast: Maker = () => ['/realtime/v1/api/broadcast', NO_SEARCH]
const call: Maker = (random, project) => [`/functions/v1/${pick(random, project.functions).name}`, NO_SEARCH]
const graphql: Maker = () => ['/graphql/v1', NO_SEARCH]
const root: Maker = () => ['/', NO_SEARCH]

const MAKERS = spread<Maker>([
  [table, 40],
  [rpc, 8],
  [object, 14],
  [signed, 4],
  [token, 7],
  [user, 9],
  [otp, 1],
  [websocket, 7],
  [broadcast, 1],
  [call, 6],
  [graphql, 2],
  [root, 1],
])

function tableSearch(random: Random): string {
  const select = `?select=${pick(random, COLUMNS)}`
  if (oneIn(random, 3)) return select
  if (oneIn(random, 2)) return `${select}&id=eq.${random.below(100_000)}`
  if (oneIn(random, 2)) return `${select}&user_id=eq.${uuidText(random)}&order=created_at.desc`
  return `${select}&created_at=gte.2026-${10 + random.below(3)}-${10 + random.below(18)}&limit=\
${10 * (1 + random.below(10))}`
}

function rpcSearch(random: Random): string {
  return oneIn(random, 2)
    ? NO_SEARCH
    : `?lat=eq.${random.below(9000) / 100}&long=eq.${random.below(18000) / 100}&p=${hex8Text(random)}`
}

/** A request that clients of a hosted database make: tables, rpc, storage, auth, realtime, functions. */
export function target(random: Random, project: Project): Target {
  const [path, search] = pick(random, MAKERS)(random, project)
  const host = oneIn(random, 100) ? `api.${project.ref.slice(0, 7)}.example.com` : `${project.ref}.supabase.co`
  return { host, path, search }
}
