/** The input files of all engines: records of a source, with timestamps up to the start of the run. */
import { join } from 'node:path'
import { records, write } from '../data.mjs'

export async function fileFor({ directory, nowUs }, source, rows, slim) {
  const path = join(directory, `${slim ? 'slim' : 'full'}-${source}-${rows}.ndjson`)
  await write(path, [records(source, rows, slim, { endUs: nowUs })])
  return path
}
