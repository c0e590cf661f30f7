import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ROOT, textOf } from '../../deploy/files.js'
import { BASE, ENV, OLDER_STACK, OURS, OURS_OLDER, STACK, THEIRS } from '../../deploy/supabase-stack.js'
import { freePort } from '../../support/free-port.js'
import { mulberry32 } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'
import { vectorEvents } from '../../support/supabase/vector-events.js'
import { analyticsOf } from '../support/analytics.js'
import { fakeDocker } from '../support/fake-docker.js'
import { imageAt } from '../support/image.js'
import { temporaryFolder, until } from '../support/program.js'
import { shipToSinks } from '../support/vector-sinks.js'

/** The shell blocks of the page, by the heading above each block, as far as this test runs the blocks. */
const BLOCKS = blocksOf(textOf('docs/supabase.md'))

function blocksOf(page: string): Record<string, string[]> {
  const sections = page.split(/^## /m).slice(1)
  return Object.fromEntries(
    sections.map((section) => [
      section.slice(0, section.indexOf('\n')),
      [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text!),
    ]),
  )
}

const SINKS = `sinks: { a: { uri: 'http://analytics:4000/api/logs?source_name=gotrue.logs.prod' } }\n`

/** Makes the folder of a stack, with a socket in place of Docker's. */
async function stackFolder(stack: Readonly<Record<string, string>>): Promise<string> {
  const folder = temporaryFolder()
  const socket = join(folder, 'docker.sock')
  const server = createServer().listen(socket)
  onTestFinished(() => void server.close())
  mkdirSync(join(folder, 'volumes/logs'), { recursive: true })
  const env = Object.entries({ ...ENV, DOCKER_SOCKET_LOCATION: socket }).map((pair) => pair.join('='))
  const files = { ...stack, '.env': env.join('\n'), 'volumes/logs/vector.yml': SINKS }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

/** Runs a block of the page in a folder. If a command fails, throws with the command's output. */
function run(block: string, cwd: string, path: string): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-euc', block], { cwd, encoding: 'utf8', env: { PATH: path } })
  if (status !== 0) throw new Error(`${block} ended with ${status}: ${stdout}${stderr}`)
  return stdout
}

/** Starts the service `analytics` that Compose makes of files in a folder. Returns the URL. */
async function started(folder: string, names: readonly string[], port: number): Promise<string> {
  const found = readdirSync(folder).filter((name) => name.endsWith('.yml'))
  const files = Object.fromEntries(found.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  const { environment, healthcheck } = analyticsOf(files, names)
  const image = imageAt({ app: ROOT, data: temporaryFolder(), port })
  const env = image.environment(environment)
  image.run(env)
  await until(async () => image.passes(healthcheck.test, env), Boolean)
  return `http://127.0.0.1:${port}`
}

describe('docs/supabase.md, followed word for word', () => {
  const [build, copy, check, start, script, older, see, ...others] = BLOCKS['Step by step']!

  it('has no other steps', () => expect(others).toEqual([]))

  it('takes the analytics of a stack over, and gives it back', async () => {
    const folder = await stackFolder(STACK)
    const port = await freePort()
    const { path, commands } = fakeDocker(port, ENV)
    run(build!, ROOT, path)
    run(copy!.replace('YOUR-FOLDER', folder), ROOT, path)
    expect(run(check!, folder, path)).toContain(`To start: ${start!.trim()}\n`)
    run(start!, folder, path)
    const url = await started(folder, [BASE, OURS], port)
    const events = vectorEvents(mulberry32(testSeed()), { count: 100, fromMs: Date.now() - 60_000, stepMs: 100 })
    await shipToSinks(url, events, { token: ENV.LOGFLARE_PUBLIC_ACCESS_TOKEN })
    const expected = events.filter(({ sink }) => sink === 'postgres.logs').length
    expect(run(see!, folder, path)).toContain(`logweir_rows{source="postgres_logs"} ${expected}\n`)
    for (const block of BLOCKS['The way back']!) run(block, folder, path)
    expect(commands()).toEqual([
      'build --tag logweir:0.1.0 .',
      `compose -f ${BASE} -f ${OURS} up -d`,
      `compose -f ${BASE} -f ${OURS} ps`,
      `compose -f ${BASE} -f ${THEIRS} up -d`,
      'volume rm supabase_logweir',
    ])
  })

  it('takes the analytics of an older stack over', async () => {
    const folder = await stackFolder(OLDER_STACK)
    const port = await freePort()
    const { path } = fakeDocker(port, ENV)
    run(build!, ROOT, path)
    run(copy!.replace('YOUR-FOLDER', folder), ROOT, path)
    expect(run(check!, folder, path)).toContain(`To start: ${older!.trim()}\n`)
    run(older!, folder, path)
    const url = await started(folder, [BASE, OURS_OLDER], port)
    expect((await fetch(`${url}/ready`)).status).toBe(200)
  })

  it("gives Supabase's script names of files that it finds", async () => {
    const folder = await stackFolder(STACK)
    const { path } = fakeDocker(0, ENV)
    run(copy!.replace('YOUR-FOLDER', folder), ROOT, path)
    // Adds only names of existing files, as Supabase's own script does.
    const text = 'case "$1 $2" in "config add") test -e "docker-compose.$3.yml" ;; esac\necho "$*" >>said\n'
    writeFileSync(join(folder, 'run.sh'), text)
    run(script!, folder, path)
    const said = readFileSync(join(folder, 'said'), 'utf8')
    expect(said).toBe('config remove logs\nconfig add logweir\nstart\n')
  })
})
