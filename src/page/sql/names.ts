/** The names that a query defines: sources, aliases of tables and of columns. */
import { isToken, nameOf, type Token } from './tokens.js'

/** The names in a query. */
export interface Names {
  /** The sources that the query reads. */
  sources: readonly string[]
  /** Names of the WITH clauses. */
  tables: readonly string[]
  /** Other names of tables. Names of lists (`unnest`) have the path of the list. */
  aliases: ReadonlyMap<string, string>
  /** Names that the query gives to columns. */
  columns: readonly string[]
}

/** Reads the names of a query, even if incomplete. `known`: the names of all sources. */
export function namesOf(tokens: readonly Token[], known: readonly string[]): Names {
  const code = tokens.filter(({ kind }) => kind !== 'comment')
  const [tables, columns, sources] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const aliases = new Map<string, string>()
  for (const [i, token] of code.entries()) {
    const next = code[i + 1]
    if (isBeforeTable(code, i)) {
      if (next !== undefined && known.includes(nameOf(next))) sources.add(nameOf(next))
      readAlias(code, i + 1, aliases)
    }
    if (!isToken(token, 'as') || next === undefined) continue
    if (isToken(next, '(')) tables.add(nameOf(code[i - 1]))
    else if (isName(next)) columns.add(nameOf(next))
  }
  for (const alias of aliases.keys()) columns.delete(alias)
  return { sources: [...sources], tables: [...tables], aliases, columns: [...columns] }
}

const isName = ({ kind }: Token) => kind === 'word' || kind === 'quoted'

/** Words that begin a list. A comma belongs to the list that was begun last. */
const LISTS = ['select', 'from', 'join', 'where', 'by', 'having', 'on', '(']

/** Returns whether a table follows the token at `at`: a source may have the name of a column too. */
export function isBeforeTable(code: readonly Token[], at: number): boolean {
  if (isToken(code[at], 'from', 'join')) return true
  const list = isToken(code[at], ',') ? code.slice(0, at).findLast((token) => isToken(token, ...LISTS)) : undefined
  return isToken(list, 'from', 'join')
}

/** Words that follow a table, and are no alias. */
const AFTER_TABLE = ['where', 'group', 'order', 'having', 'limit', 'cross', 'left', 'join', 'union', 'on', 'as']

/** Reads the alias of the table at `at`: of a source, or of the list in `unnest(path)`. */
function readAlias(code: readonly Token[], at: number, aliases: Map<string, string>): void {
  const isList = isToken(code[at], 'unnest')
  const path: string[] = []
  let next = at + 1
  if (isList) {
    while (next < code.length && !isToken(code[next], ')')) path.push(code[next++].text)
    next++
  }
  if (isToken(code[next], 'as')) next++
  const alias = code[next]
  if (alias === undefined || !isName(alias) || isToken(alias, ...AFTER_TABLE)) return
  aliases.set(nameOf(alias), isList ? pathOf(path.slice(1).join(''), aliases) : '')
}

/** Returns a path of fields from the metadata. The first key may be an alias. */
export function pathOf(written: string, aliases: ReadonlyMap<string, string>): string {
  const [first = '', ...rest] = written.split('.')
  const prefix = first === 'metadata' ? '' : (aliases.get(first) ?? first)
  const path = [prefix, ...rest].filter((key) => key !== '').join('.')
  return path.replace(/^metadata\.?/, '')
}
