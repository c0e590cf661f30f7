import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as builder from '../../src/endpoint.js'
import { SOURCE_NAMES } from '../../src/sources.js'
import { EXAMPLES, EXAMPLES_FOLDER } from './examples.js'

const text = readFileSync(new URL('../../docs/own-endpoints.md', import.meta.url), 'utf8')
const examples = [...text.matchAll(/```js\n(.*?)```/gs)].map(([, block]) => block!)

/** Functions of an endpoint, not of the builder. */
const METHODS = new Set(['plan'])

describe('docs/own-endpoints.md', () => {
  it('shows the files that are tested, and all of them', () => {
    expect(readdirSync(EXAMPLES_FOLDER).sort()).toEqual(EXAMPLES.map(({ file }) => file).sort())
    expect(examples).toEqual(EXAMPLES.map(({ file }) => readFileSync(new URL(file, EXAMPLES_FOLDER), 'utf8')))
  })

  it('names what there is', () => {
    const cells = [...text.matchAll(/^\| `(\w+)\(/gm)].map(([, name]) => name!)
    expect(cells.slice(0, 6)).toEqual(['plan', 'text', 'optionalText', 'word', 'timestamp', 'pattern'])
    const called = [...text.matchAll(/`(\w+)\(/g)].map(([, name]) => name!).filter((name) => !METHODS.has(name))
    expect(called.length).toBeGreaterThan(10)
    expect(called.filter((name) => !Object.hasOwn(builder, name))).toEqual([])
    const exported = Object.keys(builder).filter((name) => !/^(SECOND|MINUTE|HOUR)_US$/.test(name))
    expect(exported.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([])
    const sources = [...text.matchAll(/^\| `(\w+_logs)` \|/gm)].map(([, name]) => name)
    expect(sources.filter((name) => !SOURCE_NAMES.includes(name as never))).toEqual([])
  })
})
