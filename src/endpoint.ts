/** The public API for modules of `--endpoints`: `import { endpoint, … } from 'logweir/endpoint'`. */
export { bucketEnd, truncate } from './base/time/buckets.js'
export { DAY_US, HOUR_US, MILLISECOND_US, MINUTE_US, SECOND_US } from './base/units.js'
export { type CachePolicy, type Endpoint, type EndpointSpec, endpoint, sql } from './endpoints/endpoint.js'
export {
  type ArgsOf,
  invalidParameter,
  number,
  optionalText,
  type Param,
  type Params,
  pattern,
  text,
  timestamp,
  word,
} from './endpoints/params.js'
export type { Aggregate } from './plan/aggregates.js'
export {
  atLeast,
  type BucketUnit,
  contains,
  count,
  countWhere,
  equals,
  matches,
  max,
  mean,
  min,
  nothing,
  optional,
  quantile,
  type Rows,
  scan,
  share,
  union,
} from './plan/builder.js'
export { type Argument, agg, fn, type Value } from './plan/calls.js'
export { column, type Expression, type Expression as Predicate, literal } from './plan/expression.js'
export { field } from './plan/names.js'
export type { Direction, Plan } from './plan/plan.js'
