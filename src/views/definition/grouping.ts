import { hash } from 'node:crypto'
import type { SourceName } from '../../common/sources.js'
import { columnsOfSource } from '../../plan/columns.js'
import { column, type Expression } from '../../plan/expression.js'
import { expressionKey } from '../../plan/expression-key.js'
import type { NamedAggregate, NamedExpression, Operator, Plan } from '../../plan/plan.js'
import { rowFailureOf } from '../../plan/row-failures.js'
import { withTimeRanges } from '../../sql/compile/time-range.js'
import { type Branch, branchesOf, inScope } from './branches.js'
import { type BucketUnit, bucketOf } from './bucket.js'
import type { Faults } from './faults.js'
import { createNames, withProject } from './project.js'

/** The columns of each group. */
const PROJECT = 'project'
/** The column of the start of the bucket. */
export const BUCKET = 'bucket'

/** The grouping of a view: equal for texts that group the same rows in the same way. */
export interface Grouping {
  /**
   * Scans over all time, operators of single rows, and the grouping. The keys are `project`, `bucket`, and `key 1`, …,
   * the aggregates `aggregate 1`, …, in an order that does not depend on the text's.
   */
  plan: Plan
  unit: BucketUnit
  sources: readonly SourceName[]
  /** SHA-256 of the grouping, hexadecimal. */
  identity: string
  /** The columns of the text's own grouping, each with its column of a group. */
  names: ReadonlyMap<string, string>
}

type Group = Extract<Operator, { op: 'group' }>

/**
 * Returns the grouping of the plan of a view. Fails if an expression can fail, or if no key or several are the bucket.
 */
export function groupingOf(rows: Plan, group: Group, faults: Faults): Grouping {
  const branches = branchesOf(rows)
  checkRows(branches, group, faults)
  const { bucket, unit } = bucketOf(group, branches, faults)
  const others = group.keys.filter((key) => key !== bucket)
  const isProject = ({ value }: NamedExpression) => branches.every((branch) => isColumn(inScope(value, branch.columns)))
  const keys = numbered(
    'key',
    others.filter((key) => !isProject(key)),
    ({ value }) => keyOf(value, branches),
  )
  const aggregates = numbered('aggregate', group.aggregates, (one) => keyOfAggregate(one, branches))
  const fresh = createNames(rows)
  const project = fresh('project')
  const named: Group = {
    op: 'group',
    keys: [
      { name: PROJECT, value: column(project) },
      { name: BUCKET, value: bucket.value },
      ...keys.unique.map(({ name, item }) => ({ name, value: item.value })),
    ],
    aggregates: aggregates.unique.map(({ name, item }) => ({ name, value: item.value })),
  }
  return {
    plan: withTimeRanges([...withProject(rows, project), named]),
    unit,
    sources: [...new Set(branches.map(({ source }) => source))],
    identity: identityOf(branches, unit, keys.texts, aggregates.texts),
    names: new Map([
      [bucket.name, BUCKET],
      ...others.filter(isProject).map(({ name }) => [name, PROJECT] as const),
      ...keys.names,
      ...aggregates.names,
    ]),
  }
}

const isColumn = (value: Expression) => value.kind === 'column' && value.name === PROJECT

function checkRows(branches: readonly Branch[], { keys, aggregates }: Group, faults: Faults): void {
  const grouped = [...keys.map(({ value }) => value), ...aggregates.flatMap(({ value }) => value.args)]
  for (const { source, columns, expressions } of branches) {
    for (const one of [...expressions, ...grouped.map((value) => inScope(value, columns))]) {
      const failure = rowFailureOf(one, columnsOfSource(source))
      if (failure === undefined) continue
      const { call, name, instead } = failure
      faults.of(call, `${name} can fail in a row, and would stop the view: ${instead}`)
    }
  }
}

const keyOf = (value: Expression, branches: readonly Branch[]): string =>
  JSON.stringify(branches.map(({ columns }) => expressionKey(inScope(value, columns))))

const keyOfAggregate = ({ value: { fn, args } }: NamedAggregate, branches: readonly Branch[]): string =>
  JSON.stringify([fn, ...args.map((arg) => keyOf(arg, branches))])

/** Items of which equal items are one, in the order of their texts, with new names. */
interface Numbered<Item> {
  unique: readonly { name: string; item: Item }[]
  texts: readonly string[]
  /** The new name of each item by its own name. */
  names: readonly (readonly [string, string])[]
}

function numbered<Item extends { name: string }>(
  prefix: string,
  items: readonly Item[],
  textOf: (item: Item) => string,
): Numbered<Item> {
  const byText = new Map<string, Item[]>()
  for (const item of items) byText.set(textOf(item), [...(byText.get(textOf(item)) ?? []), item])
  const texts = [...byText.keys()].sort()
  const named = texts.map((text, i) => ({ name: `${prefix} ${i + 1}`, items: byText.get(text)! }))
  return {
    unique: named.map(({ name, items: [item] }) => ({ name, item: item! })),
    texts,
    names: named.flatMap(({ name, items: same }) => same.map((item) => [item.name, name] as const)),
  }
}

/** Raised if the text of the same grouping becomes another: then every view is a new one. */
const IDENTITY_VERSION = 1

function identityOf(
  branches: readonly Branch[],
  unit: BucketUnit,
  keys: readonly string[],
  aggregates: readonly string[],
): string {
  const scans = branches.map(({ source, where }) => [source, ...[...new Set(where.map(expressionKey))].sort()])
  return hash('sha256', JSON.stringify([IDENTITY_VERSION, scans, unit, keys, aggregates]), 'hex')
}
