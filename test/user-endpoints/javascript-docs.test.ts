import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hotColumns } from '../../src/common/columns.js'
import { SOURCE_NAMES } from '../../src/common/sources.js'
import * as builder from '../../src/endpoint.js'
import { AGGREGATES } from '../../src/plan/aggregates.js'
import { FUNCTIONS } from '../../src/plan/functions/table.js'
import { EXAMPLES_FOLDER } from './examples.js'

const text = readFileSync(new URL('../../docs/javascript-endpoints.md', import.meta.url), 'utf8')
const examples = [...text.matchAll(/```js\n(.*?)```/gs)].map(([, block]) => block!)

/** Functions of an endpoint, not of the builder. */
const METHODS = new Set(['plan', 'read'])

/** The text of the rows of the table with `head` as the first head. */
function rowsOf(head: string): string {
  const [table] = text.slice(text.indexOf(`\n| ${head} |`)).split('\n\n')
  return table!.split('\n').slice(3).join('\n')
}

/** How many arguments each function takes, in the notation of the table with that head: `lower, upper(a)`. */
function arities(head: string): Record<string, readonly [number, number]> {
  const calls = [...rowsOf(head).matchAll(/`([\w, ]+)\(([^`)]*)\)`/g)]
  const all = calls.flatMap(([, names, args]) => names!.split(', ').map((name) => [name, arityOf(args!.split(', '))]))
  expect(all.map(([name]) => name)).toEqual([...new Set(all.map(([name]) => name))])
  return Object.fromEntries(all)
}

/** The least and the most arguments: `a?` is optional, and `…` is any number of arguments, also none. */
function arityOf(args: readonly string[]): readonly [number, number] {
  const named = args.filter((arg) => arg !== '…')
  const most = named.length < args.length ? Number.POSITIVE_INFINITY : named.length
  return [named.filter((arg) => !arg.endsWith('?')).length, most]
}

describe('docs/javascript-endpoints.md', () => {
  it('shows the example that is a module', () => {
    expect(examples).toEqual([readFileSync(new URL('search-messages.mjs', EXAMPLES_FOLDER), 'utf8')])
  })

  it('names what there is', () => {
    const cells = [...text.matchAll(/^\| `(\w+)\(/gm)].map(([, name]) => name!)
    expect(cells.slice(0, 7)).toEqual(['plan', 'text', 'optionalText', 'word', 'number', 'timestamp', 'pattern'])
    const prose = text.slice(0, text.indexOf('| `fn` |'))
    const called = [...prose.matchAll(/`(\w+)\(/g)].map(([, name]) => name!).filter((name) => !METHODS.has(name))
    expect(called.length).toBeGreaterThan(10)
    expect(called.filter((name) => !Object.hasOwn(builder, name))).toEqual([])
    const exported = Object.keys(builder).filter((name) => !/^(SECOND|MINUTE|HOUR)_US$/.test(name))
    expect(exported.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([])
  })

  it('names every function and aggregate with its arguments', () => {
    const { field_text: _, in_list: __, repeated: ___, known_time: _____, ...functions } = FUNCTIONS
    const written = arities('`fn`')
    const safe = Object.keys(written).filter((name) => name.startsWith('cast_'))
    const all = { ...written, ...Object.fromEntries(safe.map((name) => [`safe_${name}`, written[name]])) }
    // The keys of a field are as many as levels of JSON.
    expect(all).toEqual({ ...arityOfEach(functions), field: [2, Number.POSITIVE_INFINITY] })
    // Its result is of use to logs.fields alone.
    const { top_values: ____, ...aggregates } = AGGREGATES
    expect(arities('`agg`')).toEqual(arityOfEach(aggregates))
  })

  it('names the columns and the declared fields of each source', () => {
    const shown = [...rowsOf('source').matchAll(/^\| (.*?) \| (.*) \|$/gm)].map(([, sources, names]) =>
      [sources!, names!].map((cell) => [...cell.matchAll(/`([\w.]+)`/g)].map(([, word]) => word!)),
    )
    const named = new Map(shown.flatMap(([sources, names]) => sources!.map((source) => [source, names] as const)))
    for (const source of SOURCE_NAMES) {
      const names = hotColumns(source).map(({ name, isFieldOnly }) =>
        isFieldOnly && !name.includes('.') ? `metadata.${name}` : name,
      )
      expect((named.get(source) ?? []).filter((name) => name !== 'url_path').sort()).toEqual(names.sort())
    }
  })
})

const arityOfEach = (functions: Readonly<Record<string, { arity: readonly [number, number] }>>) =>
  Object.fromEntries(Object.entries(functions).map(([name, { arity }]) => [name, arity]))
