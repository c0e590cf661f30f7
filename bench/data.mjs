/** Generates records for the benches as `logweir generate` does. Equal seeds give equal records. */
import { once } from 'node:events'
import { createReadStream, createWriteStream, existsSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from '../dist/generate/generate.js'
import { projectRef, SMALL_RANK, TOP_RANK } from '../dist/generate/values/projects.js'

export const SEED = 1
const WEEK_US = 7 * 86_400e6

/** Two projects: `top` has 10 % of the rows, `small` has 0.05 %. */
export const PROJECTS = { top: projectRef(SEED, TOP_RANK), small: projectRef(SEED, SMALL_RANK) }

/** Returns chunks of NDJSON. The timestamps end at `endUs`, by default now, and cover `spanUs`, by default a week. */
export function records(source, rows, slim, { endUs = Date.now() * 1000, spanUs = WEEK_US, projects = 2_000 } = {}) {
  return generate({ rows, seed: SEED, source, endUs, spanUs, slim, projects, badEvery: 0 })
}

/** Returns the path of a file of `rows` full edge records, then `rows` full relay records. Written once a day. */
export async function fileOf(rows) {
  const day = new Date().toISOString().slice(0, 10)
  const path = join(tmpdir(), `logweir-bench-${day}-${rows}.ndjson`)
  if (existsSync(path)) return path
  await write(`${path}.part`, [records('edge_logs', rows, false), records('function_edge_logs', rows, false)])
  renameSync(`${path}.part`, path)
  return path
}

/** Reads a file once, so that later reads come from the page cache instead of the disk. */
export async function readOnce(path) {
  for await (const _ of createReadStream(path, { highWaterMark: 2 ** 20 }));
}

/** Writes the chunks of several iterables to a file, iterable by iterable. */
export async function write(path, streams) {
  const file = createWriteStream(path)
  for (const chunks of streams) {
    for (const chunk of chunks) if (!file.write(chunk)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
}
