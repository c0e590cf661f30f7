/**
 * The files of the program besides its modules: WebAssembly, queries, the page, scripts of threads. In a single
 * executable, these are assets with addresses of `asset:///` and the path in `dist`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import * as sea from 'node:sea'
import { Worker, type WorkerOptions } from 'node:worker_threads'

const ASSET = 'asset:'

/** The oldest supported Node lacks this function. Executables have a newer Node. */
type Assets = { getAssetKeys(): string[] }

const keyOf = (file: URL) => file.pathname.slice(1)

/** Reads a file of the program, given the address relative to a module. */
export function readProgramFile(file: URL): Buffer {
  return file.protocol === ASSET ? Buffer.from(sea.getRawAsset(keyOf(file)) as ArrayBuffer) : readFileSync(file)
}

/** Returns the paths of all files in a folder of the program, relative to the folder. */
export function listProgramFiles(folder: URL): string[] {
  if (folder.protocol !== ASSET) return readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const start = keyOf(folder)
  const keys = (sea as unknown as Assets).getAssetKeys()
  return keys.flatMap((key) => (key.startsWith(start) ? [key.slice(start.length)] : []))
}

/** Starts a thread that runs a script of the program. */
export function startThread(script: URL, options: WorkerOptions): Worker {
  if (script.protocol !== ASSET) return new Worker(script, options)
  // Node loads a thread's script from a file or from an address that contains the script.
  const code = readProgramFile(script).toString('base64')
  return new Worker(new URL(`data:text/javascript;base64,${code}`), options)
}
