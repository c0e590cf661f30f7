import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { projectRef, TOP_RANK } from '../../src/generate/values/projects.js'
import { allOf, oneOf, type Step, textOf } from '../deploy/files.js'
import { freePort } from '../support/free-port.js'
import { BUILD_STAGE, bare, imageAt, RUN_STAGE } from './support/image.js'
import {
  ROOT,
  type Served,
  serve,
  served,
  start,
  TOKEN,
  temporaryFolder,
  until,
  withoutRuntime,
} from './support/program.js'

const BUILD_MS = 180_000

/**
 * Commands of the build stage that are skipped, since a command takes minutes or would change the packages of the
 * tests.
 */
const NOT_RUN = [
  'npm install --global --allow-scripts=re2 re2@VERSION',
  'cd /usr/local/lib/node_modules/re2',
  'rm -rf vendor node_modules build/Release/obj.target',
  'npm ci --ignore-scripts',
] as const

const { peerDependencies } = JSON.parse(textOf('package.json'))

function shell(command: string, cwd: string): SpawnSyncReturns<string> {
  return spawnSync('sh', ['-euc', command], { cwd, encoding: 'utf8', env: bare({ HOME: cwd }) })
}

/** The paths that .dockerignore includes. */
function buildContext(): string[] {
  const [first, ...names] = textOf('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  expect([first, names.filter((name) => !name.startsWith('!'))]).toEqual(['*', []])
  return names.map((name) => name.slice(1))
}

/** Runs the build stage without Docker. Returns the folder of the stage's /app. */
function build(stage: readonly Step[]): string {
  const app = temporaryFolder()
  expect(allOf(stage, 'COPY')).toEqual(['package.json package-lock.json .npmrc ./', '. .'])
  for (const name of buildContext()) cpSync(join(ROOT, name), join(app, name), { recursive: true })
  symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(app, 'node_modules'))
  const commands = allOf(stage, 'RUN').flatMap((line) => line.split(' && '))
  const skipped = NOT_RUN.map((command) => command.replace('VERSION', peerDependencies.re2))
  expect(commands.slice(0, skipped.length)).toEqual(skipped)
  for (const command of commands.slice(skipped.length)) {
    const { status, stderr } = shell(command, app)
    expect([command, status, status === 0 ? '' : stderr]).toEqual([command, 0, ''])
  }
  return app
}

/** Moves the files that the last stage copies, without the native part. Returns the folder of the stage's /app. */
function copied(stage: readonly Step[], built: string): string {
  const app = temporaryFolder()
  expect(allOf(stage, 'COPY')).toEqual([
    '--from=build /app/package ./',
    '--from=build /usr/local/lib/node_modules/re2 ./node_modules/re2',
  ])
  for (const name of readdirSync(join(built, 'package'))) renameSync(join(built, 'package', name), join(app, name))
  return app
}

describe('the Dockerfile', () => {
  it(
    'builds a program that runs, tells that it is ready, and stops',
    async () => {
      const app = copied(RUN_STAGE!, build(BUILD_STAGE!))
      expect(readdirSync(app).sort()).toEqual(['LICENSE', 'dist', 'package.json'])

      const data = join(temporaryFolder(), 'data')
      const [, makeData] = allOf(RUN_STAGE!, 'RUN')
      expect(makeData).toBe('install -d -o 1000 -g 1000 -m 700 /data')
      shell(makeData!.replace('-o 1000 -g 1000 ', '').replace('/data', data), app)

      const image = imageAt({ app, data, port: await freePort() })
      const env = image.environment()
      const [, check] = /CMD (\[.*\])$/.exec(oneOf(RUN_STAGE!, 'HEALTHCHECK'))!
      const isHealthy = (more = {}) => image.passes(['CMD', ...JSON.parse(check!)], { ...env, ...more })
      expect(isHealthy()).toBe(false)

      const child = image.run(env)
      const said = child.stderr!.setEncoding('utf8').toArray()
      await until(async () => isHealthy(), Boolean)
      // The health check reads variables as serve does: empty variables and the variables of Kubernetes are ignored.
      const file = join(temporaryFolder(), 'logweir.toml')
      writeFileSync(file, `port = ${env.LOGWEIR_PORT}\n`, { mode: 0o600 })
      for (const text of ['', 'tcp://10.96.12.7:4000']) {
        expect(isHealthy({ LOGWEIR_CONFIG: file, LOGWEIR_PORT: text })).toBe(true)
      }
      const token = readFileSync(join(data, 'token'), 'utf8').trim()
      const metrics = `http://127.0.0.1:${env.LOGWEIR_PORT}/metrics`
      expect((await fetch(metrics, { headers: { 'X-API-KEY': token } })).status).toBe(200)
      child.kill('SIGTERM')
      expect((await once(child, 'exit'))[0]).toBe(0)
      const lines = withoutRuntime((await said).join(''))
        .trimEnd()
        .split('\n')
      expect(lines.map((line) => JSON.parse(line).code)).toEqual(['token_made', 'listening', 'stopping'])
    },
    BUILD_MS,
  )
})

/** Sends records as the sink of deploy/vector.yaml does. */
function ship(service: Served, records: unknown[]): Promise<Response> {
  const { uri, method, encoding, compression, auth } = parse(textOf('deploy/vector.yaml')).sinks.logweir
  expect([encoding, compression, auth.strategy]).toEqual([{ codec: 'json' }, 'gzip', 'bearer'])
  return fetch(service.url + new URL(uri).pathname, {
    method,
    headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
    body: gzipSync(JSON.stringify(records)),
  })
}

