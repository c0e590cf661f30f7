/**
 * Generates events as of bluesky's public stream, one JSON object a line. All users, texts and addresses are drawn at
 * random.
 */
import { createRandom, oneIn, pick } from '../../dist/generate/values/random.js'
import { SEED } from '../data.mjs'
import { COLLECTIONS } from './records.mjs'
import { cid, createUsers, key, text, timeBefore } from './values.mjs'

const DAY_US = 86_400e6
const CHUNK_EVENTS = 1_000
/** One commit in this many has a field that only one of many clients writes. */
const ONE_RARE_IN = 500
const CLIENTS = 60
/** The events of accounts and their names among 100,000. The rest are commits. */
const ACCOUNT_EVENTS = 533

/**
 * Returns chunks of NDJSON with `rows` events of about 470 bytes, over the day that ends at `endUs`. Their `time_us`
 * increases. Equal seeds and ends give equal bytes.
 */
export function* events(rows, { endUs, seed = SEED }) {
  const random = createRandom(seed)
  const drawUser = createUsers(seed)
  const stepUs = DAY_US / rows
  let chunk = ''
  for (let row = 0; row < rows; row++) {
    const timeUs = Math.floor(endUs - DAY_US + (row + random.unit()) * stepUs)
    chunk += `${JSON.stringify(event(random, timeUs, drawUser))}\n`
    if (row % CHUNK_EVENTS !== CHUNK_EVENTS - 1 && row !== rows - 1) continue
    yield Buffer.from(chunk)
    chunk = ''
  }
}

function event(random, timeUs, drawUser) {
  let rest = random.below(100_000) - ACCOUNT_EVENTS
  if (rest < 0) return ofAccount(random, timeUs, drawUser(random, 1))
  const [name, , created, skew, record] = COLLECTIONS.find(([, count]) => (rest -= count) < 0)
  const commit = { rev: key(random), operation: operation(random, name, created), collection: name, rkey: key(random) }
  const did = drawUser(random, skew)
  if (commit.operation !== 'delete') {
    const context = { random, createdAt: timeBefore(random, timeUs), user: () => drawUser(random, 2) }
    commit.record = { $type: name, ...record(context), ...rareField(random) }
    commit.cid = cid(random)
  }
  return { did, time_us: timeUs, kind: 'commit', commit }
}

function operation(random, name, created) {
  if (random.below(1_000) < created * 10) return 'create'
  return name === 'app.bsky.actor.profile' ? 'update' : 'delete'
}

function rareField(random) {
  if (!oneIn(random, ONE_RARE_IN)) return
  return { [`com.example.client${random.below(CLIENTS)}`]: { note: text(random, 3), version: random.below(100) } }
}

/** Returns an event of an account or of its name, which has no commit. */
function ofAccount(random, timeUs, did) {
  const seq = 3_000_000_000 + random.below(1e9)
  const time = timeBefore(random, timeUs)
  if (oneIn(random, 2)) {
    const handle = `user${random.below(1e6)}.bsky.social`
    return { did, time_us: timeUs, kind: 'identity', identity: { did, handle, seq, time } }
  }
  const active = !oneIn(random, 10)
  const status = active ? undefined : pick(random, ['deactivated', 'deleted', 'takendown'])
  return { did, time_us: timeUs, kind: 'account', account: { active, did, seq, status, time } }
}
