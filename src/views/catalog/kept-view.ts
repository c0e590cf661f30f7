import { DAY_US, HOUR_US, MINUTE_US } from '../../base/units.js'
import type { SourceName } from '../../common/sources.js'
import type { StoredPart } from '../../engine/execute/columns/batch.js'
import { type Aggregation, createAggregation } from '../../engine/execute/grouping/aggregate.js'
import { createStatesCodec } from '../../engine/execute/grouping/states-codec.js'
import { cutPlan } from '../../engine/execute/run/cut-plan.js'
import { isStoredNumber } from '../../engine/execute/stages/source-kinds.js'
import type { Plan } from '../../plan/plan.js'
import type { ViewDefinition } from '../definition/definition.js'
import { restKeysOf } from '../state/group.js'

/** The grouping of one or more views of the same identity. */
export interface KeptView {
  identity: string
  /** How long the groups are kept, by the name of each view and old version. */
  keepsUs: Map<string, number>
  /** Whether new rows are grouped: not so for old versions, and views without a file, once they are closed. */
  isUpdated: boolean
  /** Checks of the segments that are grouped although new rows are not. */
  rest: Set<string>
  /** Whether all segments were in files once, since the view came or the service started. */
  isBuilt: boolean
  sources: readonly SourceName[]
  grouping: Plan
  /** The length of a bucket. */
  unitUs: number
  keys: number
  aggregation: Aggregation
  /** The kinds of the aggregates' states. */
  states: readonly string[]
  /** See `restKeysOf`. */
  restKeys: Buffer
}

const UNITS_US = { minute: MINUTE_US, hour: HOUR_US, day: DAY_US }
/** Project and bucket. */
const FIRST_KEYS = 2

/** Returns the kept part of a view, without a name yet. */
export function keptView({ identity, sources, grouping, unit, source }: ViewDefinition): KeptView {
  const stage = cutPlan(grouping)
  if (stage?.sink.op !== 'group') throw new TypeError('The plan of a view ends with a grouping.')
  const { sink, input } = stage
  const aggregation = createAggregation(sink.aggregates, isStoredNumber(input))
  const types = source.columns.slice(FIRST_KEYS, sink.keys.length).map(({ type }) => type)
  return {
    identity,
    keepsUs: new Map(),
    isUpdated: false,
    rest: new Set(),
    isBuilt: false,
    sources,
    grouping,
    unitUs: UNITS_US[unit],
    keys: sink.keys.length,
    aggregation,
    states: createStatesCodec(aggregation).names,
    // Fields of records are usually texts.
    restKeys: restKeysOf(types.map((type) => type === 'text' || type === 'any')),
  }
}

/** Whether a view gets rows: new rows, or of a segment that was there when the view was closed. */
export const getsRows = ({ isUpdated, rest }: KeptView, stored: StoredPart | undefined): boolean =>
  isUpdated || (stored !== undefined && rest.has(stored.check))

/** Whether a view may get rows of some segments. */
export const getsAnyRows = ({ isUpdated, rest }: KeptView): boolean => isUpdated || rest.size > 0

/** The longest time for which a view or old version of the identity keeps groups. */
export const longestKeepUs = ({ keepsUs }: KeptView): number => Math.max(...keepsUs.values())

/** Whether all buckets of a UTC day are older than any view or old version of the identity keeps them. */
export const isExpired = (view: KeptView, day: number, nowUs: number): boolean =>
  (day + 1) * DAY_US < nowUs - longestKeepUs(view)
