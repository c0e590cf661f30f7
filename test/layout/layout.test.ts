import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentAt, tablesOf } from '../docs/documents.js'
import { FLOORS, type Place } from './folders.js'

const ROOT = join(import.meta.dirname, '../..')
const SRC = join(ROOT, 'src')

/** The files that re-export: the API of user modules, and the list of stored queries. */
const BARRELS = ['endpoint.ts', 'endpoints/index.ts']

const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replaceAll('\\', '/'))
  .sort()

/** A source text without comments, so that an example in a docstring is not taken for code. */
const SOURCES = new Map(FILES.map((file) => [file, withoutComments(readFileSync(join(SRC, file), 'utf8'))]))

function withoutComments(text: string): string {
  return text.replace(/^\s*\/\/.*$|\/\*\*?[\s\S]*?\*\//gm, '')
}

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']*)'|new URL\(\s*'(\.[^']*\.js)'/g

/** The files of src that a file imports, names in a worker's URL included. */
function importsOf(file: string): string[] {
  return [...SOURCES.get(file)!.matchAll(IMPORT)].map(([, specifier, url]) => {
    const target = relative(SRC, join(SRC, dirname(file), (specifier ?? url)!)).replaceAll('\\', '/')
    const source = target.replace(/\.js$/, '.ts')
    return SOURCES.has(source) ? source : target.replace(/\.js$/, '.d.ts')
  })
}

const IMPORTS = new Map(FILES.map((file) => [file, importsOf(file)]))

const PLACES = FLOORS.flat()
const PATHS = PLACES.map(({ path }) => path)
const isIn = (file: string, { path }: Place) => (path.endsWith('/') ? file.startsWith(path) : file === path)
const placeOf = (file: string) => PLACES.find((place) => isIn(file, place))
const floorOf = (file: string) => FLOORS.findIndex((floor) => floor.includes(placeOf(file)!))
/** A file that is a place of its own is separate from the folder of the file. */
const folderOf = (file: string) => (PATHS.includes(file) ? file : dirname(file))

function isAllowed(from: string, to: string): boolean {
  const place = placeOf(from)!
  if (place === placeOf(to)) return true
  return floorOf(to) > floorOf(from) && (place.only?.some((path) => to.startsWith(path)) ?? true)
}

