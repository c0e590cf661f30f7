import { execFileSync, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT, serve, temporaryFolder, until } from './support/program.js'

/** The specification's limit of an install, in milliseconds. */
const INSTALL_MS = 15_000
const PROJECT = 'abcdefghijklmnopqrst'
const RECORD = {
  source: 'edge_logs',
  project: PROJECT,
  message: 'GET | 200 | /rest',
  request: { url: 'https://a.example/rest/v1/todos', path: '/rest/v1/todos' },
}

const folder = mkdtempSync(join(tmpdir(), 'logweir-install-'))
let tarball = ''

beforeAll(() => {
  const flags = ['--json', '--ignore-scripts', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', ...flags], { cwd: ROOT, encoding: 'utf8' }))
  tarball = join(folder, filename)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/**
 * The folders of programs of the Nodes to install with: the one of the tests, and those in the variable
 * LOGWEIR_TEST_NODES, which .ci/run sets.
 */
const NODES = [dirname(process.execPath), ...(process.env.LOGWEIR_TEST_NODES?.split(':') ?? [])].map((bin) => {
  const versionOf = (program: string) =>
    execFileSync(join(bin, program), ['--version'], { encoding: 'utf8', env: { PATH: bin } }).trim()
  return { bin, title: `Node ${versionOf('node')} and npm ${versionOf('npm')}` }
})

/** Makes a folder of programs with Node, npm and env, and no compiler, no make, no Python and no shell. */
function pathWithoutCompiler(bin: string): string {
  const home = join(temporaryFolder(), 'bin')
  mkdirSync(home)
  for (const name of ['node', 'npm', 'npx']) symlinkSync(realpathSync(join(bin, name)), join(home, name))
  symlinkSync('/usr/bin/env', join(home, 'env'))
  return home
}

describe.each(NODES)('the package, with $title', ({ bin }) => {
  it.each([
    ['without a compiler', true],
    ['with a compiler', false],
  ])('is installed within 15 s %s, compiles nothing, and serves', async (_, isBare) => {
    const prefix = temporaryFolder()
    const PATH = isBare ? pathWithoutCompiler(bin) : `${bin}:${process.env.PATH}`
    const environment = { ...process.env, PATH, npm_config_prefix: prefix }
    const fromMs = performance.now()
    const { status, stderr } = spawnSync(join(bin, 'npm'), ['install', '--global', tarball], {
      encoding: 'utf8',
      env: environment,
    })
    expect([status, stderr]).toEqual([0, expect.not.stringMatching(/install-scripts|gyp/)])
    expect(performance.now() - fromMs).toBeLessThan(INSTALL_MS)
    expect(readdirSync(join(prefix, 'lib/node_modules'))).toEqual(['logweir'])
    const files = readdirSync(join(prefix, 'lib/node_modules/logweir'), { recursive: true, encoding: 'utf8' })
    expect(files.filter((file) => /\.(node|ts)$/.test(file) && !file.endsWith('.d.ts'))).toEqual([])
    expect(files.filter((file) => /(^|\/)(node_modules|src|test)(\/|$)/.test(file))).toEqual([])

    const dataDir = join(temporaryFolder(), 'data')
    const command = [join(prefix, 'bin/logweir')]
    const start = () =>
      serve(['--data-dir', dataDir, '--sql'], {
        command,
        environment: { PATH, LOGWEIR_IN_MEMORY: '' },
        stdin: 'ignore',
      })
    const query = `usage.api-counts?project=%2Frest%2Fv1&interval=daily`
    const service = await start()
    const body = JSON.stringify([RECORD])
    const headers = { 'Content-Type': 'application/json' }
    expect((await service.get('/api/logs', { method: 'POST', body, headers })).status).toBe(200)
    await until(
      () => service.rows(query),
      (rows) => rows.length === 1,
    )
    service.child.kill('SIGTERM')
    expect(await service.exit).toBe(0)
    const again = await start()
    expect(await again.rows(query)).toMatchObject([{ total_rest_requests: 1 }])
    expect(await (await again.get('/')).text()).toContain('<title>')
    again.child.kill('SIGTERM')
    expect(await again.exit).toBe(0)
  })
})

// The oldest Node with the npm of its time, and the newest Node with that of today.
describe.each([NODES[0]!, ...NODES.slice(1).slice(-1)])('the package, with $title,', ({ bin }) => {
  it('is run by npx from the tarball', () => {
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` }
    const cwd = temporaryFolder()
    copyFileSync(tarball, join(cwd, 'logweir-0.1.0.tgz'))
    const run = (...args: string[]) =>
      execFileSync(join(bin, 'npx'), ['--yes', './logweir-0.1.0.tgz', ...args], { cwd, env, encoding: 'utf8' })
    expect(run('--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(run('generate', '--rows', '3').split('\n').length).toBe(4)
  })

  it('is a dependency with types', () => {
    const cwd = temporaryFolder()
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` }
    writeFileSync(join(cwd, 'package.json'), '{"type":"module","private":true}')
    execFileSync(join(bin, 'npm'), ['install', tarball], { cwd, env })
    expect(readdirSync(join(cwd, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['logweir'])
    const example = (text: string) => {
      writeFileSync(join(cwd, 'own.ts'), text)
      const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', 'own.ts']
      return spawnSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...flags], {
        cwd,
        encoding: 'utf8',
      })
    }
    const right = `import { endpoint, scan, text } from 'logweir/endpoint'\nexport const all = [endpoint, scan, text]\n`
    expect(example(right)).toMatchObject({ stdout: '', status: 0 })
    expect(example(`${right}text(1)\n`).stdout).toMatch(/own\.ts\(3,6\): error/)
  })
})
