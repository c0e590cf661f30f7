import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const HOME = fileURLToPath(new URL('../chdb', import.meta.url))
const START_MS = 60_000
const STOP_MS = 10_000

export const WHY_NO_CHDB =
  'the package chdb is not installed in test/chdb (npm ci --prefix test/chdb; Linux on x64 only)'

/** Returns the folder of the package chdb. Undefined if the package is not installed, which WHY_NO_CHDB explains. */
export function findChdb(): string | undefined {
  const folder = join(HOME, 'node_modules/chdb')
  return existsSync(folder) ? folder : undefined
}

/** An embedded ClickHouse of a recent version that acts as a server without users. */
export interface Chdb {
  url: string
  stop(): Promise<void>
}

/** Starts chDB with an empty database in a temporary folder. Throws with the output of chDB if the start fails. */
export async function startChdb(): Promise<Chdb> {
  if (findChdb() === undefined) throw new Error(WHY_NO_CHDB)
  const folder = mkdtempSync(join(tmpdir(), 'logweir-chdb-'))
  const child = spawn(process.execPath, [join(HOME, 'server.mjs'), folder], { stdio: 'pipe', cwd: folder })
  const exit = once(child, 'exit')
  child.stdin.on('error', () => {})

  async function stop() {
    child.stdin.end()
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await exit
    clearTimeout(late)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    return { url: `http://127.0.0.1:${await portOf(child)}`, stop }
  } catch (error) {
    child.kill('SIGKILL')
    await stop()
    throw error
  }
}

/** Returns the port from the first line of the output. */
function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr!.setEncoding('utf8').on('data', (piece: string) => {
      said += piece
    })
    const fail = (what: string) => reject(new Error(`chdb ${what}; it said: ${said || 'nothing'}`))
    const late = setTimeout(() => fail(`does not listen after ${START_MS} ms`), START_MS)
    child.once('close', (code, signal) => fail(`ended (${code ?? signal}) before it listened`))
    child.once('error', (error) => fail(`could not be started (${error.message})`))
    createInterface(child.stdout!).once('line', (line) => {
      clearTimeout(late)
      resolve((JSON.parse(line) as { port: number }).port)
    })
    child.once('close', () => clearTimeout(late))
  })
}
