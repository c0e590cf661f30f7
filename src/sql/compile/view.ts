import { didYouMean } from '../../base/text/nearest.js'
import type { Operator } from '../../plan/plan.js'
import { schemaOf } from '../../plan/schema.js'
import { invalid } from '../parse/fault.js'
import type { Table } from '../parse/tree.js'
import { addAmount, type Context } from './context.js'
import { NO_VIEWS } from './readable-views.js'
import type { Relation } from './relation.js'

/** The rows of a view. Throws `invalid_sql` if there is no such view. */
export function relationOfView({ name, at }: Extract<Table, { kind: 'view' }>, context: Context): Relation {
  const { tables, nowUs, uses } = context
  const views = tables.kind === 'stored' ? tables.views : NO_VIEWS
  const view = views.find(name)
  if (view === undefined) throw invalid(`There is no view ${name}. ${otherViews(name, views.names())}`, at)
  addAmount(context, 'scans', 1, at)
  uses.views = true
  const { NEGATIVE_INFINITY: fromUs, POSITIVE_INFINITY: throughUs } = Number
  const plan: Operator[] = [{ op: 'view', view: view.source, fromUs, throughUs }, ...view.operators(nowUs)]
  const schema = schemaOf(plan)
  return { plan, schema, names: [...schema.keys()], costs: new Map(), constants: new Map(), levels: 0 }
}

const otherViews = (name: string, names: readonly string[]) =>
  names.length === 0
    ? 'There are no views: a file of --endpoints with "-- view: keep 400d" makes one.'
    : didYouMean(name, names)
