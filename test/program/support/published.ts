import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { ROOT } from './program.js'

/** The published clients, in a package of their own, so that the product does not bear them. */
const HOME = join(ROOT, 'test/clients')

export const WHY_NO_CLIENTS = 'it is not installed in test/clients (npm ci --prefix test/clients)'

/** The folder of a published client; undefined where it is not installed, for which WHY_NO_CLIENTS has the words. */
export function findClient(name: string): string | undefined {
  const folder = join(HOME, 'node_modules', name)
  return existsSync(folder) ? folder : undefined
}

/** A script of test/clients as a child. */
export interface Client {
  /** The lines of JSON that it prints, as they come. */
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  lines: any[]
  /** Ends its standard input. */
  end(): void
  /** Resolves with its exit code; rejects with what it said where that is not 0. */
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
