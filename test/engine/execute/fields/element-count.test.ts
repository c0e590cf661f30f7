import { describe, expect, it } from 'vitest'
import { elementCount } from '../../../../src/engine/execute/fields/element-count.js'
import { mulberry32, oneOf, type Random } from '../../../support/random.js'
import { testSeed } from '../../../support/seed.js'

/** The count of a value between other bytes. */
function countOf(json: string) {
  const bytes = Buffer.from(`"]}${json},{"[`)
  return elementCount(bytes, 3, 3 + Buffer.byteLength(json))
}

describe('the number of rows that an unnest makes of a JSON value', () => {
  it('is one for an object, and for a list with an object alone', () => {
    for (const json of [
      '{}',
      '{"a":[1,2]}',
      '[{}]',
      '[ { "a" : "}]" } ]',
      '[{"a":"\\"}]","b":{"c":[{}]}}\n]',
      '[{"é\\\\":{}}]',
    ])
      expect(countOf(json), json).toBe(1)
  })

  it('is none for an empty list, and for what is no list', () => {
    for (const json of ['[]', '[ \n ]', '1', '"[{}]"', 'true', 'null']) expect(countOf(json), json).toBe(0)
  })

  it('is another one for other lists', () => {
    for (const json of ['[1]', '["x"]', '[[{}]]', '[null]', '[{},{}]', '[{"a":"}]"} , 1]', '[{"a":{}},{}]'])
      expect(countOf(json), json).toBe('other')
  })

  it('is what JSON.parse says', () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    for (let i = 0; i < 2_000; i++) {
      const json = randomJson(random, 4)
      expect(countOf(json), `seed ${seed}: ${json}`).toBe(expectedCount(JSON.parse(json)))
    }
  })
})

function expectedCount(value: unknown): unknown {
  const isObject = (one: unknown) => typeof one === 'object' && one !== null && !Array.isArray(one)
  if (!Array.isArray(value)) return isObject(value) ? 1 : 0
  if (value.length === 0) return 0
  return value.length === 1 && isObject(value[0]) ? 1 : 'other'
}

function randomJson(random: Random, depth: number): string {
  const space = () => oneOf(random, ['', '', ' ', '\n\t'])
  const text = () => JSON.stringify(oneOf(random, ['', 'a', '}]', '"', '\\', '[{', 'é😀', '\\"]']))
  const some = (make: () => string) => Array.from({ length: Math.floor(random() * 3) }, make).join(`${space()},`)
  const kind = depth === 0 ? 'text' : oneOf(random, ['object', 'list', 'list', 'text', 'number'])
  if (kind === 'object') return `{${space()}${some(() => `${text()}:${randomJson(random, depth - 1)}`)}${space()}}`
  if (kind === 'list') return `[${space()}${some(() => randomJson(random, depth - 1))}${space()}]`
  return kind === 'text' ? text() : oneOf(random, ['1', '-2.5e3', 'true', 'null'])
}
