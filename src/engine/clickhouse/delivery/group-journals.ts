import { isSourceName } from '../../../common/own-source-names.js'
import type { Files } from '../../disk/files/files.js'
import { type JournalVisitor, recoverJournal } from '../../disk/journal/recover.js'
import { createJournal, type Journal } from '../../disk/journal/writer.js'
import type { BatchGroup } from './delivery.js'

/** The directory of the journals of unconfirmed batches: a file per group. */
export const DIRECTORY = 'unconfirmed'

/** The properties of a group that are in the file name. */
export type GroupName = Pick<BatchGroup, 'source' | 'arrivedUs'>

/** Returns the path of a group's journal. */
export const pathOf = ({ source, arrivedUs }: GroupName) => `${DIRECTORY}/${arrivedUs}-${source}.log`

/** Creates an empty group and the journal for the group's batches. The directory must exist. */
export function createGroupJournal(files: Files, name: GroupName): { journal: Journal; group: JournaledGroup } {
  const journal = createJournal(files, pathOf(name), name.source)
  return { journal, group: journaledGroup(files, name, NO_VISITOR, journal) }
}

/** Returns the groups that earlier processes have not delivered, oldest first. Creates the directory. */
export async function listJournaledGroups(files: Files, visitor: DamageVisitor): Promise<JournaledGroup[]> {
  await files.makeDirectory(DIRECTORY)
  const names = (await files.list(DIRECTORY)).map(readName).filter((name) => name !== undefined)
  return names.sort((a, b) => a.arrivedUs - b.arrivedUs).map((name) => journaledGroup(files, name, visitor))
}

/** Whether the files are in a data directory of this engine. The other rows are then on the server. */
export async function hasGroupJournals(files: Pick<Files, 'list'>): Promise<boolean> {
  return (await files.list('')).includes(DIRECTORY)
}

type JournaledGroup = Omit<BatchGroup, 'firstAttempt'>

/** Called with the damage in journals. */
type DamageVisitor = Pick<JournalVisitor, 'damage' | 'torn'>

const NO_VISITOR: DamageVisitor = { damage() {} }

/**
 * Returns a group with batches in a file. The visitor is called on the first read only. When the batches are confirmed,
 * a damaged file is renamed instead of removed. If no batch could be read, the file stays unchanged.
 */
function journaledGroup(files: Files, name: GroupName, visitor: DamageVisitor, journal?: Journal): JournaledGroup {
  let isFirstRead = true
  let readable: 'all' | 'some' | 'none' = 'all'
  return {
    ...name,
    rows: 0,
    bytes: 0,
    async read(visit) {
      const onDamage = isFirstRead ? visitor : NO_VISITOR
      const recovered = await recoverJournal(files, pathOf(name), name.source, { ...onDamage, batch: visit })
      const { header, length, damaged, batches } = recovered
      isFirstRead = false
      readable = damaged !== 'inside' ? 'all' : batches > 0 ? 'some' : 'none'
      if (header !== undefined && header.source !== name.source) {
        const unreadable = `it has rows of ${header.source}: rename it to that source`
        await onDamage.damage({ path: pathOf(name), offset: 0, bytes: length, unreadable })
        readable = 'none'
        return undefined
      }
      return header === undefined ? undefined : batchNumber(header.marker)
    },
    async confirmed() {
      await journal?.close()
      if (readable === 'all') await files.remove(pathOf(name))
      if (readable === 'some') await files.rename(pathOf(name), `${pathOf(name)}.damaged`)
    },
  }
}

/** Returns the number that identifies the batches of a journal on the server. */
export function batchNumber(marker: Uint8Array): bigint {
  return Buffer.from(marker).readBigUInt64LE()
}

/** Returns the group of a journal by the name of the file. Undefined if the name is not the name of a journal. */
export function readName(name: string): GroupName | undefined {
  const [, arrivedUs, source = ''] = /^(\d+)-(\w+)\.log$/.exec(name) ?? []
  return isSourceName(source) ? { source, arrivedUs: Number(arrivedUs) } : undefined
}
