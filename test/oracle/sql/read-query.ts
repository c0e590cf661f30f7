import { readExpression } from './read-expression.js'
import {
  type Body,
  type Item,
  type Order,
  type Query,
  type Select,
  type Syntax,
  type Table,
  type Unnest,
  unsupported,
  wrong,
} from './syntax.js'
import { has, kindOf, listOf, onlyHas, type Tree, treeOf } from './tree.js'

/** Reads a text that is a single query. Throws `invalid_sql` or `unsupported_sql`. */
export function readQuery(text: string): Query {
  const { tree, texts } = treeOf(text)
  const reader = new Reader(texts)
  return reader.query(tree)
}

const nameOf = (tree: Tree) => String(tree.value)

/** The name of a table's alias. Columns of the alias are not covered. */
function aliasOf({ alias }: Tree): { alias: string } | undefined {
  if (!has(alias)) return undefined
  onlyHas(alias, 'explicit', 'name')
  return { alias: nameOf(alias.name!) }
}

/** Whether a join keeps a row without an element: a left join, which needs ON TRUE, not a cross join. */
function isOuterJoin(join: Tree): boolean {
  const { kind, body } = kindOf(join)
  if (kind === 'CrossJoin') return false
  if (kind !== 'Left' && kind !== 'LeftOuter') return unsupported()
  return String(body.On?.Value?.value?.Boolean) === 'true' || wrong()
}

class Reader {
  readonly texts: readonly string[]

  constructor(texts: readonly string[]) {
    this.texts = texts
  }

  #expression(tree: Tree): Syntax {
    return readExpression(tree, this)
  }

  query(tree: Tree): Query {
    onlyHas(tree, 'with', 'body', 'order_by', 'limit_clause')
    if (has(tree.with)) onlyHas(tree.with, 'cte_tables')
    const { limit, offset } = this.#limit(tree.limit_clause!)
    return {
      ctes: listOf(tree.with?.cte_tables).map((cte) => ({
        name: aliasOf(cte)!.alias,
        query: this.query(cte.query!),
      })),
      body: this.#body(tree.body!),
      orderBy: listOf(tree.order_by?.kind?.Expressions).map((key) => this.#order(key)),
      ...(limit && { limit }),
      ...(offset && { offset }),
    }
  }

  #limit(tree: Tree): { limit?: Syntax; offset?: Syntax } {
    if (!has(tree)) return {}
    const { limit, offset, limit_by } = tree.LimitOffset ?? unsupported()
    if (listOf(limit_by).length > 0) return unsupported()
    return {
      ...(has(limit) && { limit: this.#expression(limit) }),
      ...(has(offset) && { offset: this.#expression(offset.value!) }),
    }
  }

  #order({ expr, options }: Tree): Order {
    const { asc, nulls_first } = options!
    return {
      by: this.#expression(expr!),
      isDescending: String(asc) === 'false',
      ...(has(nulls_first) && { areNullsFirst: String(nulls_first) === 'true' }),
    }
  }

  #body(tree: Tree): Body {
    const { kind, body } = kindOf(tree)
    if (kind === 'Select') return { kind: 'select', select: this.#select(body) }
    if (kind === 'Query') return { kind: 'query', query: this.query(body) }
    if (kind !== 'SetOperation' || String(body.op) !== 'Union' || String(body.set_quantifier) !== 'All')
      return unsupported()
    return { kind: 'union', left: this.#body(body.left!), right: this.#body(body.right!) }
  }

  #select(tree: Tree): Select {
    onlyHas(tree, 'projection', 'from', 'selection', 'group_by', 'having', 'distinct')
    const [keys, modifiers] = listOf(tree.group_by?.Expressions)
    if (listOf(modifiers).length > 0) return unsupported()
    return {
      isDistinct: has(tree.distinct) && (kindOf(tree.distinct).kind === 'Distinct' || unsupported()),
      items: listOf(tree.projection).map((item) => this.#item(item)),
      ...this.#from(listOf(tree.from)),
      ...(has(tree.selection) && { where: this.#expression(tree.selection) }),
      groupBy: listOf(keys).map((key) => this.#expression(key)),
      ...(has(tree.having) && { having: this.#expression(tree.having) }),
    }
  }

  #item(tree: Tree): Item {
    const { kind, body } = kindOf(tree)
    if (kind === 'UnnamedExpr') return { kind: 'value', value: this.#expression(body) }
    if (kind === 'ExprWithAlias')
      return { kind: 'value', value: this.#expression(body.expr!), alias: nameOf(body.alias!) }
    const [table, options] = kind === 'QualifiedWildcard' ? listOf(body) : [undefined, body]
    onlyHas(options!)
    if (table === undefined) return { kind: 'all' }
    const steps = listOf(table.ObjectName).map((step) => nameOf(step.Identifier!))
    return steps.length === 1 ? { kind: 'all', table: steps[0]! } : unsupported()
  }

  #from(relations: readonly Tree[]): { table?: Table; unnests: Unnest[] } {
    const [first, ...others] = relations
    if (first === undefined) return { unnests: [] }
    const unnests = [
      ...listOf(first.joins).map((join) => this.#join(join)),
      ...others.flatMap(({ relation, joins }) => [
        this.#unnest(relation!, false),
        ...listOf(joins).map((join) => this.#join(join)),
      ]),
    ]
    return { table: this.#table(first.relation!), unnests }
  }

  #join({ relation, join_operator }: Tree): Unnest {
    return this.#unnest(relation!, isOuterJoin(join_operator!))
  }

  #unnest(tree: Tree, isOuter: boolean): Unnest {
    const { kind, body } = kindOf(tree)
    if (kind !== 'UNNEST') return unsupported()
    onlyHas(body, 'alias', 'array_exprs')
    const [path, ...others] = listOf(body.array_exprs).map((one) => this.#expression(one))
    if (path?.kind !== 'name' || others.length > 0) return unsupported()
    return { path, isOuter, ...aliasOf(body) }
  }

  #table(tree: Tree): Table {
    const { kind, body } = kindOf(tree)
    if (kind === 'Derived') {
      onlyHas(body, 'subquery', 'alias')
      return { kind: 'derived', query: this.query(body.subquery!), ...aliasOf(body) }
    }
    if (kind !== 'Table') return unsupported()
    onlyHas(body, 'name', 'alias')
    const name = listOf(body.name).map((step) => nameOf(step.Identifier!))
    return { kind: 'named', name: name.join('.'), ...aliasOf(body) }
  }
}