/** Runs deploy/token.sh as a container of compose.yaml does, with this value of LOGWEIR_TOKEN. */
function writeToken(folder: string, given?: string): { token: string; output: string } {
  const { entrypoint, command } = parse(textOf('compose.yaml')).services.token
  expect([entrypoint, command]).toEqual([
    ['sh', '/token.sh'],
    ['/run/secrets/logweir_token', '1000:1000'],
  ])
  const file = join(folder, 'logweir_token')
  const { uid, gid } = statSync(folder)
  const { status, stdout } = spawnSync('sh', [join(ROOT, 'deploy/token.sh'), file, `${uid}:${gid}`], {
    encoding: 'utf8',
    env: bare(given === undefined ? {} : { LOGWEIR_TOKEN: given }),
  })
  expect([status, statSync(file).mode & 0o777, readdirSync(folder)]).toEqual([0, 0o600, ['logweir_token']])
  return { token: readFileSync(file, 'utf8').trim(), output: stdout }
}

describe('deploy/token.sh', () => {
  it('makes a token once if none is given, absent or empty, and prints it then', () => {
    const folder = temporaryFolder()
    const made = writeToken(folder, '')
    expect(made.token).toMatch(/^[\w-]{32}$/)
    expect(made.output).toContain(`token is ${made.token}\n`)
    const kept = writeToken(folder)
    expect(kept.token).toBe(made.token)
    expect(kept.output).not.toContain(made.token)
    expect(writeToken(temporaryFolder()).token).not.toBe(made.token)
  })

  it('writes the token that is given, without printing it, and the service accepts it', async () => {
    const folder = temporaryFolder()
    const made = writeToken(folder)
    const given = writeToken(folder, 'choose-one')
    expect(given.token).toBe('choose-one')
    expect(given.output).not.toContain('choose-one')
    const environment = { LOGWEIR_TOKENS_FILE: join(folder, 'logweir_token') }
    const service = await served(start(['serve', '--port', '0'], { environment }), 'choose-one')
    const status = async (token: string) =>
      (await fetch(`${service.url}/api/endpoints`, { headers: { 'X-API-KEY': token } })).status
    expect([await status('choose-one'), await status(made.token)]).toEqual([200, 401])
  })
})

it('what the generator of compose.yaml writes and Vector ships is taken, and is there to be asked for', async () => {
  const { entrypoint, command } = parse(textOf('compose.yaml')).services.generator
  const folder = join(temporaryFolder(), 'records')
  mkdirSync(folder)
  const places: Record<string, string> = {
    '/generate.sh': join(ROOT, 'deploy/generate.sh'),
    '/app/dist/cli.js': join(ROOT, 'dist/cli.js'),
    '/records': folder,
    50000: '500',
    10: '1',
  }
  const [program, ...args] = [...entrypoint, ...command].map((word: string) => places[word] ?? word)
  expect(Object.keys(places).filter((word) => ![...entrypoint, ...command].includes(word))).toEqual([])
  const generator = spawn(program, args, { stdio: 'ignore', env: bare({}) })
  onTestFinished(() => void generator.kill())
  const written = () => readdirSync(folder).filter((name) => name.endsWith('.ndjson'))
  await until(
    async () => written().length,
    (files) => files >= 2,
    30_000,
  )
  generator.kill()
  const texts = written().map((name) => readFileSync(join(folder, name), 'utf8'))
  const records = texts.flatMap((text) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  )
  expect(records.length).toBeGreaterThanOrEqual(600)

  const service = await serve([], { stdin: 'ignore' })
  const answer = await ship(service, records)
  expect([answer.status, await answer.json()]).toEqual([200, { message: 'Logged!' }])
  expect(await service.rows(`logs.all?project=${projectRef(1, TOP_RANK)}&project_tier=PRO`)).not.toEqual([])
})

it('deploy/logweir.service starts the program, and its settings are taken', async () => {
  const unit = textOf('deploy/logweir.service')
  const [, command] = /^ExecStart=\/usr\/bin\/node \/opt\/logweir\/dist\/cli\.js (.*)$/m.exec(unit)!
  const state = temporaryFolder()
  const settings = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value]) => [
    name!,
    value!.replace('%S', state),
  ])
  const environment = { LOGWEIR_IN_MEMORY: '0', LOGWEIR_PORT: '0', ...Object.fromEntries(settings) }
  const program = start(command!.split(' '), { environment })
  await program.waitForStderr(/listening on/)
  expect(readdirSync(state)).toEqual(['logweir'])
  program.child.kill('SIGTERM')
  expect(await program.exit).toBe(0)
})

it('the variables of deploy/kubernetes are taken, and the token of its Secret', async () => {
  const [{ env }] = parse(textOf('deploy/kubernetes/stateful-set.yaml')).spec.template.spec.containers
  const variables: Record<string, string> = Object.fromEntries(
    // The command in docs/operations.md writes a line end after the token.
    env.map(({ name, value }: { name: string; value?: string }) => [name, value ?? 'choose-one\n']),
  )
  const state = temporaryFolder()
  const environment = { ...variables, LOGWEIR_IN_MEMORY: '0', LOGWEIR_DATA_DIR: join(state, 'data') }
  const program = start(['serve', '--port', '0'], { environment })
  const service = await served(program, 'choose-one')
  const status = async (path: string, token: string) =>
    (await fetch(service.url + path, { headers: { 'X-API-KEY': token } })).status
  expect([await status('/api/endpoints', 'choose-one'), await status('/api/endpoints', 'another')]).toEqual([200, 401])
  expect([await status('/health', ''), await status('/ready', '')]).toEqual([200, 200])
  expect(readdirSync(state)).toEqual(['data'])
  expect(existsSync(join(state, 'data/token'))).toBe(false)
  program.child.kill('SIGTERM')
  expect(await program.exit).toBe(0)
})
