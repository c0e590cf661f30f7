import { journalOfCheck } from '../../engine/store/files/facts.js'
import type { StateFile } from '../state/read-file.js'

/** A file of which the groups are read. */
export interface LiveState extends StateFile {
  number: number
  /** Whether the segments in the file may be gone: the manifest on disk says so. */
  isReleased: boolean
  /** Since when that is so, in milliseconds of the monotonic clock. */
  releasedMs: number
  /** The deletions with rows that no group of the file has, by id. A deletion of another day may be absent. */
  readonly without: Set<string>
}

/** The live files of all views. No row is in two files of a view: the lists of their segments are disjoint. */
export class LiveStates {
  readonly #byView = new Map<string, { states: Set<LiveState>; bySegment: Map<string, LiveState> }>()
  /** Bytes of all files. */
  bytes = 0
  /** See `Manifest.salvaged`: a file with a segment also has the rows that a repair has moved to a journal. */
  salvaged: ReadonlyMap<string, string> = new Map()

  /** Returns the files of a view. */
  of(identity: string): LiveState[] {
    return [...(this.#byView.get(identity)?.states ?? [])]
  }

  /** Returns the files of all views. */
  all(): LiveState[] {
    return [...this.#byView.keys()].flatMap((identity) => this.of(identity))
  }

  /** Returns the file of a view with the rows of a segment, by the segment's check. */
  fileOf(identity: string, check: string): LiveState | undefined {
    const bySegment = this.#byView.get(identity)?.bySegment
    return bySegment?.get(check) ?? bySegment?.get(this.salvaged.get(journalOfCheck(check)) ?? '')
  }

  /** Returns the files with the rows of a segment, by the segment's check. */
  filesOf(check: string): LiveState[] {
    return [...this.#byView.keys()].flatMap((identity) => this.fileOf(identity, check) ?? [])
  }

  /** Whether a file has no segment that another live file of the view has. */
  isDisjoint({ facts: { view, segments } }: StateFile): boolean {
    return segments.every(({ check }) => this.fileOf(view, check) === undefined)
  }

  /** Adds a file, at a single moment in place of others. Throws a TypeError if the file has rows of the rest. */
  add(state: LiveState, replaced: readonly LiveState[] = []): void {
    for (const one of replaced) this.remove(one)
    if (!this.isDisjoint(state)) throw new TypeError(`${state.path} has rows that another file of the view has.`)
    const { view, segments } = state.facts
    const ofView = this.#byView.get(view) ?? { states: new Set(), bySegment: new Map() }
    this.#byView.set(view, ofView)
    ofView.states.add(state)
    for (const { check } of segments) ofView.bySegment.set(check, state)
    this.bytes += state.bytes
  }

  remove(state: LiveState): void {
    const { view, segments } = state.facts
    const ofView = this.#byView.get(view)
    if (!ofView?.states.delete(state)) return
    for (const { check } of segments) ofView.bySegment.delete(check)
    this.bytes -= state.bytes
  }
}
