import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SERVE_SETTINGS } from '../../src/config/serve-settings.js'
import { variablesOf } from '../support/variables.js'
import { temporaryFolder } from '../tokens/folder.js'
import { composeProject, type Mapping } from './compose-project.js'
import { oneOf, ROOT, stagesOf, textOf } from './files.js'
import { lintCompose } from './lint-compose.js'
import { BASE, ENV, OLDER_STACK, OURS, OURS_OLDER, STACK, THEIRS, WAITING } from './supabase-stack.js'

const pathOf = (name: string) => `deploy/supabase/${name}`
const ours = Object.fromEntries([OURS, OURS_OLDER].map((name) => [name, textOf(pathOf(name))]))
const [, run] = stagesOf(textOf('Dockerfile'))

type Services = Record<string, Mapping>

/** Returns the services of a stack with the files that are named, merged. */
const servicesOf = (stack: Readonly<Record<string, string>>, names: string[], env: Record<string, string> = ENV) =>
  composeProject({ files: { ...stack, ...ours }, env }, names).services as Services

const NEW = servicesOf(STACK, [BASE, OURS])
const OLDER = servicesOf(OLDER_STACK, [BASE, OURS_OLDER])

describe('both files of deploy/supabase', () => {
  it.each([OURS, OURS_OLDER])('%s keeps to the schema of the Compose specification', async (name) => {
    expect(await lintCompose(join(ROOT, pathOf(name)), true)).toEqual([])
    const broken = join(temporaryFolder(), name)
    writeFileSync(broken, ours[name]!.replace('mem_limit:', 'memory_limit:'))
    expect(await lintCompose(broken, true)).toEqual([
      expect.stringMatching(/^invalid-schema: .*additional properties/i),
    ])
  })

  it.each([
    ['a new stack', NEW],
    ['an older stack', OLDER],
  ])('run logweir as analytics of %s, without a word of theirs', (_, { analytics }) => {
    const { LOGFLARE_PUBLIC_ACCESS_TOKEN, LOGFLARE_PRIVATE_ACCESS_TOKEN } = ENV
    expect(analytics).toEqual({
      container_name: 'supabase-analytics',
      image: `logweir:${JSON.parse(textOf('package.json')).version}`,
      pull_policy: 'missing',
      restart: 'unless-stopped',
      environment: {
        LOGWEIR_SUPABASE: 'true',
        LOGFLARE_PUBLIC_ACCESS_TOKEN,
        LOGFLARE_PRIVATE_ACCESS_TOKEN,
        LOGWEIR_MEMORY_LIMIT: '256M',
        LOGWEIR_RETENTION_DAYS: '',
        LOGWEIR_MAX_DISK_BYTES: '',
        NODE_OPTIONS: '--max-semi-space-size=4',
      },
      volumes: [`logweir:${oneOf(run!, 'VOLUME')}`],
      mem_limit: '512m',
      healthcheck: {
        test: ['CMD', ...JSON.parse(oneOf(run!, 'ENTRYPOINT')), 'health'],
        interval: '10s',
        timeout: '5s',
        retries: 5,
        start_period: '10m',
      },
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
  })

  it('set variables that the program reads, from variables of .env with the same names', () => {
    const known = [...variablesOf(SERVE_SETTINGS), 'NODE_OPTIONS']
    expect(Object.keys(NEW.analytics!.environment!).filter((name) => !known.includes(name))).toEqual([])
    const more = {
      LOGWEIR_IMAGE: 'registry.example.com/logweir:9',
      LOGWEIR_CONTAINER_MEMORY: '2g',
      LOGWEIR_MEMORY_LIMIT: '1G',
      LOGWEIR_RETENTION_DAYS: '30',
      LOGWEIR_MAX_DISK_BYTES: '5G',
    }
    for (const [stack, file] of [
      [STACK, OURS],
      [OLDER_STACK, OURS_OLDER],
    ] as const) {
      const { image, mem_limit, environment } = servicesOf(stack, [BASE, file], { ...ENV, ...more }).analytics!
      const { LOGWEIR_IMAGE, LOGWEIR_CONTAINER_MEMORY, ...settings } = more
      expect([image, mem_limit, environment]).toEqual([
        LOGWEIR_IMAGE,
        LOGWEIR_CONTAINER_MEMORY,
        { ...(NEW.analytics!.environment as Mapping), ...settings },
      ])
    }
  })

  it.each(['LOGFLARE_PUBLIC_ACCESS_TOKEN', 'LOGFLARE_PRIVATE_ACCESS_TOKEN'])('need %s', (name) => {
    const message = `required variable ${name} is missing a value: set it in .env`
    expect(() => servicesOf(STACK, [BASE, OURS], { ...ENV, [name]: '' })).toThrow(message)
    expect(() => servicesOf(OLDER_STACK, [BASE, OURS_OLDER], { ...ENV, [name]: '' })).toThrow(message)
  })

  it('give the service alone a volume, and publish no port', () => {
    for (const services of [NEW, OLDER]) {
      expect(Object.values(services).filter(({ ports }) => ports !== undefined)).toEqual([])
    }
    for (const [stack, file] of [
      [STACK, OURS],
      [OLDER_STACK, OURS_OLDER],
    ] as const) {
      expect(composeProject({ files: { ...stack, ...ours }, env: ENV }, [BASE, file]).volumes).toEqual({
        logweir: null,
      })
    }
  })
})

describe(OURS, () => {
  it('leaves Studio and Vector as they are with the file that it replaces', () => {
    const { analytics: _, ...others } = NEW
    const { analytics: __, ...theirs } = servicesOf(STACK, [BASE, THEIRS])
    expect(others).toEqual(theirs)
    expect(others.studio!.environment).toMatchObject({ ENABLED_FEATURES_LOGS_ALL: 'true' })
    expect(others.vector!.depends_on).toEqual({ analytics: { condition: 'service_healthy' } })
  })
})

describe(OURS_OLDER, () => {
  it('leaves all services but analytics as they are', () => {
    const { analytics: _, ...others } = OLDER
    const { analytics, ...theirs } = servicesOf(OLDER_STACK, [BASE])
    expect(others).toEqual(theirs)
    expect(analytics!.ports).toEqual(['4000:4000'])
    for (const name of WAITING)
      expect(others[name]!.depends_on).toEqual({ analytics: { condition: 'service_healthy' } })
  })

  it('works on top of docker-compose.logs.yml too', () => {
    expect(servicesOf(STACK, [BASE, THEIRS, OURS_OLDER])).toEqual(NEW)
  })
})
