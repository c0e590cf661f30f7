import type { SourceName } from '../../../common/sources.js'
import type { Deletion, ErasedRows, RowLimits } from '../../deletion.js'
import type { HiddenRows, Part } from '../../execute/columns/batch.js'
import { without as withoutRows } from '../../execute/columns/selection.js'
import { type DeletedRows, deletedRows, type TestCaches } from './deleted-rows.js'
import { newerRows } from './limited-rows.js'

/** The rows of a part that may have hidden rows. */
export interface HidingPart extends Part {
  readonly source: SourceName
  /** The number of the head of the rows, see `HeadId`. */
  readonly head: number
}

/** Decides which rows no query may read: rows that were deleted, and rows past their limit. */
export interface Hiding {
  /** Hides the rows of a deletion until `forget`. */
  hide(deletion: Deletion): void
  /** To be called once no part has the rows of a deletion any more. */
  forget(id: string): void
  /** Notes that a sealed part has no rows of a deletion, and the rows that were removed from the part. */
  noteErased(id: string, owner: object, removed?: ErasedRows & { gone: Promise<void> }): void
  /** Returns the rows of a deletion that were removed so far. */
  erased(id: string): ErasedRows
  /** Resolves when the files are gone from which rows of the deletion were removed. */
  gone(id: string): Promise<void>
  /** Returns the deletions that may concern rows of a part, as far as the part is not noted as erased. */
  deletionsOf(part: HidingPart): readonly OpenDeletion[]
  /** Whether the rows of a head were deleted: no more rows may be appended to the head. */
  isClosed(source: SourceName, head: number): boolean
  /**
   * Returns a part as a query reads the part at a time: without hidden rows. Without a time, rows past their limit are
   * there.
   */
  visible(part: HidingPart, nowUs: number | undefined): Part
}

/** Hides nothing, and keeps no deletions. */
export const NO_HIDING: Hiding = {
  hide() {},
  forget() {},
  noteErased() {},
  erased: () => ({ rows: 0, bytes: 0 }),
  async gone() {},
  deletionsOf: () => [],
  isClosed: () => false,
  visible: (part) => part,
}

/** A deletion with rows that are still in the files. */
export interface OpenDeletion {
  id: string
  deletion: Deletion
  rows: DeletedRows
}

interface State {
  limits: RowLimits | undefined
  caches: TestCaches
  /** By id. */
  deletions: Map<string, HiddenDeletion>
}

interface HiddenDeletion {
  deletion: Deletion
  bySource: Map<SourceName, DeletedRows>
  /** The owners of the parts without rows of the deletion. */
  without: WeakSet<object>
  erased: ErasedRows
  gone: Promise<void>[]
}

/** Returns a registry of hidden rows, without deletions. */
export function createHiding(caches: TestCaches, limits: RowLimits | undefined): Hiding {
  const state: State = { limits, caches, deletions: new Map() }
  const { deletions } = state
  return {
    hide(deletion) {
      const ofSources = [...deletion.sources].map(
        ([source, { where }]) => [source, deletedRows(deletion, source, where, caches)] as const,
      )
      const erased = { rows: 0, bytes: 0 }
      deletions.set(deletion.id, {
        deletion,
        bySource: new Map(ofSources),
        without: new WeakSet(),
        erased,
        gone: [],
      })
    },
    forget: (id) => void deletions.delete(id),
    noteErased(id, owner, removed) {
      const hidden = deletions.get(id)
      hidden?.without.add(owner)
      if (hidden === undefined || removed === undefined) return
      hidden.erased.rows += removed.rows
      hidden.erased.bytes += removed.bytes
      hidden.gone.push(removed.gone)
    },
    erased: (id) => ({ ...deletions.get(id)!.erased }),
    gone: (id) => Promise.all(deletions.get(id)?.gone ?? []).then(() => {}),
    deletionsOf: (part) => deletionsOf(state, part),
    isClosed: (source, head) =>
      [...deletions.values()].some(({ deletion }) => head <= (deletion.sources.get(source)?.lastHead ?? 0)),
    visible: (part, nowUs) => visible(state, part, nowUs),
  }
}

function deletionsOf({ deletions }: State, { source, head, owner, minUs, maxUs }: HidingPart): OpenDeletion[] {
  const found: OpenDeletion[] = []
  for (const [id, { deletion, bySource, without }] of deletions) {
    const from = deletion.sources.get(source)
    if (from === undefined || head > from.lastHead || without.has(owner)) continue
    if (maxUs < deletion.fromUs || minUs > deletion.throughUs) continue
    found.push({ id, deletion, rows: bySource.get(source)! })
  }
  return found
}

function visible(state: State, part: HidingPart, nowUs: number | undefined): Part {
  const deletions = deletionsOf(state, part)
  const old = nowUs === undefined ? undefined : oldRows(state, part, nowUs)
  if (deletions.length === 0 && old === undefined) return part
  return withHidden(part, (project) => hiddenIn(part, project, deletions, old))
}

/** The limits that hide rows of a part, and the time of a query. */
interface OldRows {
  limits: RowLimits
  nowUs: number
}

function oldRows({ limits }: State, { source, minUs }: HidingPart, nowUs: number): OldRows | undefined {
  return limits !== undefined && minUs <= limits.newestHiddenUs(source, nowUs) ? { limits, nowUs } : undefined
}

function hiddenIn(
  part: HidingPart,
  project: string | undefined,
  deletions: readonly OpenDeletion[],
  old: OldRows | undefined,
): HiddenRows | undefined {
  const { source } = part
  const own = deletions.filter(({ deletion }) => project === undefined || deletion.project === project)
  const isByProject = old !== undefined && project === undefined
  const hiddenThroughUs = ({ limits, nowUs }: OldRows, one: string | undefined) =>
    limits.hiddenThroughUs(source, one, nowUs)
  const throughUs =
    old === undefined || project === undefined ? Number.NEGATIVE_INFINITY : hiddenThroughUs(old, project)
  if (own.length === 0 && !isByProject && throughUs < part.minUs) return undefined
  const columns = new Set(own.flatMap(({ rows }) => [...rows.columns]))
  if (own.length === 0 && !isByProject) return { fromUs: throughUs + 1, columns }
  return {
    fromUs: throughUs + 1,
    columns,
    async keepVisible(batch, selection, yieldIfDue) {
      let kept = selection
      if (isByProject) kept = newerRows(batch, kept, (one) => hiddenThroughUs(old, one))
      for (const { rows } of own) kept = withoutRows(kept, await rows.in(batch, part, yieldIfDue))
      return kept
    },
  }
}

/** Returns the part with hidden rows. The part is an instance with members that are bound to the instance. */
function withHidden(part: HidingPart, hiddenIn: Part['hiddenIn']): HidingPart {
  const { isSealed, owner, source, head, rows, minUs, maxUs, stored } = part
  return {
    isSealed,
    owner,
    source,
    head,
    rows,
    minUs,
    maxUs,
    stored,
    get isSetAside() {
      return part.isSetAside ?? false
    },
    hiddenIn,
    ...(part.slices && { slices: (count: number) => part.slices!(count) }),
    ...(part.columnPaths && { columnPaths: () => part.columnPaths!() }),
    open: (yieldIfDue, columns) => part.open(yieldIfDue, columns),
    close: () => part.close(),
  }
}
