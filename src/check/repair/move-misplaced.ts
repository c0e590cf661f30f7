import { pathOf as groupPath } from '../../engine/clickhouse/delivery/group-journals.js'
import { journalPath, segmentPath } from '../../engine/store/files/file-names.js'
import { exists } from '../files/read-again.js'
import type { Repair } from '../findings/repair.js'
import { move, type RepairState } from './repair-state.js'

type Of<Kind extends Repair['kind']> = Extract<Repair, { kind: Kind }>

/** Moves a segment to the path of its number, source and day. Uses a new number if another head has the number. */
export async function moveSegment(state: RepairState, { path, id }: Of<'move_segment'>): Promise<void> {
  const { files } = state
  const own = segmentPath(id, id.part, id.day)
  const isFree = id.number > 0 && !(await isNumberUsed(state, id, path)) && !(await exists(files, own))
  const number = isFree ? id.number : await state.nextNumber(id.source)
  await moveTo(state, path, isFree ? own : segmentPath({ source: id.source, number }, 0, id.day))
}

/** Whether the head has a journal, or another segment of the same part. */
async function isNumberUsed({ files }: RepairState, id: Of<'move_segment'>['id'], path: string): Promise<boolean> {
  if (await exists(files, journalPath(id))) return true
  const name = segmentPath(id, id.part, id.day).slice(segmentPath(id, id.part, id.day).lastIndexOf('/') + 1)
  for (const day of await files.list(`segments/${id.source}`)) {
    const directory = `segments/${id.source}/${day}`
    const others = (await files.list(directory)).filter((other) => `${directory}/${other}` !== path)
    // Also an edition of the segment, or the file in its place.
    if (others.some((other) => other === name || other.startsWith(`${name}.`))) return true
  }
  return false
}

/** Moves a journal to the path of its number and source. Uses a new number if another head has the number. */
export async function moveJournal(state: RepairState, { path, id }: Of<'move_journal'>): Promise<void> {
  const isFree = id.number > 0 && !(await isHeadUsed(state, id))
  const number = isFree ? id.number : await state.nextNumber(id.source)
  await moveTo(state, path, journalPath({ source: id.source, number }))
}

/** Whether the head has a journal or segments: the segments would become leftovers of the journal. */
async function isHeadUsed({ files }: RepairState, id: Of<'move_journal'>['id']): Promise<boolean> {
  if (await exists(files, journalPath(id))) return true
  const prefix = segmentPath(id, 0, 0).replace(/^.*\/(\d+-).*$/, '$1')
  for (const day of await files.list(`segments/${id.source}`)) {
    if ((await files.list(`segments/${id.source}/${day}`)).some((name) => name.startsWith(prefix))) return true
  }
  return false
}

/** Moves a journal of unconfirmed rows to the path of its time and source, or to the path of the next free time. */
export async function moveGroup(state: RepairState, { path, id }: Of<'move_group'>): Promise<void> {
  let { arrivedUs } = id
  while (await exists(state.files, groupPath({ ...id, arrivedUs }))) arrivedUs++
  await moveTo(state, path, groupPath({ ...id, arrivedUs }))
}

async function moveTo({ files, onRepaired }: RepairState, path: string, to: string): Promise<void> {
  await move(files, path, to)
  await onRepaired({ level: 'repaired', path, what: `moved to ${to}` })
}
