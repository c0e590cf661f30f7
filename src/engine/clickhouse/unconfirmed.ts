import { LogweirError } from '../../base/errors.js'
import { SOURCE_NAMES } from '../../sources.js'
import type { Files } from '../disk/files/files.js'
import { type Damage, recoverJournal } from '../disk/journal/recover.js'
import { createJournal, type Journal } from '../disk/journal/writer.js'
import type { Group } from './delivery.js'

/** Journals of batches that the server has not confirmed: one file for what is sent together. */
const DIRECTORY = 'unconfirmed'

/** What the name of a file says of the batches in it. */
type Name = Pick<Group, 'source' | 'arrivedUs'>

const pathOf = ({ source, arrivedUs }: Name) => `${DIRECTORY}/${arrivedUs}-${source}.log`

/** A group that begins, and the journal that its batches are written to; the directory is there. */
export function createUnconfirmed(files: Files, name: Name): { journal: Journal; group: Kept } {
  const journal = createJournal(files, pathOf(name), name.source)
  return { journal, group: keptIn(files, name, () => {}, journal) }
}

/** The groups that earlier processes have left, the oldest first. Makes the directory. */
export async function listUnconfirmed(files: Files, damage: (stretch: Damage) => void): Promise<Kept[]> {
  await files.makeDirectory(DIRECTORY)
  const names = (await files.list(DIRECTORY)).map(readName).filter((name) => name !== undefined)
  return names.sort((a, b) => a.arrivedUs - b.arrivedUs).map((name) => keptIn(files, name, damage))
}

type Kept = Omit<Group, 'first'>

/** A group whose batches are in a file. Damage is told of once, however often the file is read. */
function keptIn(files: Files, name: Name, damage: (stretch: Damage) => void, journal?: Journal): Kept {
  let isToTell = true
  return {
    ...name,
    rows: 0,
    bytes: 0,
    async read(visit) {
      const tell = isToTell ? damage : () => {}
      const { header } = await recoverJournal(files, pathOf(name), { batch: visit, damage: tell })
      isToTell = false
      if (header !== undefined && header.source !== name.source) {
        throw new LogweirError(
          'damaged_format',
          `${pathOf(name)} holds rows of ${header.source}. Give it the name of its source.`,
        )
      }
      return header === undefined ? undefined : batchOf(header.marker)
    },
    async confirmed() {
      await journal?.close()
      await files.remove(pathOf(name))
    },
  }
}

/** The number that names a file's batches on the server. */
export function batchOf(marker: Uint8Array): bigint {
  return Buffer.from(marker).readBigUInt64LE()
}

function readName(name: string): Name | undefined {
  const match = /^(\d+)-(\w+)\.log$/.exec(name)
  const source = SOURCE_NAMES.find((known) => known === match?.[2])
  return match === null || source === undefined ? undefined : { source, arrivedUs: Number(match[1]) }
}
