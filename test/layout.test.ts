import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const SRC = join(ROOT, 'src')

/** From the top layer to the bottom. A file may import from its own room and from the rooms in lower layers. */
const FLOORS: readonly (readonly string[])[] = [
  ['cli.ts'],
  // In the browser: the rooms import nothing from outside the folder of the page.
  ['page/main.ts'],
  ['page/shell/'],
  ['page/explore/', 'page/charts/', 'page/sql/', 'page/endpoints/'],
  ['page/answer/'],
  ['page/plot/', 'page/export/'],
  ['page/shared/'],
  ['page/api/'],
  ['commands/'],
  ['sql-directory/'],
  ['service.ts', 'show-schema.ts', 'export/', 'import/', 'check/', 'client/'],
  ['stop-service.ts'],
  ['supabase/'],
  // The module hook of user-endpoints/ resolves to endpoint.ts at run time.
  ['user-endpoints/', 'http/server/'],
  ['http/app.ts'],
  ['http/routes.ts'],
  ['http/page.ts', 'http/openapi/', 'http/tail/', 'endpoint.ts'],
  ['http/intake/', 'http/query/', 'ingest/stream/', 'ingest/body/'],
  ['http/access/', 'ingest/thread/', 'otlp/', 'generate/'],
  ['http/reply/', 'ingest/lines/'],
  ['http/formats/', 'ingest/wasm/'],
  ['ingest/rejects.ts'],
  ['engine/clickhouse/', 'engine/arrow/engine.ts'],
  ['engine/arrow/query/', 'engine/arrow/export/'],
  ['engine/arrow/operators/', 'engine/arrow/storage/store/', 'engine/arrow/storage/compaction/'],
  ['engine/arrow/storage/persistence/'],
  ['engine/arrow/storage/files/'],
  ['engine/arrow/storage/sealing/'],
  ['engine/arrow/storage/segment/'],
  ['engine/arrow/storage/head/'],
  ['engine/arrow/expressions/', 'engine/arrow/accumulators/'],
  ['engine/arrow/fields/'],
  ['engine/arrow/columns/'],
  ['endpoints/', 'tokens/'],
  ['sql/read-sql.ts'],
  ['sql/compile/'],
  ['sql/parse/'],
  ['engine/disk/'],
  ['engine/engine.ts'],
  ['plan/'],
  ['engine/columns.ts'],
  ['config/'],
  ['sources.ts', 'field-names.ts'],
  ['arrow-ipc/', 'wasm-layout/'],
  ['base/'],
]

const ENGINE_INTERFACE = ['engine/engine.ts', 'plan/', 'engine/columns.ts']
const HTTP = ['endpoints/', 'tokens/', ...ENGINE_INTERFACE, 'sources.ts', 'field-names.ts', 'base/']
const ENGINE = ['engine/disk/', ...ENGINE_INTERFACE, 'sources.ts', 'base/']
const ARROW = [...ENGINE, 'engine/arrow/columns/', 'arrow-ipc/', 'wasm-layout/']
const STORAGE_ROOMS = ['store', 'compaction', 'persistence', 'files', 'sealing', 'segment', 'head'].map(
  (folder) => `engine/arrow/storage/${folder}/`,
)
const STORAGE = [...ARROW, ...STORAGE_ROOMS]
const PAGE_ROOMS = [
  'page/main.ts',
  ...['shell', 'explore', 'charts', 'sql', 'endpoints', 'answer', 'plot', 'export', 'shared', 'api'].map(
    (folder) => `page/${folder}/`,
  ),
]
const INGEST = [...ENGINE_INTERFACE, 'sources.ts', 'field-names.ts', 'arrow-ipc/', 'wasm-layout/', 'base/']

