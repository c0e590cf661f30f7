import { located, unsupported } from '../parse/fault.js'
import type { Query } from '../parse/tree.js'
import { visitTree } from '../parse/visit-tree.js'

/**
 * Refuses a text that may read its table several times, which a pipe cannot: UNION ALL, WITH and IN (select …). Throws
 * `unsupported_sql` with the place.
 */
export function refuseSeveralReads(text: string, query: Query): void {
  located(text, () => visitTree(query, check))
}

/** The members of objects of a syntax tree that tell a query from other nodes. */
interface Part {
  kind?: string
  at?: number
  tables?: Query['tables']
  /** The parts of a union. */
  parts?: readonly { at: number }[]
}

function check(part: Part): void {
  const { kind, tables, at = 0, parts } = part
  if (kind === 'union') throw refused('UNION ALL', parts?.[1]?.at ?? at)
  if (kind === 'inQuery') throw refused('IN (select …)', at)
  for (const table of tables ?? []) throw refused('WITH', table.at)
}

const refused = (clause: string, at: number) =>
  unsupported(`${clause} may read the lines several times, and the standard input comes once: name a file.`, at)