describe('the layout of src', () => {
  it('is seen by this test', () => {
    expect(FILES).toContain('endpoints/logs-all.ts')
    expect(IMPORTS.get('endpoints/index.ts')).toContain('endpoints/logs-all.ts')
    expect([...IMPORTS.values()].flat().length).toBeGreaterThan(FILES.length)
  })

  it('has a place for every file, and a file in every place', () => {
    expect(FILES.filter((file) => placeOf(file) === undefined)).toEqual([])
    expect(PLACES.filter((place) => !FILES.some((file) => placeOf(file) === place))).toEqual([])
  })

  it('has no folder with more than 25 files', () => {
    const sizes = new Map<string, number>()
    for (const file of FILES) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1)
    expect([...sizes].filter(([, files]) => files > 25)).toEqual([])
  })

  it('has no folder of an engine with more than 15 % of the lines', () => {
    const linesOf = (files: readonly string[]) =>
      files.reduce((sum, file) => sum + readFileSync(join(SRC, file), 'utf8').split('\n').length - 1, 0)
    const folders = new Set(FILES.map((file) => /^engine\/\w+\//.exec(file)?.[0]).filter((path) => path !== undefined))
    expect(folders.size).toBe(4)
    const shares = [...folders].map((path) => linesOf(FILES.filter((file) => file.startsWith(path))) / linesOf(FILES))
    expect(Math.max(...shares)).toBeLessThanOrEqual(0.15)
  })

  it('has every file that is imported', () => {
    const missing = [...IMPORTS].flatMap(([file, targets]) =>
      targets.filter((target) => !SOURCES.has(target)).map((target) => `${file} -> ${target}`),
    )
    expect(missing).toEqual([])
  })

  it('imports point down, never up and never sideways', () => {
    const wrong = [...IMPORTS].flatMap(([file, targets]) =>
      targets.filter((target) => !isAllowed(file, target)).map((target) => `${file} -> ${target}`),
    )
    expect(wrong).toEqual([])
  })

  it('would see an import that points up or sideways', () => {
    expect(isAllowed('service/service.ts', 'http/app.ts')).toBe(true)
    expect(isAllowed('ingest/wasm/batch-builder.ts', 'common/columns.ts')).toBe(true)
    expect(isAllowed('engine/clickhouse/engine.ts', 'engine/execute/run/run-stage.ts')).toBe(true)
    expect(isAllowed('engine/clickhouse/engine.ts', 'engine/store/files/entries.ts')).toBe(false)
    expect(isAllowed('engine/execute/run/run-stage.ts', 'engine/store/tables/store.ts')).toBe(false)
    expect(isAllowed('http/app.ts', 'ingest/stream/stdin.ts')).toBe(false)
    expect(isAllowed('engine/store/engine.ts', 'endpoints/index.ts')).toBe(false)
    expect(isAllowed('generate/write.ts', 'plan/plan.ts')).toBe(false)
    expect(isAllowed('client/run-query.ts', 'endpoints/index.ts')).toBe(false)
    expect(isAllowed('base/units.ts', 'common/sources.ts')).toBe(false)
    expect(isAllowed('page/explore/list.ts', 'page/api/api.ts')).toBe(true)
    expect(isAllowed('page/explore/list.ts', 'page/charts/panel.ts')).toBe(false)
    expect(isAllowed('page/main.ts', 'base/units.ts')).toBe(false)
  })

  it('base imports nothing of the house', () => {
    const outside = FILES.filter((file) => file.startsWith('base/')).flatMap((file) =>
      IMPORTS.get(file)!.filter((target) => !target.startsWith('base/')),
    )
    expect(outside).toEqual([])
  })

  it('has no two folders that import each other', () => {
    const edges = new Set(
      [...IMPORTS].flatMap(([file, targets]) => targets.map((target) => `${folderOf(file)} > ${folderOf(target)}`)),
    )
    const mutual = [...edges].flatMap((edge) => {
      const [from, to] = edge.split(' > ') as [string, string]
      return from < to && edges.has(`${to} > ${from}`) ? [`${from} <> ${to}`] : []
    })
    expect(mutual).toEqual([])
  })

  it('has no cycles', () => {
    expect(FILES.flatMap((file) => cycleFrom(file) ?? [])).toEqual([])
  })

  it('has no barrel but the index of the endpoints and what users import', () => {
    const reexporting = FILES.filter((file) => !file.endsWith('.d.ts')).filter((file) =>
      /\bexport\s+(?:type\s+)?(?:\*|\{[^}]*\})\s*(?:as\s+\w+\s+)?from\b/.test(SOURCES.get(file)!),
    )
    const indexes = FILES.filter((file) => /(?:^|\/)index\.ts$/.test(file))
    expect([...reexporting, ...indexes]).toEqual(BARRELS)
  })

  it('names every import with its ending', () => {
    const bare = FILES.flatMap((file) =>
      [...SOURCES.get(file)!.matchAll(IMPORT)]
        .map((match) => (match[1] ?? match[2])!)
        .filter((name) => !name.endsWith('.js')),
    )
    expect(bare).toEqual([])
  })
})

/** The path from a file back to itself, or undefined. */
function cycleFrom(start: string): string | undefined {
  const seen = new Set<string>()
  const walk = (file: string, path: readonly string[]): string | undefined => {
    for (const target of IMPORTS.get(file) ?? []) {
      if (target === start) return [...path, target].join(' -> ')
      if (seen.has(target)) continue
      seen.add(target)
      const found = walk(target, [...path, target])
      if (found !== undefined) return found
    }
    return undefined
  }
  return walk(start, [start])
}

describe('the documents', () => {
  it('have the folders of this test, floor by floor', () => {
    const drawn = documentAt('docs/architecture.md')!.blocks.map(({ text }) => text)
    expect(drawn).toContain(
      FLOORS.map((floor) => floor.map(({ path }) => path).join('  '))
        .join('\n')
        .concat('\n'),
    )
    const [rows] = tablesOf(documentAt('CONTRIBUTING.md')!)
      .map((table) => table.rows)
      .filter((all) => all.some(([path]) => path === '`src/cli.ts`'))
    expect(rows).toEqual(PLACES.map(({ path, about }) => [`\`src/${path}\``, about]))
  })

  it('name files of src that exist', () => {
    const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
    const named = [...text.matchAll(/`(?!test\/)((?:[\w-]+\/)*[\w-]+\.ts)`/g)].map(([, path]) => path!)
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((path) => !FILES.some((file) => file === path || file.endsWith(`/${path}`)))).toEqual([])
  })
})

describe('the source', () => {
  it('S1: builds no RegExp at run time: patterns of callers go to RE2 alone', () => {
    expect(FILES.filter((file) => /\bRegExp\s*\(/.test(SOURCES.get(file)!))).toEqual([])
  })

  it('S7: leaves node’s lenient HTTP parser alone', () => {
    expect(FILES.filter((file) => /insecureHTTPParser/.test(SOURCES.get(file)!))).toEqual([])
  })
})
