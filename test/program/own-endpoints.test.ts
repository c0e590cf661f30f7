import { spawnSync } from 'node:child_process'
import { cpSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { moduleNamed } from './support/own-module.js'
import { launch, ROOT, run, type Served, serve, temporaryFolder, until } from './support/program.js'

const withColumn = (column: string) => `const COLUMN = '${column}'`

/** A query of the rows of a project, from a time on, with a path that begins with a text. */
const SQL_FILE = `-- param project: text, required
-- param path: text
-- param least: number, otherwise 0
select id, request.path
from edge_logs
where (@path is null or starts_with(request.path, @path)) and timestamp >= timestamp_seconds(cast(@least as int64))
`

function folderWith(files: Record<string, string>) {
  const folder = temporaryFolder()
  function write(name: string, text: string): void {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  return { folder, write }
}

/** Starts a service with a request of each of two projects. */
async function serveOwn(folder: string): Promise<Served> {
  const service = await serve(['--endpoints', folder])
  const lines = ['a', 'b'].map((project) => {
    const metadata = { request: { url: `https://${project}.example/cart`, path: '/rest/v1' } }
    return JSON.stringify({ source: 'edge_logs', id: project, project, metadata, timestamp: Date.now() / 1000 })
  })
  service.child.stdin!.end(`${lines.join('\n')}\n`)
  await service.waitForStderr(/standard input ended: 2 rows accepted, 0 rejected/)
  return service
}

/** Returns the columns of an endpoint's first row except the time. */
const columnsOf = async (service: Served, name: string) =>
  Object.keys((await service.rows(`${name}?project=a`))?.[0] ?? {}).slice(1)

describe('serve --endpoints', () => {
  it('serves files and modules beside the stored queries, in every format, with parameters and cache', async () => {
    const { folder } = folderWith({})
    cpSync(join(ROOT, 'examples/endpoints'), folder, { recursive: true })
    const service = await serveOwn(folder)
    const names = ['edge.error-rate-by-path', 'functions.slowest', 'postgres.errors', 'messages.search']
    expect(service.stderrText()).toContain(`user endpoints of ${folder}: ${names.join(', ')}\n`)
    const { result } = (await (await service.get('/api/endpoints')).json()) as {
      result: { id: string; name: string }[]
    }
    expect(result.map(({ name }) => name)).toEqual([...ENDPOINTS.map(({ name }) => name), ...names])
    const path = '/api/endpoints/query/edge.error-rate-by-path?project=b'
    const row = { path: '/rest/v1', requests: 1, error_rate: 0 }
    expect(await service.rows('edge.error-rate-by-path?project=b')).toEqual([row])
    expect(await (await service.get(path, { headers: { Accept: 'text/csv' } })).text()).toBe(
      'path,requests,error_rate\r\n/rest/v1,1,0\r\n',
    )
    const refused = await service.get(path.replace('=b', '='))
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'missing_parameter' }])
    const slowest = `/api/endpoints/query/${result.find(({ name }) => name === 'functions.slowest')!.id}?project=a`
    await service.get(slowest)
    expect((await service.get(slowest)).headers.get('cache-status')).toMatch(/^logweir; hit; ttl=\d+$/)
    const args = ['query', 'edge.error-rate-by-path', '--project', 'b', '--window', '7day', '--url', service.url]
    const asked = await run(args, { environment: { LOGWEIR_TOKEN: 'test-token' } })
    expect([asked.code, JSON.parse(asked.stdout.toString())]).toEqual([0, { result: [row] }])
    const completed = await run(['completion', 'endpoints', 'logweir query '], {
      environment: { LOGWEIR_TOKEN: 'test-token', LOGWEIR_URL: service.url },
    })
    expect({ ...completed, stdout: completed.stdout.toString() }).toEqual({
      code: 0,
      stdout: names.map((name) => `${name}\n`).join(''),
      stderr: '',
    })
  })

  it('takes up changes of modules and of their helpers, and keeps the old one where a change is broken', async () => {
    const { folder, write } = folderWith({
      'a.js': moduleNamed('own.a', "import { COLUMN } from './_column.js'"),
      '_column.js': 'export const COLUMN = "first"',
    })
    const service = await serveOwn(folder)
    const becomes = (name: string, columns: readonly string[]) =>
      until(
        () => columnsOf(service, name),
        (found) => JSON.stringify(found) === JSON.stringify(columns),
      )
    await becomes('own.a', ['first'])
    write('_column.js', 'export const COLUMN = "second"')
    await becomes('own.a', ['second'])
    write('b.mjs', moduleNamed('own.b', withColumn('n'), '2'))
    await becomes('own.b', ['n'])

    write('a.js', 'export default {{')
    const [said] = await service.waitForStderr(/user endpoints: a\.js cannot be used.*\n/)
    expect(said).toBe(
      `user endpoints: a.js cannot be used; its previous version stays: own.a. ${join(folder, 'a.js')}: ` +
        "SyntaxError: Unexpected token '{' (line 1)\n",
    )
    await becomes('own.a', ['second'])
    write('a.js', moduleNamed('own.a', withColumn('third')))
    await becomes('own.a', ['third'])
    rmSync(join(folder, 'b.mjs'))
    await service.waitForStderr(/user endpoints: b\.mjs was deleted; removed: own\.b\n/)
    await until(
      () => service.get('/api/endpoints/query/own.b?project=a'),
      ({ status }) => status === 404,
    )
    expect((await service.get('/health')).status).toBe(200)
  })

  it('serves a .sql file, takes up its changes, and keeps the old one where a change is broken', async () => {
    const { folder, write } = folderWith({ 'own.sql': SQL_FILE })
    const service = await serveOwn(folder)
    const rows = (more = '') => service.rows(`own?project=a${more}`)
    expect(await rows()).toEqual([{ id: 'a', path: '/rest/v1' }])
    expect(await rows('&path=/auth')).toEqual([])
    write('own.sql', SQL_FILE.replace('request.path', "'new' as path"))
    await until(rows, ([row]) => row?.path === 'new')
    write('own.sql', SQL_FILE.replace('edge_logs', 'edge_log'))
    const [said] = await service.waitForStderr(/user endpoints: own\.sql cannot be used.*\n/)
    expect(said).toMatch(/; its previous version stays: own\. .*own\.sql: .*edge_log.* \(line 5, column 6\)\n$/)
    expect(await rows()).toEqual([{ id: 'a', path: 'new' }])
    const refused = await service.get('/api/endpoints/query/own?project=a&least=many')
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'invalid_parameter' }])
    rmSync(join(folder, 'own.sql'))
    await until(
      () => service.get('/api/endpoints/query/own?project=a'),
      ({ status }) => status === 404,
    )
  })

  it('answers 500 if a plan throws, and lives on; 400 with what a parameter of its own says', async () => {
    const read = "if (text !== 'a') throw invalidParameter('The project is a. Say so.')\nreturn text"
    const { folder } = folderWith({
      'a.js': moduleNamed('own.a', withColumn('n')).replace('scan(', "(project === 'bad' && missing()) || scan("),
      'b.js': moduleNamed(
        'own.b',
        `${withColumn('n')}\nimport { invalidParameter } from 'logweir/endpoint'`,
        '2',
      ).replace("text('the project')", `{ required: true, description: 'a', read(text) { ${read} } }`),
    })
    const service = await serveOwn(folder)
    const failed = await service.get('/api/endpoints/query/own.a?project=bad')
    expect([failed.status, await failed.json()]).toMatchObject([500, { code: 'internal' }])
    await service.waitForStderr(/internal error: Error: endpoint own\.a: ReferenceError: missing is not defined\n/)
    expect(await service.rows('own.a?project=a')).toMatchObject([{ n: 1 }])
    expect(await columnsOf(service, 'own.b')).toEqual(['n'])
    const refused = await service.get('/api/endpoints/query/own.b?project=b')
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: 'The project is a. Say so.', code: 'invalid_parameter' },
    ])
  })

  it.each([
    ['cannot be read', 'const x = 1\nexport default endpoint({,})', "SyntaxError: Unexpected token ',' (line 2)"],
    ['throws', '\nthrow new Error("boo")', 'Error: boo (a.js, line 2)'],
    [
      'asks for a builder that there is not',
      "import { nope } from 'logweir/endpoint'",
      "SyntaxError: The requested module 'logweir/endpoint' does not provide an export named 'nope' (a.js, line 1)",
    ],
    [
      'has a plan that no engine runs',
      moduleNamed('own.a', withColumn('n')).replace("'project', project", "'method', project"),
      'Error: endpoint own.a: TypeError: There is no column method, but id, ',
    ],
  ])('does not start, and says why in one line, where a module %s', async (_, text, fault) => {
    const { folder } = folderWith({ 'a.js': text })
    const program = launch(['--endpoints', folder], { stdin: 'ignore' })
    expect(await program.exit).toBe(2)
    expect(program.stderrText()).toContain(`${join(folder, 'a.js')}: ${fault}`)
    expect(program.stderrText().trim().split('\n').length).toBe(1)
  })
})

