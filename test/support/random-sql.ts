import { below, oneOf, type Random } from './random.js'
import { type Atom, type SqlScope, sqlExpression } from './random-sql-expressions.js'
import { commonSqlType, type From, randomFrom, randomSource, type Table } from './random-sql-from.js'
import { PLAIN_TYPES, type SqlType } from './random-sql-literals.js'

/**
 * A random query over the records of `randomRecords`, that the compiler takes. Most queries run. A few raise an error
 * of a row. Equal sequences of `random` give equal queries. A query has no parameters.
 */
export function randomSql(random: Random): string {
  return new SqlMaker(random).statement()
}

/** A query and the query's columns. */
interface Made {
  text: string
  columns: readonly Atom[]
}

/** A column of a SELECT: the expression, and the text in the list. */
interface Output extends Atom {
  expression: string
  item: string
}

/** A name, and the last step of the name. */
const NAME = /^(?:(?:\w+|`[^`]+`)\.)*(\w+|`[^`]+`)$/
const LITERAL = /^(?:[-\d.'"]|[rR]['"]|(?:timestamp|date) ['"]|(?:true|false|null)$)/i
const isLiteral = (expression: string) => LITERAL.test(expression)
const listOf = (outputs: readonly Output[]) => outputs.map(({ item }) => item).join(', ')
/** The names of the columns by which rows can be sorted. */
const namesOf = (outputs: readonly Atom[]) => outputs.flatMap(({ text, type }) => (type === 'open' ? [] : [text]))

class SqlMaker {
  readonly #random: Random
  #names = 0
  #tables: Table[] = []

  constructor(random: Random) {
    this.#random = random
  }

  #chance(share: number): boolean {
    return this.#random() < share
  }

  #many<T>(count: number, make: () => T): T[] {
    return Array.from({ length: count }, make)
  }

  /** A query with common table expressions, in a random layout. */
  statement(): string {
    const ctes = this.#chance(0.2) ? this.#many(1 + below(this.#random, 2), () => this.#cte()) : []
    const { text } = this.#query(2)
    const start = ctes.length === 0 ? '' : `with ${ctes.join(', ')} `
    const end = this.#chance(0.3) ? oneOf(this.#random, [';', ' -- end', ' /* end */', ' # end', '\n;\n']) : ''
    return `${start}${text}${end}`
  }

  #cte(): string {
    const name = `cte${this.#names++}`
    const { text, columns } = this.#query(1)
    this.#tables.push({ text: name, columns, alias: name })
    return `${name} as (${text})`
  }

  /** A SELECT, or a union of two, with an order and a limit. */
  #query(depth: number): Made {
    if (this.#chance(0.1)) return this.#union(depth)
    const isTop = depth === 2
    return this.#select(depth, isTop)
  }

  #union(depth: number): Made {
    const count = 1 + below(this.#random, 3)
    const parts = this.#many(2 + below(this.#random, 2), () => this.#plainSelect(depth, this.#types(count)))
    const columns = parts[0]!.columns.map(({ text }, i): Atom => {
      return { text, type: commonSqlType(parts.map((part) => part.columns[i]!.type)) }
    })
    const text = parts.map((part) => (this.#chance(0.2) ? `(${part.text})` : part.text)).join(' union all ')
    const keys = namesOf(columns)
    const order = depth === 2 && keys.length > 0 && this.#chance(0.5) ? ` order by ${this.#order(keys)}` : ''
    return { text: `${text}${order}`, columns }
  }

  #types(count: number): SqlType[] {
    return this.#many(count, () => oneOf(this.#random, [...PLAIN_TYPES, 'any', 'any', 'text', 'time', 'int']))
  }

  #from(depth: number): From {
    if (this.#chance(0.03)) return { text: '', atoms: [], columns: [] }
    if (this.#tables.length > 0 && this.#chance(0.5)) return randomFrom(this.#random, oneOf(this.#random, this.#tables))
    if (depth > 0 && this.#chance(0.2)) {
      const { text, columns } = this.#query(depth - 1)
      const alias = this.#chance(0.7) ? `d${this.#names++}` : undefined
      return randomFrom(this.#random, {
        text: `(${text})${alias ? ` as ${alias}` : ''}`,
        columns,
        ...(alias && { alias }),
      })
    }
    return randomFrom(this.#random, randomSource(this.#random))
  }

  #scope(atoms: readonly Atom[], depth: number): SqlScope {
    const subquery = () =>
      `(${this.#plainSelect(depth - 1, [oneOf(this.#random, ['any', 'text', 'int', 'time'])]).text})`
    return { random: this.#random, atoms, ...(depth > 0 && { subquery }) }
  }

  #expression(scope: SqlScope, type: SqlType): string {
    return sqlExpression(scope, type, below(this.#random, 4))
  }

  /** FROM and WHERE. No WHERE alone. */
  #rows({ text }: From, scope: SqlScope): string {
    if (text === '') return ''
    return (
      this.#gap() +
      text.trimStart() +
      (this.#chance(0.4) ? `${this.#gap()}where ${sqlExpression(scope, 'bool', 1 + below(this.#random, 3))}` : '')
    )
  }

  /** White space between two parts of a query, sometimes with a comment. */
  #gap(): string {
    return this.#chance(0.9) ? ' ' : oneOf(this.#random, ['\n', " /* it's */ ", ' -- "\n', ' # `\n  '])
  }

  /** A SELECT of columns of the given types, without an order. */
  #plainSelect(depth: number, types: readonly SqlType[]): Made {
    const from = this.#from(depth)
    const scope = this.#scope(from.atoms, depth)
    const outputs = types.map((type) => this.#output(this.#expression(scope, type), type))
    return this.#made(`select ${listOf(outputs)}${this.#rows(from, scope)}`, outputs)
  }

  #made(text: string, outputs: readonly Output[]): Made {
    return { text, columns: outputs.map(({ text: name, type }) => ({ text: name, type })) }
  }

  #output(expression: string, type: SqlType, text = `c${this.#names++}`): Output {
    return { expression, type, text, item: `${expression}${oneOf(this.#random, [' as ', ' AS ', ' '])}${text}` }
  }

  /** Some names without an alias, which are the names of their columns. */
  #withoutAliases(outputs: readonly Output[]): Output[] {
    const taken = new Set(outputs.map(({ text }) => text))
    return outputs.map((output) => {
      const name = NAME.exec(output.expression)?.[1]
      const isName = name !== undefined && !isLiteral(output.expression) && !taken.has(name.toLowerCase())
      if (!isName || this.#chance(0.6)) return output
      taken.add(name.toLowerCase())
      return { ...output, text: name, item: output.expression }
    })
  }

  #select(depth: number, isTop: boolean): Made {
    const from = this.#from(depth)
    const scope = this.#scope(from.atoms, depth)
    const kind = this.#random()
    if (from.text !== '' && kind < 0.4) return this.#grouped(from, scope, depth, isTop)
    if (from.text !== '' && kind < 0.5) return this.#distinct(from, scope, isTop)
    if (from.text !== '' && kind < 0.57) return this.#star(from, scope, isTop)
    const outputs = this.#withoutAliases([...this.#outputs(scope), ...this.#openOutputs(scope)])
    const keys = [...namesOf(outputs), ...this.#many(2, () => this.#sortable(scope))]
    const comma = from.text !== '' && this.#chance(0.05) ? ',' : ''
    return this.#ended(`select ${listOf(outputs)}${comma}${this.#rows(from, scope)}`, outputs, keys, isTop)
  }

  #outputs({ atoms, ...scope }: SqlScope): Output[] {
    const fields = atoms.filter(({ type }) => type !== 'open')
    return this.#many(1 + below(this.#random, 3), () => {
      if (fields.length > 0 && this.#chance(0.4)) {
        const { text, type } = oneOf(this.#random, fields)
        return this.#output(text, type)
      }
      const [type] = this.#types(1)
      return this.#output(this.#expression({ ...scope, atoms }, type!), type!)
    })
  }

  #openOutputs({ atoms }: SqlScope): Output[] {
    return atoms.flatMap(({ text, type }) => (type === 'open' ? [this.#output(text, 'open')] : []))
  }

  /** All columns of the table, and an added column. */
  #star(from: From, scope: SqlScope, isTop: boolean): Made {
    const added = this.#output(this.#expression(scope, 'text'), 'text')
    const all = from.columns.map(({ text, type }): Output => ({ text, type, expression: text, item: '*' }))
    const star = from.alias !== undefined && this.#chance(0.4) ? `${from.alias}.*` : '*'
    const text = `select ${star}, ${added.item}${this.#rows(from, scope)}`
    return this.#ended(text, [...all, added], namesOf([...all, added]), isTop)
  }

  /** An expression to sort by: a literal would be a column, or no order. */
  #sortable(scope: SqlScope): string {
    const text = this.#expression(scope, oneOf(this.#random, [...PLAIN_TYPES, 'any']))
    return isLiteral(text) ? `coalesce(${text})` : text
  }

  #distinct(from: From, scope: SqlScope, isTop: boolean): Made {
    const outputs = this.#withoutAliases(this.#outputs(scope))
    return this.#ended(`select distinct ${listOf(outputs)}${this.#rows(from, scope)}`, outputs, namesOf(outputs), isTop)
  }

  #grouped(from: From, scope: SqlScope, depth: number, isTop: boolean): Made {
    const keys = this.#withoutAliases(this.#many(below(this.#random, 3), () => this.#key(scope)))
    if (this.#chance(0.3)) this.#nameTime(keys)
    const aggregates = this.#many((keys.length === 0 ? 1 : 0) + below(this.#random, 3), () => this.#aggregate(scope))
    const known = [...keys, ...aggregates].map(({ expression, type }) => ({ text: expression, type }))
    const behind = this.#scope(known, 0)
    const computed = this.#many(below(this.#random, 2), () => {
      const type = oneOf(this.#random, PLAIN_TYPES)
      return this.#output(this.#expression(behind, type), type)
    })
    const outputs = [...keys, ...aggregates, ...computed]
    const by = keys.map((key, i) => this.#groupBy(key, i, keys))
    const group = by.length === 0 ? '' : `${this.#gap()}group by ${by.join(', ')}`
    const late = this.#scope([...known, ...outputs.map(({ text, type }) => ({ text, type }))], depth)
    const having = this.#chance(0.25) ? `${this.#gap()}having ${this.#expression(late, 'bool')}` : ''
    const text = `select ${listOf(outputs)}${this.#rows(from, scope)}${group}${having}`
    return this.#ended(text, outputs, [...namesOf(outputs), this.#sortable(late)], isTop)
  }

  /** Often names a bucket of time `timestamp`. */
  #nameTime(keys: Output[]): void {
    const place = keys.findIndex(({ expression }) => expression.startsWith('timestamp_trunc('))
    if (place < 0 || keys.some(({ text }) => text.toLowerCase() === 'timestamp')) return
    keys[place] = this.#output(keys[place]!.expression, 'time', 'timestamp')
  }

  /** An output name, a number or the expression, unless that means another output, or is a literal. */
  #groupBy({ text, expression }: Output, place: number, keys: readonly Output[]): string {
    const isOther = keys.some((key, i) => i !== place && key.text.toLowerCase() === expression.toLowerCase())
    if (this.#chance(0.4) && !isOther && !isLiteral(expression)) return expression
    return oneOf(this.#random, [text, text.includes('`') ? text : text.toUpperCase(), `${place + 1}`])
  }

  /** A key: a bucket of time, a field or a computed value. */
  #key(scope: SqlScope): Output {
    const fields = scope.atoms.filter(({ type }) => type !== 'open')
    const time = scope.atoms.find(({ type }) => type === 'time')
    if (time !== undefined && this.#chance(0.3)) {
      return this.#output(`timestamp_trunc(${time.text}, ${oneOf(this.#random, ['minute', 'hour', 'DAY'])})`, 'time')
    }
    if (fields.length > 0 && this.#chance(0.6)) {
      const { text, type } = oneOf(this.#random, fields)
      return this.#output(text, type)
    }
    const type = oneOf(this.#random, PLAIN_TYPES)
    return this.#output(this.#expression(scope, type), type)
  }

  #aggregate(scope: SqlScope): Output {
    const of = (type: SqlType) => this.#expression(scope, type)
    const type = oneOf(this.#random, [...PLAIN_TYPES, 'any'] as const)
    const numeric = oneOf(this.#random, ['num', 'int', 'any', 'text'] as const)
    const number = oneOf(this.#random, ['num', 'int'] as const)
    const [text, result] = oneOf(this.#random, [
      () => ['count(*)', 'int'],
      () => [`count(${of(type)})`, 'int'],
      () => [`count(distinct ${of(type)})`, 'int'],
      () => [`countif(${of('bool')})`, 'int'],
      () => [`sum(${of(numeric)})`, 'open'],
      () => [`avg(${of(numeric)})`, 'open'],
      () => [`min(${of(type)})`, type],
      () => [`MAX(${of(type)})`, type],
      () => [`any_value(${of(type)})`, 'open'],
      () => [`approx_quantiles(${of(number)}, 4)[offset(${below(this.#random, 5)})]`, 'open'],
      () => [`approx_quantiles(${of(number)}, 2)[safe_offset(${below(this.#random, 5)})]`, 'open'],
      () => [`approx_count_distinct(${of(type)})`, 'int'],
      () => [`array_agg(${of(type)}${this.#chance(0.5) ? ' limit 3' : ''})`, 'open'],
      () => [`string_agg(${of(type)}${oneOf(this.#random, ['', ", ';'", ", ''"])})`, 'open'],
    ] as const satisfies readonly (() => readonly [string, SqlType])[])()
    return this.#output(text, result)
  }

  /** Some of the keys, each in a random direction. */
  #order(keys: readonly string[]): string {
    const chosen = this.#many(1 + below(this.#random, 3), () => oneOf(this.#random, keys))
    const ends = ['', ' asc', ' desc', ' desc nulls last', ' nulls last', ' nulls first', ' DESC NULLS FIRST']
    return chosen.map((key) => `${key}${oneOf(this.#random, ends)}`).join(', ')
  }

  /** A query with an order and a limit: within another query all columns are keys, so that the limit is no choice. */
  #ended(text: string, outputs: readonly Output[], keys: readonly string[], isTop: boolean): Made {
    if (isTop) {
      const order = keys.length > 0 && this.#chance(0.6) ? ` order by ${this.#order(keys)}` : ''
      const limit = this.#chance(0.3) ? ` limit ${oneOf(this.#random, [0, 1, 5, 20, 2000])}` : ''
      const offset = limit !== '' && this.#chance(0.3) ? ` offset ${below(this.#random, 4)}` : ''
      return this.#made(`${text}${order}${limit}${offset}`, outputs)
    }
    const isOpen = outputs.some(({ type }) => type === 'open')
    if (isOpen || this.#chance(0.7)) return this.#made(text, outputs)
    const order = outputs.map((_, i) => `${i + 1}${oneOf(this.#random, ['', ' desc', ' nulls last'])}`).join(', ')
    return this.#made(`${text} order by ${order} limit ${1 + below(this.#random, 20)}`, outputs)
  }
}
