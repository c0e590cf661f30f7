import { AGGREGATES_CASES } from './aggregates.js'
import type { SqlCase } from './case.js'
import { CAST_CASES } from './casts.js'
import { CORRELATED_CASES } from './correlated.js'
import { ERROR_CASES } from './errors.js'
import { FAR_TIME_CASES } from './far-times.js'
import { FROM_CASES } from './from.js'
import { JSON_CASES } from './functions-json.js'
import { NUMBER_CASES } from './functions-number.js'
import { TEXT_CASES } from './functions-text.js'
import { TIME_CASES } from './functions-time.js'
import { GROUP_CASES } from './group.js'
import { HIDDEN_NAMES_CASES } from './hidden-names.js'
import { LITERAL_CASES } from './literals.js'
import { NAMES_CASES } from './names.js'
import { ORDER_CASES } from './order.js'
import { PLACE_CASES } from './places.js'
import { SELECT_CASES } from './select.js'
import { SHAPE_CASES } from './shapes.js'
import { STATEMENT_CASES } from './statement.js'
import { UNNEST_CASES } from './unnest.js'
import { WHERE_CASES } from './where.js'

/** All cases of SQL by theme. A new theme is a line here. */
export const SQL_CASES: Readonly<Record<string, readonly SqlCase[]>> = {
  statements: STATEMENT_CASES,
  from: FROM_CASES,
  unnest: UNNEST_CASES,
  names: NAMES_CASES,
  'hidden names': HIDDEN_NAMES_CASES,
  'correlated subqueries': CORRELATED_CASES,
  select: SELECT_CASES,
  where: WHERE_CASES,
  group: GROUP_CASES,
  order: ORDER_CASES,
  aggregates: AGGREGATES_CASES,
  'functions of texts': TEXT_CASES,
  'functions of times': TIME_CASES,
  'far times': FAR_TIME_CASES,
  'numbers and conditions': NUMBER_CASES,
  JSON: JSON_CASES,
  casts: CAST_CASES,
  literals: LITERAL_CASES,
  errors: ERROR_CASES,
  'places of errors in rows': PLACE_CASES,
  shapes: SHAPE_CASES,
}

/** The records of all cases with one project each: no project is in two different lists of records. */
export const ALL_RECORDS = [
  ...new Set(
    Object.values(SQL_CASES)
      .flat()
      .filter(({ ofManyProjects }) => !ofManyProjects)
      .flatMap(({ records }) => records),
  ),
]
