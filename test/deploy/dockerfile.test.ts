import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { SERVE_SETTINGS } from '../../src/config/serve-settings.js'
import { variablesOf } from '../support/variables.js'
import { allOf, environmentOf, oneOf, stagesOf, textOf } from './files.js'

const VARIABLES = variablesOf(SERVE_SETTINGS)
const ownVariables = (names: readonly string[]) => names.filter((name) => name.startsWith('LOGWEIR_'))

const [build, run, ...others] = stagesOf(textOf('Dockerfile'))

describe('the Dockerfile', () => {
  it('is without fault to a linter', () => {
    expect(validate(textOf('Dockerfile'))).toEqual([])
    expect(validate('FORM a\nRUN\n').length).toBeGreaterThan(0)
  })

  it('builds in one stage and runs in another, on a Node that tests run on', () => {
    expect(others).toEqual([])
    const [, major] = /^node:(\d+)-bookworm AS build$/.exec(oneOf(build!, 'FROM'))!
    expect(oneOf(run!, 'FROM')).toBe(`node:${major}-bookworm-slim`)
    expect(/\$\{LOGWEIR_CI_NODES-([\d ]+)\}/.exec(textOf('.ci/run'))![1]!.split(' ')).toContain(major)
    expect(allOf(run!, 'COPY').filter((copy) => !copy.startsWith('--from=build '))).toEqual([])
  })

  it('runs as nobody in particular, tells whether it is ready, and keeps rows in a volume', () => {
    expect(oneOf(run!, 'USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    const [, check] = /CMD (\[.*\])$/.exec(oneOf(run!, 'HEALTHCHECK'))!
    expect(JSON.parse(check!)).toEqual([...JSON.parse(oneOf(run!, 'ENTRYPOINT')), 'health'])
    const environment = environmentOf(run!)
    expect(environment.LOGWEIR_DATA_DIR).toBe(oneOf(run!, 'VOLUME'))
    expect(ownVariables(Object.keys(environment)).filter((name) => !VARIABLES.includes(name))).toEqual([])
    expect(oneOf(run!, 'EXPOSE')).toBe(SERVE_SETTINGS.port.default)
  })
  it('has the program of the health check of Supabase, and its mode by a build argument', () => {
    const packages = allOf(run!, 'RUN').flatMap(
      (line) => /apt-get install -y --no-install-recommends ([^&]*) &&/.exec(line)?.[1] ?? [],
    )
    expect(packages).toEqual(['curl'])
    expect(environmentOf(run!).LOGWEIR_SUPABASE).toBe('false')
    expect(environmentOf(run!, { LOGWEIR_SUPABASE: 'true' }).LOGWEIR_SUPABASE).toBe('true')
  })
})
