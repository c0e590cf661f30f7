import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { variableOf } from '../../src/base/settings.js'
import { projectRef, TOP_RANK } from '../../src/generate/projects.js'
import { SERVE_SETTINGS } from '../../src/settings.js'
import { allOf, assignmentsOf, oneOf, ROOT, stagesOf, textOf } from './files.js'

const VARIABLES = Object.keys(SERVE_SETTINGS).map(variableOf)
const ownVariables = (names: readonly string[]) => names.filter((name) => name.startsWith('LOGWEIR_'))

const [build, run, ...others] = stagesOf(textOf('Dockerfile'))
const compose = parse(textOf('compose.yaml'))
const vector = parse(textOf('deploy/vector.yaml'))

describe('the Dockerfile', () => {
  it('is without fault to a linter', () => {
    expect(validate(textOf('Dockerfile'))).toEqual([])
    expect(validate('FORM a\nRUN\n').length).toBeGreaterThan(0)
  })

  it('builds in one stage and runs in another, on a Node that all unit tests run on', () => {
    expect(others).toEqual([])
    const [, major] = /^node:(\d+)-bookworm AS build$/.exec(oneOf(build!, 'FROM'))!
    expect(oneOf(run!, 'FROM')).toBe(`node:${major}-bookworm-slim`)
    expect(/^NEWER_NODES=\((.*)\)$/m.exec(textOf('.ci/run'))![1]!.split(' ')).toContain(major)
    expect(allOf(run!, 'COPY').filter((copy) => !copy.startsWith('--from=build /app/'))).toEqual([])
  })

  it('runs as nobody in particular, tells whether it is ready, and keeps rows in a volume', () => {
    expect(oneOf(run!, 'USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    expect(oneOf(run!, 'HEALTHCHECK')).toContain('/ready')
    const environment = assignmentsOf(oneOf(run!, 'ENV'))
    expect(environment.LOGWEIR_DATA_DIR).toBe(oneOf(run!, 'VOLUME'))
    expect(ownVariables(Object.keys(environment)).filter((name) => !VARIABLES.includes(name))).toEqual([])
    expect(oneOf(run!, 'EXPOSE')).toBe(SERVE_SETTINGS.port.default)
  })
})

describe('compose.yaml', () => {
  const services = Object.entries<Service>(compose.services)

  interface Service {
    image: string
    build?: string
    environment?: Record<string, string>
    volumes?: string[]
    secrets?: string[]
    ports?: string[]
    depends_on?: Record<string, { condition: string }>
  }

  it('runs images of a known version, and our own', () => {
    expect(services.map(([name]) => name)).toEqual(['logweir', 'vector', 'generator'])
    for (const [, { image }] of services) expect(image).toMatch(/^(logweir|timberio\/vector:\d+\.\d+\.\d+-alpine)$/)
    expect(compose.services.logweir.build).toBe('.')
  })

  it('names files, volumes, secrets, settings and services that there are', () => {
    for (const [, { volumes = [], secrets = [], environment = {}, depends_on = {} }] of services) {
      for (const [source] of volumes.map((volume) => volume.split(':'))) {
        const isFile = source!.startsWith('./')
        expect([source, isFile ? existsSync(join(ROOT, source!)) : source! in compose.volumes]).toEqual([source, true])
      }
      for (const secret of secrets) expect(Object.keys(compose.secrets)).toContain(secret)
      expect(Object.keys(environment).filter((name) => !VARIABLES.includes(name))).toEqual([])
      expect(Object.keys(depends_on).filter((name) => name !== 'logweir')).toEqual([])
    }
  })

  it('is reached from this machine alone', () => {
    const ports = services.flatMap(([, service]) => service.ports ?? [])
    expect(ports).toEqual([`127.0.0.1:4000:${oneOf(run!, 'EXPOSE')}`])
  })

  it('tells the project that the generator makes', () => {
    expect(textOf('deploy/generate.sh')).toContain('--seed 1 ')
    expect(textOf('compose.yaml')).toContain(`project ${projectRef(1, TOP_RANK)}`)
  })
})

describe('deploy/vector.yaml', () => {
  const { records } = vector.sources
  const sink = vector.sinks.logweir

  it('reads the files that the generator writes, and keeps its own in a volume', () => {
    const mounts = (name: string): string[] =>
      compose.services[name].volumes.map((volume: string) => volume.split(':')[1])
    const [folder] = compose.services.generator.command
    expect(records.include).toEqual([`${folder}/*.ndjson`])
    for (const name of ['vector', 'generator']) expect(mounts(name)).toContain(folder)
    expect(mounts('vector')).toContain(vector.data_dir)
    expect(vector.transforms.parsed.inputs).toEqual(['records'])
    expect(sink.inputs).toEqual(['parsed'])
  })

  it('sends them to the service, with the token of its secret', () => {
    const origin = `http://logweir:${oneOf(run!, 'EXPOSE')}`
    expect([sink.uri, sink.healthcheck.uri]).toEqual([`${origin}/api/logs`, `${origin}/ready`])
    const [, backend, name] = /^SECRET\[(\w+)\.(\w+)\]$/.exec(sink.auth.token)!
    expect(compose.services.vector.secrets).toEqual([name])
    const { LOGWEIR_TOKENS_FILE } = compose.services.logweir.environment
    expect(LOGWEIR_TOKENS_FILE).toBe(`${vector.secret[backend!].path}/${name}`)
  })
})
