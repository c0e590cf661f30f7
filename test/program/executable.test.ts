import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { textOf } from '../deploy/files.js'
import { EXECUTABLE_MS, executable } from './support/executable.js'
import { moduleNamed } from './support/own-module.js'
import { run, serve, start, TOKEN, temporaryFolder, until } from './support/program.js'

const PROJECT = 'abcdefghijklmnopqrst'
/** A module with a top-level await, which Node cannot load with require. */
const moduleWith = (column: string) => moduleNamed('own.count', `await 0\nconst COLUMN = '${column}'`)

describe('the executable', () => {
  let command: readonly string[] = []
  beforeAll(async () => {
    command = [await executable()]
  }, EXECUTABLE_MS)

  it('tells its version and the Node inside', async () => {
    expect((await run(['--version'], { command })).stdout.toString()).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect((await run(['version'], { command })).stdout.toString()).toMatch(/^node +v26\.\S+ \(in the executable\)$/m)
  })

  it('shows the demo', async () => {
    const { code, stdout } = await run(['demo', '--once', '--rows', '20000', '--port', '0'], { command })
    expect(code).toBe(0)
    expect(stdout.toString().match(/^# \d+ rows/gm)).toHaveLength(3)
  })

  it('takes rows from a pipe, and has them after a restart, in query, tail, SQL and Arrow', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const options = { command, environment: { LOGWEIR_IN_MEMORY: '' } }
    const service = await serve(['--data-dir', dataDir], options)
    const generator = start(['generate', '--rows', '20000', '--span', '1h'], { command })
    generator.child.stdout!.pipe(service.child.stdin!, { end: false })
    await once(generator.child.stdout!, 'end')
    const own = { source: 'edge_logs', project: PROJECT, id: 'own', message: 'GET | /a', request: { path: '/a' } }
    service.child.stdin!.end(`${JSON.stringify(own)}\n`)
    await service.waitForStderr(/standard input ended: 20001 rows accepted, 0 rejected/)
    service.child.kill('SIGTERM')
    expect(await service.exit).toBe(0)

    const again = await serve(['--data-dir', dataDir, '--sql'], { ...options, stdin: 'ignore' })
    const client = { command, environment: { LOGWEIR_TOKEN: TOKEN, LOGWEIR_URL: again.url } }
    const queried = await run(['query', 'logs.all', '--project', PROJECT, '--project-tier', 'PRO'], client)
    expect(JSON.parse(queried.stdout.toString())).toMatchObject({ result: [{ id: 'own' }] })
    const tail = start(['tail', '--project', PROJECT], client)
    const [line] = await once(tail.child.stdout!, 'data')
    expect(line.toString()).toContain('GET | /a')
    const pattern = encodeURIComponent(
      "select count(*) as n from edge_logs where regexp_contains(event_message, r'^G.T')",
    )
    expect(await again.rows(`logs.all?project=${PROJECT}&sql=${pattern}`)).toEqual([{ n: 1 }])
    const arrow = await again.get(`/api/endpoints/query/logs.all?project=${PROJECT}&format=arrow`)
    expect([arrow.status, (await arrow.arrayBuffer()).byteLength > 100]).toEqual([200, true])
    expect(await (await again.get('/')).text()).toContain('<title>')
    again.child.kill('SIGTERM')
    expect(await again.exit).toBe(0)
  })

  it('loads modules of users, and loads them again when they change', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'own.js')
    writeFileSync(path, moduleWith('total'))
    const service = await serve(['--endpoints', folder], { command })
    service.child.stdin!.end(`{"source":"edge_logs","project":"a"}\n`)
    await service.waitForStderr(/standard input ended: 1 rows accepted/)
    expect(await service.rows('own.count?project=a')).toMatchObject([{ total: 1 }])
    writeFileSync(path, moduleWith('changed'))
    const rows = await until(
      () => service.rows('own.count?project=a'),
      ([row]) => 'changed' in row,
    )
    expect(rows).toMatchObject([{ changed: 1 }])
  })

  it.runIf(process.platform === 'linux')('needs of the system what docs/install.md says', () => {
    const libraries = execFileSync('ldd', [command[0]!], { encoding: 'utf8' })
      .match(/^\t\S+/gm)!
      .map((name) => name.trim())
    const ofGlibc = /^(linux-vdso|libdl|libm|libpthread|libc|libgcc_s|\/lib64\/ld-linux)/
    expect(libraries.filter((name) => !ofGlibc.test(name)).sort()).toEqual(['libatomic.so.1', 'libstdc++.so.6'])
    expect(textOf('docs/install.md')).toContain('`libstdc++6` and `libatomic1`')
  })
})
