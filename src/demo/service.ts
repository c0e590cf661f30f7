import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { programCall } from '../base/process/program-call.js'
import type { Environment } from '../config/environment.js'
import { freePort } from './free-port.js'

/** Writes to standard output. Rejects if nobody reads it any more. */
export type Print = (text: string) => Promise<void>

/** The service of the demo, a child process. */
export interface DemoService {
  url: string
  token: string
  child: ChildProcessByStdio<Writable, null, Readable>
  /** Resolves when the service has stored all records of standard input. */
  inputEnded: Promise<void>
  /** Resolves to the exit code, null after a signal. Rejects if the service cannot be started. */
  exitCode: Promise<number | null>
  /** Resolves when the whole log of the service has been printed. Rejects as {@link Print} does. */
  logEnded: Promise<void>
}

const HOST = '127.0.0.1'

/** How the service of a demo is started. */
export interface DemoStart {
  /** The first port to try. */
  port: number
  /** Further arguments. */
  args: readonly string[]
  environment: Environment
}

/** Starts the service in memory, on the first free port from `port` on, and prints its log. */
export async function startDemoService({ port, args, environment }: DemoStart, print: Print): Promise<DemoService> {
  const free = String(await freePort(HOST, port))
  const token = randomBytes(16).toString('base64url')
  const [command, all] = programCall(['serve', '--in-memory', '--sql', '--host', HOST, '--port', free, ...args])
  const child = spawn(command, all, {
    stdio: ['pipe', 'inherit', 'pipe'],
    // In a separate process group: Ctrl-C reaches the service only through the demo, not also from the terminal.
    detached: true,
    windowsHide: true,
    env: { ...environment, LOGWEIR_ACCESS_TOKENS: token },
  })
  const exitCode = once(child, 'exit').then(([code]) => code as number | null)
  return { url: `http://${HOST}:${free}`, token, child, exitCode, ...printLog(child.stderr, print) }
}

function printLog(stderr: Readable, print: Print): Pick<DemoService, 'inputEnded' | 'logEnded'> {
  let resolve = () => {}
  const inputEnded = new Promise<void>((settle) => {
    resolve = settle
  })
  async function printLines() {
    for await (const line of createInterface({ input: stderr })) {
      await print(`${line}\n`)
      if (line.includes('standard input ended')) resolve()
    }
  }
  return { inputEnded, logEnded: printLines() }
}
