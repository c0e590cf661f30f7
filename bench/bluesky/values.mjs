/** Random values of bluesky's events: ids, links, texts and times. `random` is a generator of `src/generate`. */
import { createRandom, pick, repeatByWeight } from '../../dist/generate/values/random.js'
import { createTimeFormatter } from '../../dist/generate/values/times.js'

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
const WORDS = repeatByWeight([
  ['the', 9],
  ['to', 6],
  ['and', 5],
  ['is', 4],
  ['of', 4],
  ['que', 3],
  ['not', 2],
  ['today', 2],
  ['people', 2],
  ...`a about após art birds but café can cats day de esto everyone first from good great has have how i if it
  just know like look love make me morning music my need never new no now on one our photo please post really são see
  she sky so some someone still such thank that there they thing think this time too up very was we what when who why
  will with work world would year you あの 今日 空 写真 猫 "quoted" ❤️ 🦋 ✨ …`
    .split(/\s+/)
    .map((word) => [word, 1]),
])
const time = createTimeFormatter()

/** The number of users. At most this many have an event, and at most this many are mentioned. */
const USERS = 200_000

/** Returns a function that draws a `did` of 24 letters after its prefix. With a larger `skew` fewer users get more. */
export function createUsers(seed) {
  const random = createRandom(seed, 1)
  const dids = Array.from({ length: USERS }, () => `did:plc:${letters(random, 24)}`)
  return (random, skew) => dids[Math.floor(USERS * random.unit() ** skew)]
}

function letters(random, count) {
  let text = ''
  for (let word = 0; text.length < count; word >>>= 5) {
    if (text.length % 6 === 0) word = random.word()
    text += BASE32[word & 31]
  }
  return text
}

/** Returns the hash of a record. */
export const cid = (random) => `bafyrei${letters(random, 52)}`

/** Returns a key of 13 letters, as of a record or a revision. */
export const key = (random) => `3l${letters(random, 11)}`

/** Returns an ISO time up to a minute before `timeUs`. */
export const timeBefore = (random, timeUs) => `${time.iso(timeUs - random.below(60_000_000)).slice(0, 23)}Z`

/** Returns words that are joined by spaces. */
export const text = (random, words) => Array.from({ length: words }, () => pick(random, WORDS)).join(' ')

/** Returns the address of a record of a user. */
export const uri = (random, did, collection) => `at://${did}/${collection}/${key(random)}`

/** Returns a link to a version of a record. */
export const link = (random, did, collection) => ({ cid: cid(random), uri: uri(random, did, collection) })

/** Returns an image that was uploaded. */
export const blob = (random) => ({
  $type: 'blob',
  ref: { $link: `bafkrei${letters(random, 52)}` },
  mimeType: pick(random, ['image/jpeg', 'image/jpeg', 'image/png']),
  size: 10_000 + random.below(990_000),
})
