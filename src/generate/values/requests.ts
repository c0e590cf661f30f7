import type { Project } from './projects.js'
import { oneIn, pick, type Random, repeatByWeight } from './random.js'
import { hex8Text, uuidText } from './text.js'

/** The URL of a request, in parts that need no escape in JSON. */
export interface RequestTarget {
  /** The project's host, or rarely the custom domain. */
  host: string
  path: string
  /** The query, with the question mark. May be empty. */
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

type TargetMaker = (random: Random, project: Project) => readonly [path: string, search: string]

const table: TargetMaker = (random) => [`/rest/v1/${pick(random, TABLES)}`, tableSearch(random)]
const rpc: TargetMaker = (random) => [`/rest/v1/rpc/${pick(random, RPCS)}`, rpcSearch(random)]
const object: TargetMaker = (random) => [
  `/storage/v1/object/public/${pick(random, BUCKETS)}/${uuidText(random)}.${pick(random, EXTENSIONS)}`,
  oneIn(random, 4) ? `?width=${64 * (1 + random.below(30))}&quality=${50 + random.below(50)}` : NO_SEARCH,
]
const signed: TargetMaker = (random) => [
  `/storage/v1/object/sign/${pick(random, BUCKETS)}/${random.below(90_000)}/${hex8Text(random)}.\
${pick(random, EXTENSIONS)}`,
  NO_SEARCH,
]
const token: TargetMaker = (random) => ['/auth/v1/token', pick(random, GRANTS)]
const user: TargetMaker = () => ['/auth/v1/user', NO_SEARCH]
const otp: TargetMaker = (random) => [
  '/auth/v1/otp',
  `?redirect_to=https%3A%2F%2Fapp.example.com%2F${hex8Text(random)}`,
]
const websocket: TargetMaker = () => ['/realtime/v1/websocket', '?vsn=1.0.0&log_level=info']
const broadcast: TargetMaker = () => ['/realtime/v1/api/broadcast', NO_SEARCH]
const call: TargetMaker = (random, project) => [`/functions/v1/${pick(random, project.functions).name}`, NO_SEARCH]
const graphql: TargetMaker = () => ['/graphql/v1', NO_SEARCH]
const root: TargetMaker = () => ['/', NO_SEARCH]

const TARGET_MAKERS = repeatByWeight<TargetMaker>([
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

/** Draws the URL of a request to a project: tables, RPC, storage, auth, realtime or functions. */
export function drawTarget(random: Random, project: Project): RequestTarget {
  const [path, search] = pick(random, TARGET_MAKERS)(random, project)
  const host = oneIn(random, 100) ? `api.${project.ref.slice(0, 7)}.example.com` : `${project.ref}.supabase.co`
  return { host, path, search }
}
