import { describe, expect, it } from 'vitest'
import { type StackVersion, stackFiles } from '../support/supabase/stack-files.js'
import { type Case, check, linesOf, VECTOR, VECTOR_YML } from './supabase-folder.js'
import { BASE, OURS, OURS_OLDER, THEIRS } from './supabase-stack.js'

const KONG = 'volumes/api/kong.yml'
const ENVOY = 'volumes/api/envoy/lds.template.yaml'
const DIRECT = 'http://analytics:4000/api/logs?source_name=postgres.logs'

/** Runs the script on the files of a version of Supabase's stack. Returns the verdict. */
function verdictOf(version: StackVersion, { files = {}, ...rest }: Case = {}) {
  const checked = check({ stack: {}, files: { ...stackFiles(version), ...files }, ...rest })
  return {
    status: checked.status,
    wrong: linesOf(checked, 'wrong'),
    warnings: linesOf(checked, 'warning'),
    fine: linesOf(checked, 'fine'),
    changes: linesOf(checked, 'change'),
  }
}

const textOf = (version: StackVersion, path: string) => stackFiles(version)[path]!
const replaced = (version: StackVersion, path: string, from: string | RegExp, to: string) => {
  const text = textOf(version, path)
  const changed = text.replace(from, to)
  expect(changed).not.toBe(text)
  return { [path]: changed }
}

const THROUGH_KONG = `the sink logflare_db in ${VECTOR} sends through Kong`

describe('deploy/supabase/check.sh on the stack from before February 2026', () => {
  const VERSION = '2025-before-february'

  it('says that the logs of Postgres need the route of Kong until their address is changed', () => {
    const verdict = verdictOf(VERSION)
    expect([verdict.status, verdict.wrong]).toEqual([0, []])
    expect(verdict.warnings).toEqual([
      `${THROUGH_KONG}: change its uri to ${DIRECT}`,
      'Kong has a route to analytics: whoever reaches Kong can try tokens; it also carries the logs of logflare_db, ' +
        'so change their uri first, restart vector, and then remove the route',
    ])
    expect(verdict.fine).toContain(`${VECTOR} has 6 sinks for analytics`)
    expect(verdict.fine).toContain(`${OURS_OLDER} is the file for this stack`)
    expect(verdict.changes).toContain(`port 4000 is no longer published, which ${BASE} does`)
  })

  it('calls the same sink wrong if the route is gone', () => {
    const lost =
      `${THROUGH_KONG}, which has no route to analytics, so its logs would be lost: ` + `change its uri to ${DIRECT}`
    for (const files of [replaced(VERSION, KONG, /^.*analytics:4000.*$/m, ''), { [KONG]: null }]) {
      const { status, wrong, warnings } = verdictOf(VERSION, { files })
      expect([status, wrong, warnings]).toEqual([1, [lost], []])
    }
  })

  it('takes a changed address, and then asks to remove the route', () => {
    const files = replaced(VERSION, VECTOR, 'http://kong:8000/analytics/v1/', 'http://analytics:4000/')
    const { status, warnings, fine } = verdictOf(VERSION, { files })
    expect([status, warnings]).toEqual([
      0,
      [`${KONG} has a route to analytics: whoever reaches Kong can try tokens; remove it`],
    ])
    expect(fine).toContain(`${VECTOR} has 7 sinks for analytics`)
  })

  it('names the address without a token', () => {
    const files = replaced(VERSION, VECTOR, 'postgres.logs', 'postgres.logs&api_key=$' + '{LOGFLARE_API_KEY}')
    expect(verdictOf(VERSION, { files }).warnings).toContain(`${THROUGH_KONG}: change its uri to ${DIRECT}`)
  })
})

