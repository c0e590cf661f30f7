import { spawnSync } from 'node:child_process'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../tokens/folder.js'
import { type Case, check, linesOf, SCRIPT, socket, VECTOR, VECTOR_YML } from './supabase-folder.js'
import { BASE, ENV, OLDER_STACK, OURS, OURS_OLDER, THEIRS, WAITING } from './supabase-stack.js'

describe('deploy/supabase/check.sh', () => {
  it('says of a new stack what would change, and that nothing is wrong', () => {
    const checked = check()
    expect([checked.status, linesOf(checked, 'wrong'), linesOf(checked, 'warning'), checked.stderr]).toEqual([
      0,
      [],
      [],
      '',
    ])
    expect(linesOf(checked, 'fine')).toEqual([
      `${OURS} is the file for this stack`,
      'LOGFLARE_PUBLIC_ACCESS_TOKEN is set',
      'LOGFLARE_PRIVATE_ACCESS_TOKEN is set',
      `${VECTOR} has 2 sinks for analytics`,
      'the image logweir:0.1.0 is here',
      'Docker Compose is 2.40.3',
    ])
    expect(linesOf(checked, 'change')).toEqual([
      'analytics runs logweir:0.1.0 instead of supabase/logflare:1.43.1',
      'its rows are in the volume logweir, no longer in the schema _analytics of PostgreSQL, which stays as it is',
      'it may take 512m of memory, and does not wait for the database',
    ])
    expect(checked.lines.at(-1)).toBe(
      `Nothing is wrong, and nothing was changed. To start: docker compose -f ${BASE} -f ${OURS} up -d`,
    )
  })

  it('says of an older stack which services wait, and that its port is closed', () => {
    const checked = check({
      stack: OLDER_STACK,
      env: { LOGWEIR_IMAGE: 'here/logweir:9', LOGWEIR_CONTAINER_MEMORY: '1g' },
      docker: { images: ['here/logweir:9'] },
    })
    expect([checked.status, linesOf(checked, 'wrong')]).toEqual([0, []])
    expect(linesOf(checked, 'fine')).toContain(`${OURS_OLDER} is the file for this stack`)
    expect(linesOf(checked, 'change')).toEqual([
      'analytics runs here/logweir:9 instead of supabase/logflare:1.43.1',
      expect.stringContaining('the volume logweir'),
      'it may take 1g of memory, and does not wait for the database',
      'port 4000 is no longer published, which docker-compose.yml does',
      `these wait for logweir instead: ${[...WAITING].sort().join(' ')}`,
    ])
  })

  it('finds services that wait in any form of YAML', () => {
    const inline = OLDER_STACK[BASE]!.replace(
      /depends_on:\s+analytics:\s+condition: \w+/,
      'depends_on: [db, analytics]',
    )
    expect(inline).not.toBe(OLDER_STACK[BASE])
    const checked = check({ stack: { [BASE]: inline } })
    expect(linesOf(checked, 'change').at(-1)).toBe(`these wait for logweir instead: ${[...WAITING].sort().join(' ')}`)
  })

  const PLACEHOLDER = 'your-super-secret-and-long-logflare-key'
  const OTHER = 'choose another, for example from: openssl rand -hex 32'
  it.each<[string, Case, string]>([
    [
      'a placeholder',
      { env: { LOGFLARE_PUBLIC_ACCESS_TOKEN: `${PLACEHOLDER}-public` } },
      `LOGFLARE_PUBLIC_ACCESS_TOKEN has a value that Supabase publishes: ${OTHER}`,
    ],
    [
      'an older placeholder',
      { env: { LOGFLARE_PRIVATE_ACCESS_TOKEN: `"${PLACEHOLDER}"` } },
      `LOGFLARE_PRIVATE_ACCESS_TOKEN has a value that Supabase publishes: ${OTHER}`,
    ],
    [
      'a missing token',
      { env: { LOGFLARE_PRIVATE_ACCESS_TOKEN: null } },
      'LOGFLARE_PRIVATE_ACCESS_TOKEN is not set in .env: add it, for example from: openssl rand -hex 32',
    ],
    [
      'a token that is commented out',
      { env: { LOGFLARE_PRIVATE_ACCESS_TOKEN: null, '#LOGFLARE_PRIVATE_ACCESS_TOKEN': 'a' } },
      'LOGFLARE_PRIVATE_ACCESS_TOKEN is not set in .env: add it, for example from: openssl rand -hex 32',
    ],
    [
      'an empty token',
      { env: { LOGFLARE_PUBLIC_ACCESS_TOKEN: "''" } },
      'LOGFLARE_PUBLIC_ACCESS_TOKEN is not set in .env: add it, for example from: openssl rand -hex 32',
    ],
    [
      'a token of a very old stack',
      { env: { LOGFLARE_PUBLIC_ACCESS_TOKEN: null, LOGFLARE_API_KEY: 'k' } },
      'LOGFLARE_PUBLIC_ACCESS_TOKEN is not set in .env: add it, with the value of LOGFLARE_API_KEY',
    ],
    [
      'white space in a token',
      { env: { LOGFLARE_PUBLIC_ACCESS_TOKEN: '"0123456789 0123456789"' } },
      `LOGFLARE_PUBLIC_ACCESS_TOKEN has white space in it: ${OTHER}`,
    ],
    [
      'no socket',
      { env: { DOCKER_SOCKET_LOCATION: null } },
      'DOCKER_SOCKET_LOCATION is not set in .env: set it to the socket of Docker, as /var/run/docker.sock',
    ],
    [
      'a wrong socket',
      { env: { DOCKER_SOCKET_LOCATION: '/none.sock' } },
      'DOCKER_SOCKET_LOCATION is /none.sock in .env, which is no socket',
    ],
    [
      'no configuration of Vector',
      { files: { [VECTOR]: null } },
      `there is no ${VECTOR}: copy it from Supabase's repository, folder docker`,
    ],
    [
      'a Vector that sends elsewhere',
      { files: { [VECTOR]: 'sinks: {}\n' } },
      `${VECTOR} has no sink at http://analytics:4000: copy it from Supabase's repository, folder docker`,
    ],
    [
      'no overlay',
      { files: { [OURS]: null } },
      `there is no ${OURS}: copy it from deploy/supabase of logweir to this folder`,
    ],
    [
      'no analytics',
      { files: { [THEIRS]: null } },
      "neither docker-compose.yml nor docker-compose.logs.yml has a service analytics: update Supabase's files",
    ],
    [
      'no image',
      { docker: { images: ['logweir:0.0.9'] } },
      'the image logweir:0.1.0 is not here: pull it, or call in a clone of logweir: docker build --tag logweir:0.1.0 .',
    ],
    ['an old Compose', { docker: { compose: 'v2.24.3' } }, `Docker Compose is 2.24.3, and ${OURS} needs 2.24.4`],
    [
      'both overlays in COMPOSE_FILE',
      { env: { COMPOSE_FILE: `${BASE}:${THEIRS}:${OURS}` } },
      `COMPOSE_FILE in .env names ${THEIRS} and ${OURS}: remove the first`,
    ],
    [
      'both overlays in CONFIG',
      { env: { CONFIG: '"pg17 logs logweir"' } },
      'CONFIG in .env names logs and logweir: call sh run.sh config remove logs',
    ],
    ['no Compose', { docker: { compose: '' } }, `Docker Compose is missing, and ${OURS} needs 2.24.4`],
  ])('finds %s', (_, faulty, message) => {
    const checked = check(faulty)
    expect([checked.status, linesOf(checked, 'wrong'), checked.stderr]).toEqual([1, [message], ''])
    expect(checked.lines.at(-1)).toBe('1 wrong. Nothing was changed.')
  })

  it.each<[string, Case, string]>([
    [
      'equal tokens',
      { env: { LOGFLARE_PRIVATE_ACCESS_TOKEN: `'${ENV.LOGFLARE_PUBLIC_ACCESS_TOKEN}' # the same` } },
      'both tokens are equal: Vector could read logs with its own',
    ],
    [
      'a short token',
      { env: { LOGFLARE_PUBLIC_ACCESS_TOKEN: 'abc' } },
      `LOGFLARE_PUBLIC_ACCESS_TOKEN has fewer than 16 characters: ${OTHER}`,
    ],
    [
      'a token that Compose may change',
      { env: { LOGFLARE_PUBLIC_ACCESS_TOKEN: '0123456789$abcdefgh' } },
      `LOGFLARE_PUBLIC_ACCESS_TOKEN has a $ in it, which Compose may replace: ${OTHER}`,
    ],
    [
      'the token in URLs',
      { files: { [VECTOR]: VECTOR_YML.replace('postgres.logs', 'postgres.logs&api_key=x') } },
      `${VECTOR} has the token in URLs (api_key=): logweir accepts that, Supabase's newer file has a header`,
    ],
    [
      'a route of Kong',
      { files: { 'volumes/api/kong.yml': '    url: http://analytics:4000/\n' } },
      'volumes/api/kong.yml has a route to analytics: whoever reaches Kong can try tokens; remove it',
    ],
    [
      'no Docker',
      { docker: { images: null } },
      `Docker does not answer, so the image is not checked: does it run, and may ${userInfo().username} use it?`,
    ],
  ])('warns of %s', (_, odd, message) => {
    const checked = check(odd)
    expect([checked.status, linesOf(checked, 'wrong'), linesOf(checked, 'warning')]).toEqual([0, [], [message]])
  })

  it('reads .env as Compose does', () => {
    const text = [
      'LOGFLARE_PUBLIC_ACCESS_TOKEN=your-super-secret-and-long-logflare-key-public',
      '  export LOGFLARE_PUBLIC_ACCESS_TOKEN = "0123456789abcdef0" # the last one counts',
      "LOGFLARE_PRIVATE_ACCESS_TOKEN='0123456789abcdef1'\r",
      `DOCKER_SOCKET_LOCATION=${socket}   # a comment`,
      'MY_LOGFLARE_PRIVATE_ACCESS_TOKEN=no',
      'RUN=$(touch harmful)`touch harmful`',
    ].join('\n')
    const checked = check({ files: { '.env': text } })
    expect([checked.status, linesOf(checked, 'warning')]).toEqual([0, []])
  })

  it('refuses a folder that is none of Supabase, a folder that is missing, and more than one', () => {
    const run = (...args: string[]) => spawnSync('sh', [SCRIPT, ...args], { encoding: 'utf8' })
    const folder = temporaryFolder()
    expect([run(folder).status, run(folder).stderr]).toEqual([
      2,
      `${folder} has no docker-compose.yml: call this in the folder docker of Supabase\n`,
    ])
    expect(run(join(folder, 'none')).status).toBe(2)
    expect([run('a', 'b').status, run('--help').stderr]).toEqual([2, 'usage: sh check.sh [FOLDER]\n'])
  })
})
