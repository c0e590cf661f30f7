/** Runs engines in turn, each in a separate process. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { coresOf, runNode } from '../process.mjs'

const CHILD = fileURLToPath(new URL('child.mjs', import.meta.url))

/** Runs each engine `rounds` times, every second round in reverse order. Returns a `Map` of column to results. */
export async function runAlternating(engines, rounds, run) {
  const resultsOf = new Map(engines.map(({ column }) => [column, []]))
  for (let round = 0; round < rounds; round++) {
    for (const engine of round % 2 === 0 ? engines : engines.toReversed()) {
      resultsOf.get(engine.column).push(await run(engine))
    }
  }
  return resultsOf
}

/** Runs a task on an engine in a fresh process on `cores` cores, with an empty directory. Returns the task's result. */
export async function runEngine(options, engine, task, cores) {
  const directory = mkdtempSync(join(options.directory, 'engine-'))
  try {
    return await runEngineIn(directory, options, engine, task, cores)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** The same with a given directory, which is kept. */
export function runEngineIn(directory, { nowUs, asks }, { column, program, store }, { name, files, rows, ask }, cores) {
  const settings = { store, directory, rows, threads: cores, now: nowUs, asks, ...(ask !== undefined && { ask }) }
  const flags = Object.entries(settings).flatMap(([flag, value]) => [`--${flag}`, String(value)])
  const inputs = Object.entries(files).flatMap(([source, path]) => ['--file', `${source}=${path}`])
  console.log(`${name} ${ask ?? Object.keys(files)} ${rows} rows, cores: ${cores}, ${column} (${store})`)
  return runNode([CHILD, program, name, ...flags, ...inputs], coresOf(cores))
}
