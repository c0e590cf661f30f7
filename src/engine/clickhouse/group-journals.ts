import { LogweirError } from '../../base/errors.js'
import { SOURCE_NAMES } from '../../sources.js'
import type { Files } from '../disk/files/files.js'
import { type Damage, recoverJournal } from '../disk/journal/recover.js'
import { createJournal, type Journal } from '../disk/journal/writer.js'
import type { BatchGroup } from './delivery.js'

/** Journals of batches that the server has not confirmed: one file for what is sent together. */
const DIRECTORY = 'unconfirmed'

/** What the name of a file says of the batches in it. */
type GroupName = Pick<BatchGroup, 'source' | 'arrivedUs'>

const pathOf = ({ source, arrivedUs }: GroupName) => `${DIRECTORY}/${arrivedUs}-${source}.log`

/** A group that begins, and the journal that its batches are written to; the directory is there. */
export function createGroupJournal(files: Files, name: GroupName): { journal: Journal; group: JournaledGroup } {
  const journal = createJournal(files, pathOf(name), name.source)
  return { journal, group: journaledGroup(files, name, () => {}, journal) }
}

/** The groups that earlier processes have left, the oldest first. Makes the directory. */
export async function listJournaledGroups(files: Files, damage: (stretch: Damage) => void): Promise<JournaledGroup[]> {
  await files.makeDirectory(DIRECTORY)
  const names = (await files.list(DIRECTORY)).map(readName).filter((name) => name !== undefined)
  return names.sort((a, b) => a.arrivedUs - b.arrivedUs).map((name) => journaledGroup(files, name, damage))
}

type JournaledGroup = Omit<BatchGroup, 'first'>

/** A group whose batches are in a file. Damage is told of once, however often the file is read. */
function journaledGroup(
  files: Files,
  name: GroupName,
  damage: (stretch: Damage) => void,
  journal?: Journal,
): JournaledGroup {
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
      return header === undefined ? undefined : batchNumber(header.marker)
    },
    async confirmed() {
      await journal?.close()
      await files.remove(pathOf(name))
    },
  }
}

/** The number that names a file's batches on the server. */
export function batchNumber(marker: Uint8Array): bigint {
  return Buffer.from(marker).readBigUInt64LE()
}

function readName(name: string): GroupName | undefined {
  const match = /^(\d+)-(\w+)\.log$/.exec(name)
  const source = SOURCE_NAMES.find((known) => known === match?.[2])
  return match === null || source === undefined ? undefined : { source, arrivedUs: Number(match[1]) }
}
