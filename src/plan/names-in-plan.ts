import { conjunctsOf, type Expression } from './expression.js'
import { innerPlansOf, type NamedExpression, type Operator, type Plan, type Scan } from './plan.js'
import { type WrittenName, writtenName } from './written-name.js'

/** A name that a text of SQL reads as a field of stored records. */
export interface FieldName extends WrittenName {
  /** The field, over the rows of a {@link NamedRows}. */
  value: Expression
  /** The paths in the metadata at which the field is looked up. Empty if the paths are unknown. */
  paths: readonly (readonly string[])[]
}

/** Stored rows that a plan scans, and the names that the plan reads as fields of the rows. */
export interface NamedRows {
  scan: Scan
  /** The condition on the project, and the lists, of which none drops a row. */
  operators: readonly Operator[]
  names: readonly FieldName[]
}

/** Columns that are stored columns, elements of lists or fields, as expressions over the rows of a scan. */
type Scope = ReadonlyMap<string, Expression>

/** The paths of elements of lists in the metadata, by column. */
type Paths = ReadonlyMap<string, readonly string[]>

const METADATA: Paths = new Map([['metadata', []]])

/**
 * Returns the names in a plan that are fields of the rows of a scan, for each scan. The condition on the project, which
 * `ofProject` puts first, is the only condition on the rows. Names behind a union, or of columns that are computed, are
 * left out.
 */
export function namedRowsOf(plan: Plan): NamedRows[] {
  const inner = plan.flatMap((operator) => innerPlansOf(operator).flatMap(namedRowsOf))
  const [first, ...others] = plan
  return first?.op === 'scan' ? [...inner, rowsOf(first, others)] : inner
}

function rowsOf(scan: Scan, others: Plan): NamedRows {
  const operators: Operator[] = projectFilters(others)
  let scope: Scope | undefined
  let paths = METADATA
  const names = createNames()
  for (const operator of others) {
    for (const expression of expressionsOf(operator)) names.add(expression, scope, paths)
    if (operator.op === 'unnest' && scope === undefined) {
      operators.push({ ...operator, isOuter: true })
      paths = new Map([...paths, ...elementPaths(operator, paths)])
    } else if (operator.op === 'select') scope = scopeOf(operator.columns, scope)
    else if (operator.op === 'group') scope = scopeOf(operator.keys, scope)
  }
  return { scan, operators, names: names.all() }
}

/** The condition on the project directly behind a scan. */
function projectFilters([first]: Plan): Operator[] {
  const conditions = first?.op === 'filter' ? conjunctsOf(first.where) : []
  return conditions.filter(isProjectTest).map((where) => ({ op: 'filter', where }))
}

function isProjectTest(condition: Expression): boolean {
  const [tested] = condition.kind === 'call' && condition.fn === 'eq' ? condition.args : []
  return tested?.kind === 'column' && tested.name === 'project'
}

function elementPaths({ name, list }: Operator & { op: 'unnest' }, paths: Paths): [string, readonly string[]][] {
  const [path, ...more] = pathsOf(list, paths)
  return path === undefined || more.length > 0 ? [] : [[name, path]]
}

/** The expressions that an operator evaluates. */
function expressionsOf(operator: Operator): readonly Expression[] {
  switch (operator.op) {
    case 'filter':
      return [operator.where]
    case 'unnest':
      return [operator.list]
    case 'isIn':
      return [operator.value]
    case 'extend':
    case 'select':
      return operator.columns.map(({ value }) => value)
    case 'group':
      return [...operator.keys.map(({ value }) => value), ...operator.aggregates.flatMap(({ value }) => value.args)]
    case 'orderBy':
      return operator.keys.map(({ by }) => by)
    default:
      return []
  }
}

/** The columns behind an operator that are columns or fields before the operator. */
function scopeOf(columns: readonly NamedExpression[], before: Scope | undefined): Scope {
  const scope = new Map<string, Expression>()
  for (const { name, value } of columns) {
    const over = isField(value) ? substituted(value, before) : undefined
    if (over !== undefined) scope.set(name, over)
  }
  return scope
}

/** Collects distinct names in the order of first use. */
function createNames() {
  const seen = new Set<Expression>()
  const names = new Map<string, FieldName>()

  function add(expression: Expression, scope: Scope | undefined, paths: Paths): void {
    if (seen.has(expression)) return
    seen.add(expression)
    const written = writtenName(expression)
    if (written !== undefined) take(expression, written, scope, paths)
    else if (expression.kind === 'call') for (const arg of expression.args) add(arg, scope, paths)
  }

  function take(expression: Expression, written: WrittenName, scope: Scope | undefined, paths: Paths): void {
    const known = names.get(written.name)
    if (known !== undefined && (known.isOutput || !written.isOutput)) return
    const value = expression.kind === 'column' ? undefined : substituted(expression, scope)
    if (value !== undefined && isField(value))
      names.set(written.name, { ...written, value, paths: pathsOf(value, paths) })
  }

  return { add, all: () => [...names.values()] }
}

/** Whether an expression is a column, a field, or the first of several fields. */
function isField(expression: Expression): boolean {
  if (expression.kind !== 'call') return expression.kind === 'column'
  if (expression.fn === 'coalesce') return expression.args.every(isField)
  return (expression.fn === 'field' || expression.fn === 'field_text') && isField(expression.args[0])
}

/** The same expression over the rows of the scan. Undefined if the expression reads a computed column. */
function substituted(expression: Expression, scope: Scope | undefined): Expression | undefined {
  if (scope === undefined || expression.kind === 'literal') return expression
  if (expression.kind === 'column') return scope.get(expression.name)
  const args = expression.args.map((arg) => substituted(arg, scope))
  return args.includes(undefined) ? undefined : { ...expression, args: args as Expression[] }
}

/** The paths of a field in the metadata. */
function pathsOf(expression: Expression, paths: Paths): (readonly string[])[] {
  if (expression.kind === 'literal') return []
  if (expression.kind === 'column') {
    const path = paths.get(expression.name)
    return path === undefined ? [] : [path]
  }
  const { fn, args } = expression
  if (fn === 'coalesce') return args.flatMap((arg) => pathsOf(arg, paths))
  const keys = args.slice(1).map((arg) => (arg.kind === 'literal' ? String(arg.value) : ''))
  return pathsOf(args[0], paths).map((path) => [...path, ...keys])
}
