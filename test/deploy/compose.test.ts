import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { SERVE_SETTINGS } from '../../src/config/serve-settings.js'
import { projectRef, TOP_RANK } from '../../src/generate/values/projects.js'
import { variablesOf } from '../support/variables.js'
import { temporaryFolder } from '../tokens/folder.js'
import { type Compose, composeFaults } from './compose.js'
import { oneOf, ROOT, stagesOf, textOf } from './files.js'
import { lintCompose } from './lint-compose.js'

const TEXT = textOf('compose.yaml')
const compose: Compose = parse(TEXT)
const services = Object.entries(compose.services)
const [, run] = stagesOf(textOf('Dockerfile'))
const VARIABLES = variablesOf(SERVE_SETTINGS)

/** Returns a Compose file with a single service that has `lines`, followed by `rest`. */
const composeOf = (lines: string, rest = '') => `services:\n  a:\n    image: b:1\n${lines}\n${rest}\n`

describe('compose.yaml', () => {
  it('keeps to the schema of the Compose specification, and to the rules of a linter', async () => {
    expect(await lintCompose(join(ROOT, 'compose.yaml'))).toEqual([])
    const broken = join(temporaryFolder(), 'compose.yaml')
    writeFileSync(broken, composeOf('    read_onli: true'))
    expect(await lintCompose(broken)).toEqual([expect.stringMatching(/^invalid-schema: .*additional properties/i)])
  })

  it('has nothing that Compose refuses, and starts without a variable', () => {
    expect(composeFaults(TEXT)).toEqual([])
  })

  it.each([
    [
      composeOf('    read_only: true\n    secrets: [t]', 'secrets: { t: { environment: T } }'),
      ['a is read_only, so t cannot be copied into it', 't needs the variable T'],
    ],
    [composeOf('    secrets: [{ source: t }]', 'secrets: { t: { environment: T } }'), ['t needs the variable T']],
    [
      composeOf('    read_only: true\n    configs: [{ source: c, target: /c }]', 'configs: { c: { content: x } }'),
      ['a is read_only, so c cannot be copied into it'],
    ],
    [composeOf('    read_only: true\n    secrets: [t]', 'secrets: { t: { file: ./t } }'), []],
    [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Compose replaces these
      composeOf('    environment: { A: "${A}", B: "${B-x}", C: "${C:?set C}", D: "${D:-}", E: $$E }'),
      ['A', 'B', 'C'].map((name) => `the variable ${name} has no default`),
    ],
    [composeOf('    volumes: [./logs:/logs, ./more:/more:ro, name:/data]'), ['a can change ./logs of the host']],
    [composeOf('    entrypoint: [sh, /x.sh]'), ['a runs a shell as its first process, without init']],
    [composeOf('    init: true\n    entrypoint: [sh, /x.sh]'), []],
  ])('a file with a trap is found: %j', (text, faults) => {
    expect(composeFaults(text)).toEqual(faults)
  })

  it('runs images of a known version, and our own, which it builds and never pulls', () => {
    expect(services.map(([name]) => name)).toEqual(['token', 'logweir', 'vector', 'generator'])
    for (const [, { image }] of services) expect(image).toMatch(/^(logweir|timberio\/vector:\d+\.\d+\.\d+-alpine)$/)
    const own = services.filter(([, { image }]) => image === 'logweir')
    expect(own.map(([, { build, pull_policy }]) => [build, pull_policy])).toEqual([
      [undefined, 'never'],
      ['.', 'build'],
      [undefined, 'never'],
    ])
  })

  it('names files, volumes, settings and services that there are', () => {
    for (const [, { volumes = [], depends_on = {} }] of services) {
      for (const [source] of volumes.map((volume) => volume.split(':'))) {
        const isFile = source!.startsWith('./')
        expect([source, isFile ? existsSync(join(ROOT, source!)) : source! in compose.volumes!]).toEqual([source, true])
      }
      expect(Object.keys(depends_on).filter((name) => !(name in compose.services))).toEqual([])
    }
    const { environment } = compose.services.logweir!
    expect(Object.keys(environment!).filter((name) => !VARIABLES.includes(name))).toEqual([])
  })

  it('is reached from this machine alone', () => {
    const ports = services.flatMap(([, service]) => service.ports ?? [])
    expect(ports).toEqual([`127.0.0.1:4000:${oneOf(run!, 'EXPOSE')}`])
  })

  it('tells the project that the generator makes', () => {
    expect(textOf('deploy/generate.sh')).toContain('--seed 1 ')
    expect(TEXT).toContain(`project ${projectRef(1, TOP_RANK)}`)
  })

  it('starts the service and Vector when the token is written, in a volume that they only read', () => {
    const [file, owner] = compose.services.token!.command!
    const folder = file!.slice(0, file!.lastIndexOf('/'))
    expect(compose.services.token!.volumes).toContain(`token:${folder}`)
    for (const name of ['logweir', 'vector']) {
      const { depends_on, volumes } = compose.services[name]!
      expect(depends_on!.token!.condition).toBe('service_completed_successfully')
      expect(volumes).toContain(`token:${folder}:ro`)
    }
    expect(compose.services.logweir!.environment!.LOGWEIR_TOKENS_FILE).toBe(file)
    expect(owner).toBe(oneOf(run!, 'USER'))
  })
})

it('scripts that containers run have their line ends on every system', () => {
  expect(textOf('.gitattributes').split('\n')).toContain('*.sh text eol=lf')
})