describe('deploy/supabase/check.sh on newer stacks', () => {
  it.each([
    ['2026-spring', OURS_OLDER],
    ['2026-june', OURS],
    ['2026-today', OURS],
  ] as const)('finds nothing wrong in that of %s', (version, ours) => {
    const { status, wrong, warnings, fine } = verdictOf(version)
    expect([status, wrong, warnings]).toEqual([0, [], []])
    expect(fine.slice(0, 4)).toEqual([
      `${ours} is the file for this stack`,
      'LOGFLARE_PUBLIC_ACCESS_TOKEN is set',
      'LOGFLARE_PRIVATE_ACCESS_TOKEN is set',
      `${VECTOR} has 7 sinks for analytics`,
    ])
  })

  it('says of the newest one what changes', () => {
    expect(verdictOf('2026-today').changes[0]).toBe('analytics runs logweir:0.1.0 instead of supabase/logflare:1.43.1')
  })

  it('calls an older vector.yml wrong beside Envoy, which has no route to analytics', () => {
    const files = { [VECTOR]: textOf('2025-before-february', VECTOR) }
    expect(verdictOf('2026-today', { files }).wrong).toEqual([
      `the sink logflare_db in ${VECTOR} sends through Envoy, which has no route to analytics, so its logs would be ` +
        `lost: change its uri to ${DIRECT}`,
      `${VECTOR} has no route for supabase-envoy, so the gateway's logs would not arrive: copy it from Supabase's ` +
        'repository, folder docker',
    ])
  })

  it('takes the gateway that .env names', () => {
    const files = { [VECTOR]: textOf('2026-june', VECTOR), [KONG]: textOf('2025-before-february', KONG) }
    const route = `${KONG} has a route to analytics: whoever reaches Kong can try tokens; remove it`
    const noRoute = expect.stringContaining('has no route for supabase-envoy')
    const kong = verdictOf('2026-today', { files, env: { CONFIG: '"kong logweir"' } })
    expect([kong.wrong, kong.warnings]).toEqual([[], [route]])
    const overlay = `${BASE}:./docker-compose.kong.yml:./${OURS}`
    const named = verdictOf('2026-today', { files, env: { COMPOSE_FILE: overlay } })
    expect([named.wrong, named.warnings]).toEqual([[], [route]])
    const envoy = verdictOf('2026-june', { files, env: { CONFIG: '"envoy logweir"' } })
    expect([envoy.wrong, envoy.warnings]).toEqual([[noRoute], []])
  })

  it('warns of a route of Envoy', () => {
    const files = { [ENVOY]: "  - match: { prefix: /analytics/v1/ }\n    route: { cluster: 'analytics' }\n" }
    expect(verdictOf('2026-today', { files }).warnings).toEqual([
      'Envoy has a route to analytics: whoever reaches Envoy can try tokens; remove it',
    ])
  })
})

describe('the addresses of sinks', () => {
  const URI = "uri: 'http://analytics:4000/api/logs?source_name=postgres.logs'"
  const withUri = (uri: string) => ({ files: { [VECTOR]: VECTOR_YML.replace(URI, uri) } })

  it.each([
    [
      'a wrong port',
      "uri: 'http://analytics:4001/api/logs?source_name=postgres.logs'",
      'http://analytics:4001/api/logs',
    ],
    ['another service', 'uri: http://logflare:4000/logs?source=postgres.logs', 'http://logflare:4000/logs'],
    ['quoted keys', '"uri": "http://db:4000/api/logs?source_name=postgres.logs"', 'http://db:4000/api/logs'],
    ['a comment behind it', 'uri: http://db/?source_name=a # http://analytics:4000', 'http://db/'],
    ['https', 'uri: https://analytics:4000/api/logs?source_name=postgres.logs', 'https://analytics:4000/api/logs'],
  ])('are read, and one with %s is wrong', (_, uri, address) => {
    const checked = check(withUri(uri))
    expect([checked.status, linesOf(checked, 'wrong'), linesOf(checked, 'fine')[3]]).toEqual([
      1,
      [
        `the sink logflare_db in ${VECTOR} sends to ${address}, not to http://analytics:4000, so its ` +
          'logs would be lost',
      ],
      `${VECTOR} has 1 sink for analytics`,
    ])
  })

  it.each([
    ['a flow mapping', "{ type: http, uri: 'http://db:4000/api/logs?source_name=postgres.logs' }"],
    ['carriage returns', "type: http\r\n    uri: 'http://db:4000/api/logs?source_name=postgres.logs'\r"],
  ])('are read in %s', (_, sink) => {
    expect(linesOf(check(withUri(sink)), 'wrong')).toHaveLength(1)
  })

  it('may be those of another service outside', () => {
    const checked = check(withUri('uri: https://api.logflare.app/logs?source=abc'))
    expect([checked.status, linesOf(checked, 'warning')]).toEqual([
      0,
      [
        `the sink logflare_db in ${VECTOR} sends to https://api.logflare.app/logs, so its ` +
          'logs do not arrive in logweir',
      ],
    ])
  })
})

