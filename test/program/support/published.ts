import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { ROOT } from './program.js'

/** The package of the published clients: separate, so that logweir does not depend on the clients. */
const HOME = join(ROOT, 'test/clients')

export const WHY_NO_CLIENTS = 'it is not installed in test/clients (npm ci --prefix test/clients)'

/**
 * Returns the folder of a published client, or undefined if the client is not installed, which WHY_NO_CLIENTS explains.
 */
export function findClient(name: string): string | undefined {
  const folder = join(HOME, 'node_modules', name)
  return existsSync(folder) ? folder : undefined
}

/** A script of test/clients as a child process. */
export interface Client {
  /** The JSON lines that the script prints, in order. */
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  lines: any[]
  /** Ends standard input of the script. */
  end(): void
  /** Resolves on exit code 0. Otherwise rejects with the standard error of the script. */
  exit: Promise<void>
}

export function runClient(script: string, options: object): Client {
  const child = spawn(process.execPath, [join(HOME, script), JSON.stringify(options)], { stdio: 'pipe' })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    said += piece
  })
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  const lines: any[] = []
  createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)))
  onTestFinished(() => void child.kill('SIGKILL'))
  const exit = once(child, 'close').then(([code]) => {
    if (code !== 0) throw new Error(`${script} ended with ${code}; it said: ${said || 'nothing'}`)
  })
  return { lines, end: () => child.stdin.end(), exit }
}
