/** The records of all collections, as functions of `{ random, createdAt, user }`. `user()` draws another user. */
import { oneIn, pick } from '../../dist/generate/values/random.js'
import { post, selfLabels } from './posts.mjs'
import { blob, link, text, uri } from './values.mjs'

const maybe = (random, n, value) => (oneIn(random, n) ? value() : undefined)
const LIST = 'app.bsky.graph.list'

function liked({ random, createdAt, user }) {
  const subject = link(random, user(), 'app.bsky.feed.post')
  const via = maybe(random, 400, () => link(random, user(), 'app.bsky.feed.repost'))
  return { createdAt, subject, via }
}

const followed = ({ createdAt, user }) => ({ createdAt, subject: user() })

const profile = ({ random, createdAt, user }) => ({
  avatar: maybe(random, 2, () => blob(random)),
  banner: maybe(random, 3, () => blob(random)),
  createdAt,
  description: text(random, random.below(25)),
  displayName: text(random, 1 + random.below(3)),
  joinedViaStarterPack: maybe(random, 10, () => link(random, user(), 'app.bsky.graph.starterpack')),
  labels: maybe(random, 8, selfLabels),
  pinnedPost: maybe(random, 8, () => link(random, user(), 'app.bsky.feed.post')),
})

const listed = ({ random, createdAt, user }) => ({ createdAt, list: uri(random, user(), LIST), subject: user() })

const listBlocked = ({ random, createdAt, user }) => ({ createdAt, subject: uri(random, user(), LIST) })

const list = ({ random, createdAt }) => ({
  avatar: maybe(random, 3, () => blob(random)),
  createdAt,
  description: text(random, 12),
  name: text(random, 3),
  purpose: pick(random, ['app.bsky.graph.defs#curatelist', 'app.bsky.graph.defs#modlist']),
})

const pack = ({ random, createdAt, user }) => ({
  createdAt,
  description: text(random, 12),
  feeds: [{ did: user(), uri: uri(random, user(), 'app.bsky.feed.generator') }],
  list: uri(random, user(), LIST),
  name: text(random, 3),
})

const gate = ({ random, createdAt, user }) => ({
  allow: [{ $type: 'app.bsky.feed.threadgate#mentionRule' }],
  createdAt,
  hiddenReplies: maybe(random, 2, () => [uri(random, user(), 'app.bsky.feed.post')]),
  post: uri(random, user(), 'app.bsky.feed.post'),
})

const generator = ({ random, createdAt, user }) => ({
  avatar: blob(random),
  createdAt,
  description: text(random, 12),
  did: user(),
  displayName: text(random, 2),
})

/**
 * The collections, each with its number of events in 100,000, the share of creations in percent (the rest are updates
 * of profiles and deletions of other records), the skew of its users, and its record. Numbers, shares and skews follow
 * the results that JSONBench published for its first 1,000,000 events, in which few users write most of the events.
 */
export const COLLECTIONS = [
  ['app.bsky.feed.like', 44_894, 99, 5.2, liked],
  ['app.bsky.graph.follow', 36_037, 93.8, 12.4, followed],
  ['app.bsky.feed.post', 9_082, 95.6, 3.5, post],
  ['app.bsky.feed.repost', 5_854, 97.4, 6.3, liked],
  ['app.bsky.graph.block', 1_404, 98.6, 10.9, followed],
  ['app.bsky.actor.profile', 1_176, 45.4, 1, profile],
  ['app.bsky.graph.listitem', 810, 93.4, 30, listed],
  ['app.bsky.graph.listblock', 90, 96, 10, listBlocked],
  ['app.bsky.graph.starterpack', 41, 26, 5, pack],
  [LIST, 36, 73, 5, list],
  ['app.bsky.feed.threadgate', 26, 89, 5, gate],
  ['app.bsky.feed.postgate', 10, 97, 5, gate],
  ['app.bsky.feed.generator', 7, 14, 5, generator],
]
