import type { SourceRefusal } from '../../common/source-refusals.js'
import type { SourceName } from '../../common/sources.js'

/** A token that is bound to projects, by its id. Undefined: the sender may make any number of sources. */
export type BoundToken = string | undefined

/** The names of own sources, as a parser sees them. */
export interface SourceNames {
  /** Whether records make sources. If not, only records of configured sources are accepted. */
  readonly acceptsAny: boolean
  /** Returns whether records of the source are accepted, or would be after `make`, or why not. */
  stateOf(name: SourceName, token: BoundToken): 'accepted' | 'new' | SourceRefusal
  /** Makes a source that is `new`, unless another thread has. Returns the reason if there may not be another one. */
  make(name: SourceName, token: BoundToken): SourceRefusal | undefined
}
