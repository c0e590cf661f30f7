import type { Expression } from '../../plan/expression.js'
import type { NamedExpression, Operator } from '../../plan/plan.js'
import { type Branch, inScope } from './branches.js'
import type { Faults } from './faults.js'

/** The units of the buckets of views. */
const BUCKET_UNITS = ['minute', 'hour', 'day'] as const
/** A unit of the buckets of views. */
export type BucketUnit = (typeof BUCKET_UNITS)[number]

const isUnit = (unit: string): unit is BucketUnit => BUCKET_UNITS.includes(unit as BucketUnit)

const FORM = 'GROUP BY has exactly one timestamp_trunc(timestamp, unit), with minute, hour or day'

/** Returns the key that is the start of the bucket. Fails unless exactly one is, of a unit of buckets. */
export function bucketOf(
  { keys }: Extract<Operator, { op: 'group' }>,
  branches: readonly Branch[],
  faults: Faults,
): { bucket: NamedExpression; unit: BucketUnit } {
  const found = keys.flatMap((key) => {
    const units = branches.map(({ columns }) => unitOf(inScope(key.value, columns)))
    return units.some((unit) => unit !== undefined) ? [{ key, units }] : []
  })
  const [first, second] = found
  if (first === undefined) return faults.at(`${FORM}: there is none`, faults.groupByAt)
  if (second !== undefined) faults.of(second.key.value, `${FORM}: this is a second one`)
  const [unit] = first.units
  if (first.units.some((one) => one !== unit))
    faults.of(first.key.value, 'the parts of UNION ALL have buckets of different units: truncate behind UNION ALL')
  if (!isUnit(unit!)) return faults.of(first.key.value, `${FORM}: not ${unit}`)
  return { bucket: first.key, unit }
}

/** The unit to which the stored timestamp is truncated. Undefined for any other expression. */
function unitOf(value: Expression): string | undefined {
  if (value.kind !== 'call' || value.fn !== 'timestamp_trunc') return undefined
  const [time, unit] = value.args
  const isStored = time?.kind === 'column' && time.name === 'timestamp'
  return isStored && unit?.kind === 'literal' ? String(unit.value) : undefined
}
