/** Engines one after the other, each in a process of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { coresOf, runNode } from '../process.mjs'

const CHILD = fileURLToPath(new URL('child.mjs', import.meta.url))

/** Runs each engine so many times, every other round in the opposite order. `Map` of column to the results. */
export async function inTurns(engines, rounds, run) {
  const resultsOf = new Map(engines.map(({ column }) => [column, []]))
  for (let round = 0; round < rounds; round++) {
    for (const engine of round % 2 === 0 ? engines : engines.toReversed()) {
      resultsOf.get(engine.column).push(await run(engine))
    }
  }
  return resultsOf
}

/** What one engine says to one task, in a fresh process that has so many cores, with an empty directory. */
export async function runEngine({ directory, nowUs, asks }, { column, program, store }, { name, files, rows }, cores) {
  const own = mkdtempSync(join(directory, 'engine-'))
  const settings = { store, directory: own, rows, threads: cores, now: nowUs, asks }
  const flags = Object.entries(settings).flatMap(([flag, value]) => [`--${flag}`, String(value)])
  const inputs = Object.entries(files).flatMap(([source, path]) => ['--file', `${source}=${path}`])
  console.log(`${name} ${Object.keys(files)} ${rows} rows, cores: ${cores}, ${column} (${store})`)
  try {
    return await runNode([CHILD, program, name, ...flags, ...inputs], coresOf(cores))
  } finally {
    rmSync(own, { recursive: true })
  }
}
