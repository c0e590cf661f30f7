import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { UPLOAD_LIMITS } from '../../src/http/intake/upload.js'
import { DOCUMENTS } from '../docs/documents.js'
import type { Compose } from './compose.js'
import { oneOf, ROOT, stagesOf, textOf } from './files.js'

const DEMO = 'deploy/vector-demo.yaml'
const [, run] = stagesOf(textOf('Dockerfile'))
const { services }: Compose = parse(textOf('compose.yaml'))
const vector = parse(textOf('deploy/vector.yaml'))
const demo = parse(textOf(DEMO))

/** Returns source and target of each volume of a service. */
const mountsOf = (name: string) => services[name]!.volumes!.map((volume) => volume.split(':').slice(0, 2))
const targetsOf = (name: string) => mountsOf(name).map(([, target]) => target)

/** Options with which a shipper changes or removes the files that it reads. */
const REMOVES = /remove_after|delete_after|unlink|truncate/i

it('only the demo deletes what it has read', () => {
  const files = readdirSync(join(ROOT, 'deploy'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ya?ml|toml|json|conf)$/.test(name))
    .map((name) => ({ path: `deploy/${name}`, text: textOf(`deploy/${name}`) }))
  // Blocks of `text` are drawings and sums, no configurations.
  const pages = DOCUMENTS.filter(({ path }) => path !== 'CHANGELOG.md').flatMap(({ blocks }) =>
    blocks.filter(({ language }) => language !== 'text').map(({ place, text }) => ({ path: place, text })),
  )
  expect(files.length).toBeGreaterThan(3)
  expect(pages.length).toBeGreaterThan(20)
  expect([...files, ...pages].filter(({ text }) => REMOVES.test(text)).map(({ path }) => path)).toEqual([DEMO])
})

describe('deploy/vector-demo.yaml', () => {
  it('is deploy/vector.yaml, but that it deletes what it has read', () => {
    const records = { ...vector.sources.records, remove_after_secs: 60 }
    expect(demo).toEqual({ ...vector, sources: { records } })
  })

  it('reads a volume that the generator alone writes, never a folder of the host', () => {
    const [folder] = services.generator!.command!
    expect(demo.sources.records.include).toEqual([`${folder}/*.ndjson`])
    for (const name of ['vector', 'generator']) expect(mountsOf(name)).toContainEqual(['records', folder])
    expect(targetsOf('vector')).toContain(demo.data_dir)
    expect(mountsOf('vector')).toContainEqual([`./${DEMO}`, '/etc/vector/vector.yaml'])
  })
})

describe('deploy/vector.yaml', () => {
  const sink = vector.sinks.logweir

  it('sends what it reads to the service, with the token of its file', () => {
    expect([vector.transforms.parsed.inputs, sink.inputs]).toEqual([['records'], ['parsed']])
    const origin = `http://logweir:${oneOf(run!, 'EXPOSE')}`
    expect([sink.uri, sink.healthcheck.uri]).toEqual([`${origin}/api/logs`, `${origin}/ready`])
    const [, backend, name] = /^SECRET\[(\w+)\.(\w+)\]$/.exec(sink.auth.token)!
    const { LOGWEIR_TOKENS_FILE } = services.logweir!.environment!
    expect(LOGWEIR_TOKENS_FILE).toBe(`${vector.secret[backend!].path}/${name}`)
  })

  it('sends requests that the service takes', () => {
    expect(sink.batch.max_bytes + vector.sources.records.max_line_bytes).toBeLessThan(UPLOAD_LIMITS.bodyBytes)
  })
})