describe('the command at the end', () => {
  const lastOf = (version: StackVersion, env: Record<string, string>) =>
    check({ stack: {}, files: stackFiles(version), env })
      .lines.at(-1)!
      .split('To start: ')[1]

  it.each([
    ['2026-june', {}, `docker compose -f ${BASE} -f ${OURS} up -d`],
    ['2026-spring', {}, `docker compose -f ${BASE} -f ${OURS_OLDER} up -d`],
    ['2026-june', { COMPOSE_FILE: `${BASE}:${OURS}` }, 'docker compose up -d'],
    [
      '2026-june',
      { COMPOSE_FILE: `${BASE}:docker-compose.pg17.yml` },
      `docker compose -f ${BASE} -f docker-compose.pg17.yml -f ${OURS} up -d`,
    ],
    ['2026-june', { CONFIG: '"pg17 logweir"' }, 'sh run.sh start'],
    ['2026-spring', { CONFIG: 'pg17' }, 'sh run.sh config add logweir-older, then sh run.sh start'],
  ] as const)('keeps the other files that .env names: %s, %j', (version, env, command) => {
    expect(lastOf(version, env)).toBe(command)
  })
})

describe('the files that .env names', () => {
  const LOGS_ALONE =
    `COMPOSE_FILE in .env names ${THEIRS}, so a command without -f would start Logflare again: ` +
    `name ${OURS} in its place`
  const CONFIG_ALONE =
    'CONFIG in .env names logs, so run.sh would start Logflare again: call sh run.sh config remove logs, ' +
    'and sh run.sh config add logweir'

  it.each<[string, Record<string, string>, string]>([
    ['COMPOSE_FILE', { COMPOSE_FILE: `${BASE}:${THEIRS}` }, LOGS_ALONE],
    ['COMPOSE_FILE with paths', { COMPOSE_FILE: `./${BASE}:./${THEIRS}` }, LOGS_ALONE],
    ['COMPOSE_FILE and its separator', { COMPOSE_PATH_SEPARATOR: ';', COMPOSE_FILE: `${BASE};${THEIRS}` }, LOGS_ALONE],
    ['CONFIG', { CONFIG: 'logs' }, CONFIG_ALONE],
    ['CONFIG with others', { CONFIG: '"pg17 logs"' }, CONFIG_ALONE],
  ])('may not be the overlay of logs alone: %s', (_, env, message) => {
    for (const version of ['2026-june', '2026-today'] as const) {
      const { status, wrong } = verdictOf(version, { env })
      expect([status, wrong]).toEqual([1, [message]])
    }
  })

  it.each([
    ['2026-june', { COMPOSE_FILE: BASE }, `COMPOSE_FILE in .env does not name ${OURS}`],
    ['2026-spring', { COMPOSE_FILE: BASE }, `COMPOSE_FILE in .env does not name ${OURS_OLDER}`],
    ['2026-june', { CONFIG: 'pg17' }, 'CONFIG in .env does not name logweir,'],
    ['2026-spring', { CONFIG: 'pg17' }, 'CONFIG in .env does not name logweir-older,'],
  ] as const)('are warned of without logweir: %s, %j', (version, env, message) => {
    const { status, wrong, warnings } = verdictOf(version, { env })
    expect([status, wrong, warnings]).toEqual([0, [], [expect.stringContaining(message)]])
  })

  it.each([
    ['2026-june', { COMPOSE_FILE: `${BASE}:${OURS}`, CONFIG: '"pg17 logweir"' }],
    ['2025-before-february', { COMPOSE_FILE: `${BASE}:${OURS_OLDER}` }],
    ['2026-spring', { CONFIG: '""' }],
  ] as const)('are right with logweir: %s, %j', (version, env) => {
    const { wrong, warnings } = verdictOf(version, { env })
    expect([wrong, warnings.filter((warning) => warning.includes('.env'))]).toEqual([[], []])
  })
})