const LINKS = 'takes up releases behind a link, helpers next to the target of a link, and links that dangle for a while'

describe('serve --endpoints with links', () => {
  /** Replaces the file at a path by a link, as `ln -s` and `mv -T` do. */
  function link(target: string, path: string): void {
    symlinkSync(target, `${path}.new`)
    renameSync(`${path}.new`, path)
  }

  /** Waits until a deployment is loaded: two checks of the directory, and time for a busy machine. */
  const becomes = (service: Served, name: string, column: string) =>
    until(
      () => columnsOf(service, name),
      (found) => found[0] === column,
      5_000,
    )

  it('takes up each version of a ConfigMap of Kubernetes, whose old version is removed', async () => {
    const { folder, write } = folderWith({})
    /**
     * Writes a version as the kubelet does: files in a new directory, `..data` linked to the directory, the old
     * directory removed.
     */
    function publish(version: number, files: Record<string, string>): void {
      for (const [name, text] of Object.entries(files)) write(`..${version}/${name}`, text)
      link(`..${version}`, join(folder, '..data'))
      rmSync(join(folder, `..${version - 1}`), { recursive: true, force: true })
    }
    const files = {
      'a.mjs': moduleNamed('own.a', "import { COLUMN } from './_column.mjs'"),
      'b.mjs': moduleNamed('own.b', "import names from './_names.cjs'\nconst COLUMN = names.column", '2'),
    }
    const helpers = (column: string) => ({
      '_column.mjs': `export const COLUMN = '${column}'`,
      '_names.cjs': `module.exports = { column: '${column}' }`,
    })
    publish(1, { ...files, ...helpers('n1') })
    for (const name of [...Object.keys(files), ...Object.keys(helpers(''))]) link(`..data/${name}`, join(folder, name))
    const service = await serveOwn(folder)
    await becomes(service, 'own.a', 'n1')
    for (const version of [2, 3]) {
      publish(version, { ...files, ...helpers(`n${version}`) })
      await becomes(service, 'own.a', `n${version}`)
      await becomes(service, 'own.b', `n${version}`)
    }
    expect(service.stderrText()).not.toContain('cannot be used')
  })

  it(LINKS, async () => {
    const { folder, write } = folderWith({
      'releases/1/a.mjs': moduleNamed('own.a', "import { COLUMN } from './lib/column.mjs'"),
      'releases/1/lib/column.mjs': withColumn('a1').replace('const', 'export const'),
      'releases/2/lib/column.mjs': withColumn('a2').replace('const', 'export const'),
      'shared/b.mjs': moduleNamed('own.b', "import { COLUMN } from './_column.mjs'", '2'),
      'shared/_column.mjs': withColumn('b1').replace('const', 'export const'),
    })
    // As `rsync --link-dest` does: an unchanged file is the same file in both releases.
    linkSync(join(folder, 'releases/1/a.mjs'), join(folder, 'releases/2/a.mjs'))
    for (const release of ['1', '2']) link('../../shared/b.mjs', join(folder, 'releases', release, 'b.mjs'))
    link('releases/1', join(folder, 'current'))
    const service = await serveOwn(join(folder, 'current'))
    await becomes(service, 'own.a', 'a1')
    link('releases/2', join(folder, 'current'))
    await becomes(service, 'own.a', 'a2')

    write('shared/_column.mjs', withColumn('b2').replace('const', 'export const'))
    await becomes(service, 'own.b', 'b2')

    link('../../shared/none.mjs', join(folder, 'releases/2/b.mjs'))
    await service.waitForStderr(/user endpoints: b\.mjs cannot be used; its previous version stays: own\.b\. .*\n/)
    expect(await columnsOf(service, 'own.b')).toEqual(['b2'])
    write('shared/none.mjs', moduleNamed('own.b', withColumn('b3'), '2'))
    await becomes(service, 'own.b', 'b3')
  })
})

