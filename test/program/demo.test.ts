import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Program, run, start, until } from './support/program.js'

/** Settings of another service of the user, with which the service of the demo would not start. */
const SETTINGS = {
  LOGWEIR_TOKENS_FILE: '/nowhere/tokens',
  LOGWEIR_MEMORY_LIMIT: 'all',
  LOGWEIR_LOG_FORMAT: 'json',
  LOGWEIR_PORT: 'any',
  LOGWEIR_CONFIG: '/nowhere/logweir.toml',
}
const FEW = ['--port', '0', '--rows', '20000']

/** Returns the addresses and the token that a demo has printed. */
function readShown(text: string) {
  const url = /^URL {4}(http:\/\/127\.0\.0\.1:\d+)$/m.exec(text)![1]!
  const token = /^Token {2}(\S+)$/m.exec(text)![1]!
  const page = /^Page {3}(http:\/\/127\.0\.0\.1:\d+)\/#project=[a-z]{20}&range=7day /m.exec(text)![1]!
  return { url, token, page }
}

/** Starts a demo. Returns the program, and a function that waits until standard output matches. */
function startDemo(args: readonly string[]): { program: Program; waitForStdout(pattern: RegExp): Promise<string> } {
  const program = start(['demo', ...args])
  let text = ''
  program.child.stdout!.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
  })
  const waitForStdout = (pattern: RegExp) =>
    until(
      async () => text,
      (shown) => pattern.test(shown),
    )
  // A demo that is killed would leave the service.
  onTestFinished(async () => {
    program.child.kill('SIGTERM')
    await program.exit
  })
  return { program, waitForStdout }
}

const isReached = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  )

it('the demo shows a URL, a token and a request with rows for each endpoint, and stops', async () => {
  const { code, stdout, stderr } = await run(['demo', '--once', ...FEW], { environment: SETTINGS })
  expect([code, stderr]).toEqual([0, ''])
  const text = stdout.toString()
  expect(text).toContain('logweir: standard input ended: 20000 rows accepted, 0 rejected\n')
  const { url, token } = readShown(text)
  const requests = [
    ...text.matchAll(/^# (\d+) rows.*\ncurl -H 'X-API-KEY: (\S+)' '(http:\S+?)\/api\/endpoints\/query\/(\S+)\?/gm),
  ]
  expect(requests.map(([, , , , name]) => name)).toEqual(['logs.all', 'functions.invocation-stats', 'usage.api-counts'])
  for (const [, rows, shownToken, shownUrl] of requests) {
    expect(Number(rows)).toBeGreaterThan(0)
    expect([shownToken, shownUrl]).toEqual([token, url])
  }
  expect(await isReached(url)).toBe(false)
})

it('the demo of any logs shows own sources, a link to a chart of failing paths, and new rows', async () => {
  const { waitForStdout } = startDemo(['--any', '--port', '0', '--rows', '2000'])
  const text = await waitForStdout(/Serving until Ctrl-C\.\n/)
  const page = /^Page {3}(http:\/\/127\.0\.0\.1:\d+)\/#project=shop&source=nginx /m.exec(text)![1]!
  const fragment = new URL(/^Chart {2}(http\S+)/m.exec(text)![1]!).hash.slice(1)
  const { view, ...query } = Object.fromEntries(new URLSearchParams(fragment))
  const rowsOf = async (path: string): Promise<Record<string, unknown>[]> =>
    ((await (await fetch(`${page}/api/endpoints/query/${path}`)).json()) as { result: Record<string, unknown>[] })
      .result
  const failing = await rowsOf(`logs.all?${new URLSearchParams(query)}`)
  expect([view, Object.keys(failing[0]!)]).toEqual(['sql', ['minute', 'path', 'failed']])
  expect(failing.map(({ path }) => path)).toContain('/api/checkout')
  expect(text.match(/^# \d+ rows, the first: .*\ncurl /gm)).toHaveLength(3)
  const levels = await rowsOf('logs.histogram?project=shop&source=app')
  expect(new Set(levels.map(({ class: level }) => level))).toEqual(new Set(['info', 'warn', 'error']))
  const count = async () => {
    const [nginx, app] = await Promise.all(
      ['nginx', 'app'].map((source) =>
        rowsOf(`logs.all?${new URLSearchParams({ project: 'shop', sql: `select count(*) as n from ${source}` })}`),
      ),
    )
    return Number(nginx![0]!.n) + Number(app![0]!.n)
  }
  await until(count, (rows) => rows > 2000)
})

it('the demo shows requests without rows if there are few records', async () => {
  const { code, stdout, stderr } = await run(['demo', '--once', '--port', '0', '--rows', '1'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.toString().match(/^# no rows; .*\ncurl /gm)?.length).toBeGreaterThan(0)
})

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('the demo serves the page, signed in, until %s', async (signal) => {
  const { program, waitForStdout } = startDemo(FEW)
  const { url, page } = readShown(await waitForStdout(/Serving until Ctrl-C\.\n/))
  const path = '/api/endpoints/query/logs.all?project=a'
  expect([(await fetch(page + path)).status, (await fetch(url + path)).status]).toEqual([200, 401])
  program.child.kill(signal)
  expect(await program.exit).toBe(0)
  expect([await isReached(url), await isReached(page)]).toEqual([false, false])
})

it('the demo ends though a page follows new rows', async () => {
  const { program, waitForStdout } = startDemo(FEW)
  const { page } = readShown(await waitForStdout(/Serving until Ctrl-C\.\n/))
  const tail = await fetch(`${page}/api/tail?project=a`)
  expect(tail.status).toBe(200)
  const ended = tail.text().catch(() => '')
  program.child.kill('SIGINT')
  expect(await program.exit).toBe(0)
  await ended
})

it('the demo takes the next port if one is in use', async () => {
  const occupant = createServer().listen(0, '127.0.0.1')
  await once(occupant, 'listening')
  onTestFinished(() => void occupant.close())
  const { port } = occupant.address() as { port: number }
  const { code, stdout } = await run(['demo', '--once', '--rows', '1', '--port', String(port)])
  expect(code).toBe(0)
  expect(Number(new URL(readShown(stdout.toString()).url).port)).toBeGreaterThan(port)
})

describe('the demo ends and says what is wrong', () => {
  it.each([
    ['--rows', 'many', '--rows: "many" is not an integer from 1 to 1000000000000.'],
    ['--port', 'any', '--port: "any" is not an integer from 0 to 65535.'],
    ['--port', '70000', '--port: "70000" is not an integer from 0 to 65535.'],
    ['--row', '5', 'unknown flag --row. Did you mean --rows?'],
  ])('with %s %s', async (flag, value, line) => {
    const { code, stdout, stderr } = await run(['demo', '--once', '--port', '0', flag, value])
    expect({ code, stdout: stdout.toString(), stderr }).toEqual({ code: 2, stdout: '', stderr: `logweir: ${line}\n` })
  })

  it.each([
    ['generate', 'the records cannot be generated'],
    ['serve', 'the service stopped with code 3'],
  ])('if %s fails', async (command, line) => {
    const failing = `data:text/javascript,process.argv[2]===${encodeURIComponent(`"${command}"`)}&&process.exit(3)`
    const environment = { NODE_OPTIONS: `--import=${failing}` }
    const { code, stdout, stderr } = await run(['demo', ...FEW], { environment })
    expect({ code, stderr }).toEqual({ code: 1, stderr: `logweir: ${line}\n` })
    expect(stdout.toString()).not.toContain('# ')
  })
})