/** Rooms that may import from fewer rooms than the lower layers have. */
const ONLY: Record<string, readonly string[]> = {
  ...Object.fromEntries(PAGE_ROOMS.map((room) => [room, PAGE_ROOMS])),
  'client/': ['tokens/', 'config/', 'base/'],
  'sql-directory/': [
    'client/',
    'http/formats/',
    'endpoints/',
    'engine/arrow/engine.ts',
    'engine/disk/',
    'sql/read-sql.ts',
    ...ENGINE_INTERFACE,
    'config/',
    'sources.ts',
    'base/',
  ],
  'check/': ['engine/clickhouse/', 'engine/arrow/export/', ...STORAGE_ROOMS, ...ARROW, 'tokens/', 'config/'],
  'user-endpoints/': [
    'endpoint.ts',
    'endpoints/',
    'sql/read-sql.ts',
    'plan/',
    'engine/columns.ts',
    'config/',
    'sources.ts',
    'base/',
  ],
  'generate/': ['base/', 'sources.ts'],
  'otlp/': ['base/'],
  // The operators of the embedded engine run over the rows that the server returns.
  'engine/clickhouse/': [
    ...ENGINE,
    'arrow-ipc/',
    'engine/arrow/query/',
    'engine/arrow/operators/',
    'engine/arrow/expressions/',
    'engine/arrow/columns/',
    'engine/arrow/storage/head/',
  ],
  'engine/arrow/engine.ts': [...STORAGE, 'engine/arrow/query/', 'engine/arrow/operators/'],
  'engine/arrow/query/': [
    ...ARROW,
    'engine/arrow/operators/',
    'engine/arrow/expressions/',
    'engine/arrow/fields/',
    'engine/arrow/storage/head/',
  ],
  'engine/arrow/export/': [...ARROW, 'engine/arrow/storage/files/', 'engine/arrow/storage/segment/'],
  'engine/arrow/operators/': [
    ...ARROW,
    'engine/arrow/expressions/',
    'engine/arrow/accumulators/',
    'engine/arrow/fields/',
  ],
  'engine/arrow/expressions/': [...ARROW, 'engine/arrow/fields/'],
  ...Object.fromEntries(STORAGE_ROOMS.map((room) => [room, STORAGE])),
  'engine/arrow/accumulators/': ARROW,
  'engine/arrow/fields/': ARROW,
  'engine/arrow/columns/': ARROW,
  'http/app.ts': [
    ...HTTP,
    'http/routes.ts',
    'http/tail/',
    'http/intake/',
    'http/query/',
    'http/access/',
    'http/reply/',
  ],
  'http/routes.ts': [
    ...HTTP,
    'http/page.ts',
    'http/openapi/',
    'http/tail/',
    'http/intake/',
    'http/query/',
    'http/access/',
    'http/reply/',
  ],
  'http/openapi/': [...HTTP, 'http/reply/', 'http/formats/'],
  'http/server/': [...HTTP, 'http/app.ts', 'http/reply/'],
  'http/page.ts': [...HTTP, 'http/reply/'],
  'http/tail/': [...HTTP, 'http/query/', 'http/access/', 'http/reply/', 'http/formats/'],
  'http/intake/': [...HTTP, 'http/access/', 'http/reply/'],
  'http/query/': [...HTTP, 'http/access/', 'http/reply/', 'http/formats/'],
  'http/access/': [...HTTP, 'http/reply/'],
  'http/reply/': [...HTTP, 'http/formats/'],
  'http/formats/': [...ENGINE_INTERFACE, 'arrow-ipc/', 'base/'],
  'ingest/stream/': [...INGEST, 'ingest/thread/', 'ingest/lines/', 'ingest/wasm/', 'ingest/rejects.ts'],
  'ingest/body/': [...INGEST, 'ingest/thread/', 'ingest/lines/', 'ingest/wasm/', 'ingest/rejects.ts'],
  'ingest/thread/': [...INGEST, 'ingest/lines/', 'ingest/wasm/', 'ingest/rejects.ts'],
  'ingest/lines/': [...INGEST, 'ingest/wasm/', 'ingest/rejects.ts'],
  'ingest/wasm/': [...INGEST, 'ingest/rejects.ts'],
  'ingest/rejects.ts': ['base/'],
}

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

const ROOMS = FLOORS.flat()
/** A file that is a room of its own is a separate place, apart from the folder of the file. */
const placeOf = (file: string) => (ROOMS.includes(file) ? file : dirname(file))
const roomOf = (file: string) => ROOMS.find((room) => (room.endsWith('/') ? file.startsWith(room) : file === room))
const floorOf = (file: string) => FLOORS.findIndex((floor) => floor.includes(roomOf(file)!))

function isAllowed(from: string, to: string): boolean {
  const [room, target] = [roomOf(from)!, roomOf(to)!]
  if (room === target) return true
  return floorOf(to) > floorOf(from) && (ONLY[room]?.includes(target) ?? true)
}

describe('the layout of src', () => {
  it('is seen by this test', () => {
    expect(FILES).toContain('endpoints/logs-all.ts')
    expect(IMPORTS.get('endpoints/index.ts')).toContain('endpoints/logs-all.ts')
    expect([...IMPORTS.values()].flat().length).toBeGreaterThan(FILES.length)
  })

  it('has a room for every file', () => {
    expect(FILES.filter((file) => roomOf(file) === undefined)).toEqual([])
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
    expect(isAllowed('service.ts', 'http/app.ts')).toBe(true)
    expect(isAllowed('ingest/wasm/batch-builder.ts', 'engine/columns.ts')).toBe(true)
    expect(isAllowed('http/app.ts', 'ingest/stream/stdin.ts')).toBe(false)
    expect(isAllowed('engine/arrow/engine.ts', 'endpoints/index.ts')).toBe(false)
    expect(isAllowed('generate/write.ts', 'engine/columns.ts')).toBe(false)
    expect(isAllowed('client/query.ts', 'endpoints/index.ts')).toBe(false)
    expect(isAllowed('base/units.ts', 'sources.ts')).toBe(false)
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
      [...IMPORTS].flatMap(([file, targets]) => targets.map((target) => `${placeOf(file)} > ${placeOf(target)}`)),
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

/** The rooms in the fenced block of docs/architecture.md, a line per layer. */
function roomsInArchitecture(): string[][] {
  const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
  const [, block = ''] = /^## Rooms$[\s\S]*?^```text\n([\s\S]*?)^```$/m.exec(text) ?? []
  return block.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim().split(/\s+/)]))
}

/** The rooms in the first column of CONTRIBUTING's table: `src/http/{query,app.ts}` is two rooms. */
function roomsInContributing(): string[] {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  return [...text.matchAll(/^\| (`src\/.*?) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`src\/([^`]*)`/g)].flatMap(([, path]) => expandBraces(path!).map(roomNamed)),
  )
}

function expandBraces(path: string): string[] {
  const [, before, list, after] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? []
  return list === undefined ? [path] : list.split(',').map((name) => before! + name + after!)
}

const roomNamed = (path: string): string => (path.endsWith('.ts') ? path : `${path}/`)

describe('the documents', () => {
  it('name the rooms of this test, layer by layer', () => {
    expect(roomsInArchitecture()).toEqual(FLOORS)
  })

  it('say what each room is for', () => {
    expect(roomsInContributing().sort()).toEqual(ROOMS.toSorted())
  })

  it('name files of src that exist', () => {
    const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
    const named = [...text.matchAll(/`((?:[\w-]+\/)*[\w-]+\.ts)`/g)].map(([, path]) => path!)
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