describe('logweir/endpoint', () => {
  const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

  /**
   * Compiles files with the strictest TypeScript in a folder where only logweir is installed. Returns the compiler's
   * messages.
   */
  function compile(files: Record<string, string>) {
    const { folder, write } = folderWith(files)
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(ROOT, join(folder, 'node_modules/logweir'))
    for (const path of ['examples/endpoints', 'test/user-endpoints/first-examples']) {
      cpSync(join(ROOT, path), join(folder, 'examples', basename(path)), { recursive: true })
    }
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      types: [],
      lib: ['es2022'],
      target: 'es2022',
      module: 'nodenext',
      allowJs: true,
      checkJs: true,
      noEmit: true,
    }
    write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts', 'examples'] }))
    write('package.json', '{"type":"module"}')
    return spawnSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8' }).stdout
  }

  it('has types that hold the examples, and tell of slips', () => {
    const right = `const COLUMN: string = 'n'\n${moduleNamed('own.a')}`
    expect(compile({ 'a.ts': right })).toBe('')
    const wrong = compile({
      'a.ts': right.replace('maxRows: 10', "maxRows: '10'"),
    })
    expect(wrong.match(/error TS\d+/g)).toEqual(['error TS2322'])
    const slips = `
      import { agg, field, fn, scan } from 'logweir/endpoint'
      const rows = scan(['auth_logs', 'edge_logs'], { fromUs: 0, throughUs: 1 }).filter(fn.lowr('metadata.level'))
      rows.filter(fn.timestamp_trunc('timestamp', 'fortnight')).extend({ level: field(5) })
      rows.group('request.method').aggregate({ texts: agg.string_agg('id', 5) }).orderBy('request.method').limit(1)
    `
    const told = compile({ 'a.ts': slips }).match(/error TS\d+.*/g)
    expect(told!.map((error) => /'(lowr|"fortnight"|number|"request.method")'/.exec(error)?.[1])).toEqual([
      'lowr',
      '"fortnight"',
      'number',
      'number',
      '"request.method"',
    ])
  })
})
