import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from './support/program.js'

const SRC = join(ROOT, 'src')
const DIST = join(ROOT, 'dist')

/** Compiled modules. The page is another program. */
const modules = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.startsWith('page/'),
)

/** Returns the modules that others let Node load by URL. */
function loadedByAddress(): string[] {
  const found = modules.flatMap((name) =>
    [...readFileSync(join(SRC, name), 'utf8').matchAll(/new URL\('(\.[^']+\.js)', import\.meta\.url\)/g)].map(
      ([, path]) => relative(SRC, join(SRC, dirname(name), path!)),
    ),
  )
  return [...new Set(found)].sort()
}

const importsOf = (name: string) =>
  [...readFileSync(join(DIST, name), 'utf8').matchAll(/^(?:import|export)\b[^;]*? from "([^"]+)";$/gm)].map(
    ([, from]) => from!,
  )

/** Returns the packages that modules import. */
function importedPackages(): string[] {
  const found = modules.flatMap((name) =>
    [...readFileSync(join(SRC, name), 'utf8').matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'((?:@[\w-]+\/)?[\w-]+)/g)].map(
      ([, from]) => from!,
    ),
  )
  return [...new Set(found)].filter((name) => name !== 'node' && name in devDependencies)
}

const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const NATIVE = ['re2', 'zstd-napi']

describe('what the program runs is in few files', () => {
  const entries = ['cli.js', ...loadedByAddress()]

  it('finds the threads, the hook of own endpoints and what these import', () => {
    expect(entries).toEqual([
      'cli.js',
      'endpoint.js',
      'engine/store/sealing/worker.js',
      'ingest/body/worker.js',
      'ingest/stream/worker.js',
      'lines/execute/thread.js',
      'otlp/worker.js',
      'user-endpoints/hook.js',
    ])
  })

  it.each(entries)('%s imports chunks, and no package but those with native parts', (entry) => {
    const chunks = join(DIST, 'chunks')
    const todo = [entry]
    for (const name of todo) {
      for (const from of importsOf(name)) {
        if (from.startsWith('node:') || NATIVE.some((name) => from.startsWith(name))) continue
        expect([name, from, from.startsWith('.')]).toEqual([name, from, true])
        const next = join(DIST, dirname(name), from)
        expect([name, from, dirname(next)]).toEqual([name, from, chunks])
        if (!todo.includes(relative(DIST, next))) todo.push(relative(DIST, next))
      }
    }
    expect(todo.length).toBeGreaterThan(1)
  })

  it.each([
    ['the SQL compiler', 'Only SELECT is covered'],
    ['the client of PostgreSQL', 'SCRAM-SERVER-FIRST-MESSAGE'],
    ['the WebAssembly of zstd', 'compressChunk failed'],
    ['the demo', 'Serving until Ctrl-C'],
  ])('loads %s by import() only, so that the start of a service does not', (_, text) => {
    const isPartOfIt = (name: string) => readFileSync(join(DIST, name), 'utf8').includes(text)
    const chunks = readdirSync(join(DIST, 'chunks')).map((name) => join('chunks', name))
    expect(chunks.filter(isPartOfIt).length).toBeGreaterThan(0)
    const service = chunks.filter((name) => name.startsWith('chunks/run-service-'))
    expect(service.length).toBe(1)
    const todo = ['cli.js', ...service]
    for (const name of todo) {
      const imported = importsOf(name).filter((from) => from.startsWith('.'))
      for (const from of imported.map((one) => join(dirname(name), one))) if (!todo.includes(from)) todo.push(from)
    }
    expect(todo.filter(isPartOfIt)).toEqual([])
  })

  it('has the licence of each library that is in it', () => {
    const licences = readFileSync(join(DIST, 'chunks/LICENSES.txt'), 'utf8')
    const packages = importedPackages()
    expect(packages).toContain('hono')
    for (const name of packages) expect(licences).toContain(`== ${name} ${devDependencies[name]}, `)
  })
})
