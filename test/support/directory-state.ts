import { createHash } from 'node:crypto'
import { cpSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns a line for each file and folder below a directory, sorted: path, kind, mode, time of change, and hash of the
 * content.
 */
export function directoryState(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()
  return ['.', ...names].map((name) => {
    const path = join(directory, name)
    const found = lstatSync(path, { bigint: true })
    const content = found.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''
    const kind = found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other'
    return `${name} ${kind} ${found.mode.toString(8)} ${found.mtimeNs} ${content}`
  })
}

/** Copies a data directory that a process may have, without the lock: the state that a kill would leave. */
export function copyDirectory(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => lstatSync(path).isFile() || lstatSync(path).isDirectory() })
}
