/** Writes tables of results into pages of docs, between comments such as `<!-- peers -->` and `<!-- /peers -->`. */
import { readFileSync, writeFileSync } from 'node:fs'

const DOCS = new URL('../docs/', import.meta.url)

/** Replaces the named tables of a page. `tables`: Markdown texts by the name in the comment. */
export function putTables(pageName, tables) {
  const page = new URL(pageName, DOCS)
  const text = Object.entries(tables).reduce(
    (text, [name, table]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\\n).*(<!-- /${name} -->)`, 's'),
        (_all, before, after) => `${before}\n${table}\n\n${after}`,
      ),
    readFileSync(page, 'utf8'),
  )
  writeFileSync(page, text)
}

/** Returns a Markdown table. The first column is aligned to the left, the others to the right. */
export function markdownTable(heads, rows) {
  const rule = heads.map((_head, i) => (i === 0 ? '---' : '---:'))
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Returns a number as text with three significant digits, never in exponent notation. */
export function round(value) {
  return Number(value.toPrecision(3)).toLocaleString('en')
}
