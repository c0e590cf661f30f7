import { LogweirError } from '../../base/errors.js'
import { SOURCE_NAMES, type SourceName } from '../../sources.js'
import type { Files } from '../disk/files.js'
import { type Damage, recoverJournal } from '../disk/journal/recover.js'
import { createJournal, type Journal } from '../disk/journal/writer.js'
import type { IngestBatch } from '../engine.js'

/** Journals of batches that the server has not confirmed: one file for what is sent together. */
const DIRECTORY = 'unconfirmed'

/** What the name of a file says of the batches in it. */
export interface Name {
  source: SourceName
  /** When the first of them came, in microseconds since the epoch; no two files of a process have the same. */
  arrivedUs: number
}

const pathOf = ({ source, arrivedUs }: Name) => `${DIRECTORY}/${arrivedUs}-${source}.log`

/** The journal of batches that are to come; its directory is there. */
export function createUnconfirmed(files: Files, name: Name): Journal {
  return createJournal(files, pathOf(name), name.source)
}

export function removeUnconfirmed(files: Files, name: Name): Promise<void> {
  return files.remove(pathOf(name))
}

/** What earlier processes have left, the oldest first. Makes the directory. */
export async function listUnconfirmed(files: Files): Promise<Name[]> {
  await files.makeDirectory(DIRECTORY)
  const names = (await files.list(DIRECTORY)).map(readName).filter((name) => name !== undefined)
  return names.sort((a, b) => a.arrivedUs - b.arrivedUs)
}

function readName(name: string): Name | undefined {
  const match = /^(\d+)-(\w+)\.log$/.exec(name)
  const source = SOURCE_NAMES.find((known) => known === match?.[2])
  return match === null || source === undefined ? undefined : { source, arrivedUs: Number(match[1]) }
}

/**
 * Hands out the batches of a file, in their order; gives the file's marker, undefined where nothing of the file can be
 * read. A batch is valid until its promise resolves.
 */
export async function readUnconfirmed(
  files: Files,
  name: Name,
  visitor: { batch(batch: IngestBatch): Promise<void> | void; damage(stretch: Damage): void },
): Promise<Uint8Array | undefined> {
  const { header } = await recoverJournal(files, pathOf(name), visitor)
  if (header !== undefined && header.source !== name.source) {
    throw new LogweirError(
      'damaged_format',
      `${pathOf(name)} holds rows of ${header.source}. Give it the name of its source.`,
    )
  }
  return header?.marker
}
