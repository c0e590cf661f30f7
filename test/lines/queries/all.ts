import { AGGREGATES } from './aggregates.js'
import { FIELDS } from './fields.js'
import { GROUPS } from './groups.js'
import type { LineQuery } from './oracle.js'
import { ORDERED } from './ordered.js'
import { ROWS } from './rows.js'
import { SEVERAL } from './several.js'

/** All queries. */
export const LINE_QUERIES: readonly LineQuery[] = [...FIELDS, ...ROWS, ...ORDERED, ...GROUPS, ...AGGREGATES, ...SEVERAL]
