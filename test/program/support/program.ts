import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
export const CLI = join(ROOT, 'dist/cli.js')

/** The built program as a child process, killed when the test ends. */
export interface Program {
  child: ChildProcess
  /** Returns standard error so far, without the lines that depend on Node and on native parts. */
  stderrText(): string
  /** Resolves once standard error matches. Rejects if the program ends without a match. */
  waitForStderr(pattern: RegExp): Promise<RegExpExecArray>
  /** Resolves to the exit code, or the signal that ended the program. */
  exit: Promise<number | NodeJS.Signals>
}

interface StartOptions {
  /** The program and its first arguments. By default the built program, on the Node of the tests. */
  command?: readonly string[]
  environment?: Record<string, string>
  /** A pipe, nothing, or a file descriptor to read. */
  stdin?: number | 'ignore' | 'pipe'
  /** A file descriptor to write to instead of a pipe. */
  stdout?: number
  /** Receives the function that kills the program. By default the function is called when the test ends. */
  atEnd?: (kill: () => Promise<void>) => void
}

/**
 * The environment without settings of logweir, so that settings of the machine have no effect, except whether native
 * parts are hidden. In memory by default.
 * The setting of malloc is the setting in the first line of cli.js, which does not apply to `node cli.js`.
 */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^LOG(?:WEIR|FLARE)_(?!NATIVE_PARTS$)/.test(name))
  return { ...Object.fromEntries(inherited), LOGWEIR_IN_MEMORY: '1', MALLOC_MMAP_THRESHOLD_: '262144' }
}

/** Removes the lines about an old Node and missing native parts. test/program/runtime.test.ts reads these. */
export const withoutRuntime = (log: string): string =>
  log.replaceAll(/^.*(?:gets no security fixes any more|native parts are missing).*\n/gm, '')

export function start(
  args: readonly string[],
  {
    command = [process.execPath, CLI],
    environment,
    stdin = 'ignore',
    stdout,
    atEnd = onTestFinished,
  }: StartOptions = {},
): Program {
  const env = { ...cleanEnvironment(), ...environment }
  const [file, ...first] = command
  const child = spawn(file!, [...first, ...args], {
    stdio: [stdin, stdout ?? 'pipe', 'pipe'],
    env,
    cwd: tmpdir(),
  })
  let text = ''
  child.stderr!.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
  })
  child.stdin?.on('error', () => {})
  const exit = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  atEnd(async () => {
    child.kill('SIGKILL')
    await exit
  })

  function waitForStderr(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(text)
        if (match === null) return
        child.stderr!.off('data', look)
        resolve(match)
      }
      child.stderr!.on('data', look)
      child.stderr!.on('end', () => reject(new Error(`it ended without saying ${pattern}, but: ${text}`)))
      look()
    })
  }
  return { child, stderrText: () => withoutRuntime(text), waitForStderr, exit }
}

export interface Served extends Program {
  url: string
  /** Sends a request with the token. */
  get(path: string, init?: RequestInit): Promise<Response>
  /** Returns the rows of an endpoint. */
  // biome-ignore lint/suspicious/noExplicitAny: rows are any JSON
  rows(query: string): Promise<any[]>
  /** Returns the value of a line of /metrics, or NaN if /metrics does not have the line. */
  metric(line: string): Promise<number>
}

export const TOKEN = 'test-token'

/** Starts `serve` on a free port. */
export function launch(
  args: readonly string[] = [],
  { environment, stdin = 'pipe', ...options }: StartOptions = {},
): Program {
  const withToken = { LOGWEIR_ACCESS_TOKENS: TOKEN, ...environment }
  return start(['serve', '--port', '0', ...args], { ...options, environment: withToken, stdin })
}

/** Starts `serve` on a free port and waits until the service has recovered all rows. */
export function serve(args: readonly string[] = [], options: StartOptions = {}): Promise<Served> {
  return served(launch(args, options), options.environment?.LOGWEIR_ACCESS_TOKENS)
}

/** Waits until a launched program has recovered all rows. Rejects if the program ends before. */
export async function served(program: Program, token = TOKEN): Promise<Served> {
  const service = await listening(program, token)
  await until(
    () => service.get('/health'),
    ({ status }) => status === 200,
  )
  return service
}

/** Waits until a launched program listens. The program may still be recovering rows. */
export async function listening(program: Program, token = TOKEN): Promise<Served> {
  const [, url] = await program.waitForStderr(/listening on (http:[^\s"]+).*\n/)
  const get = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { 'X-API-KEY': token, ...init.headers } })

  async function rows(query: string) {
    const response = await get(`/api/endpoints/query/${query}`)
    return ((await response.json()) as { result: unknown[] }).result
  }

  async function metric(line: string): Promise<number> {
    const text = await (await get('/metrics')).text()
    const found = text.split('\n').find((candidate) => candidate.startsWith(`${line} `))
    return found === undefined ? Number.NaN : Number(found.slice(line.length + 1))
  }
  return { ...program, url: url!, get, rows, metric }
}

/** Makes a temporary folder, removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'logweir-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Calls `ask` until the answer passes, and returns the answer. Rejects after `withinMs`. */
export async function until<T>(ask: () => Promise<T>, passes: (answer: T) => boolean, withinMs = 30_000): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (passes(answer)) return answer
    if (performance.now() > deadline) throw new Error(`still ${JSON.stringify(answer)} after ${withinMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Runs a command to the end. Returns the exit code and output. */
export async function run(
  args: readonly string[],
  options: StartOptions = {},
): Promise<{ code: number | NodeJS.Signals; stdout: Buffer; stderr: string }> {
  const program = start(args, options)
  const chunks: Buffer[] = []
  program.child.stdout!.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(program.child, 'close')
  return { code: await program.exit, stdout: Buffer.concat(chunks), stderr: program.stderrText() }
}
