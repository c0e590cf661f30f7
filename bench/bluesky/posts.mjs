/** The record of a post: a text, often an answer, with images, links or another post, and with marks in the text. */
import { oneIn, pick, repeatByWeight } from '../../dist/generate/values/random.js'
import { blob, link, text } from './values.mjs'

const POST = 'app.bsky.feed.post'
const LANGUAGES = repeatByWeight([
  [['en'], 12],
  [['pt'], 4],
  [['ja'], 3],
  [['de'], 1],
  [['en', 'es'], 1],
  [undefined, 2],
])

const EMBEDS = repeatByWeight([
  [() => undefined, 12],
  [images, 4],
  [external, 2],
  [quote, 2],
  [quoteWithImages, 1],
])

/** Returns the record of a post. Each field without a value is left out when the record is written as JSON. */
export function post(context) {
  const { random, createdAt } = context
  return {
    $type: POST,
    createdAt,
    langs: pick(random, LANGUAGES),
    reply: oneIn(random, 2) ? reply(context) : undefined,
    embed: pick(random, EMBEDS)(context),
    facets: oneIn(random, 5) ? Array.from({ length: 1 + random.below(3) }, () => facet(context)) : undefined,
    tags: oneIn(random, 200) ? [text(random, 1), text(random, 1)] : undefined,
    labels: oneIn(random, 100) ? selfLabels() : undefined,
    bridgyOriginalText: oneIn(random, 300) ? `<p>${text(random, 30)}</p>` : undefined,
    text: text(random, 1 + random.below(32)),
  }
}

function reply({ random, user }) {
  const parent = link(random, user(), POST)
  return { parent, root: oneIn(random, 2) ? parent : link(random, user(), POST) }
}

function images({ random }) {
  const image = () => ({
    alt: oneIn(random, 3) ? text(random, 12) : '',
    aspectRatio: oneIn(random, 10) ? undefined : { height: 600 + random.below(1400), width: 600 + random.below(1400) },
    image: blob(random),
  })
  return { $type: 'app.bsky.embed.images', images: Array.from({ length: 1 + random.below(3) }, image) }
}

function external({ random }) {
  const external = {
    description: text(random, 15),
    thumb: oneIn(random, 4) ? undefined : blob(random),
    title: text(random, 6),
    uri: `https://example${random.below(5000)}.com/${random.below(1e6)}`,
  }
  return { $type: 'app.bsky.embed.external', external }
}

function quote({ random, user }) {
  return { $type: 'app.bsky.embed.record', record: link(random, user(), POST) }
}

function quoteWithImages(context) {
  return { $type: 'app.bsky.embed.recordWithMedia', record: quote(context), media: images(context) }
}

function facet({ random, user }) {
  const byteStart = random.below(100)
  const feature = pick(random, [
    () => ({ $type: 'app.bsky.richtext.facet#link', uri: `https://example${random.below(5000)}.com/` }),
    () => ({ $type: 'app.bsky.richtext.facet#mention', did: user() }),
    () => ({ $type: 'app.bsky.richtext.facet#tag', tag: text(random, 1) }),
  ])
  return { features: [feature()], index: { byteStart, byteEnd: byteStart + 12 } }
}

/** Returns the labels that a user puts on a record. */
export const selfLabels = () => ({
  $type: 'com.atproto.label.defs#selfLabels',
  values: [{ val: '!no-unauthenticated' }],
})
