/** The `.sql` file that makes an endpoint of a query. */
import { ENDPOINT_NAME, MAX_ENDPOINT_NAME_CHARACTERS, type MAX_ENDPOINT_ROWS } from '../../../common/limits.js'

/** An endpoint, and its query. */
export interface EndpointFile {
  /** Name of the endpoint: see {@link nameProblem}. */
  name: string
  /** A sentence about the rows. Empty: no description. */
  description: string
  /** Maximum of rows in an answer, from 1 to {@link MAX_ENDPOINT_ROWS}. */
  maxRows: number
  sql: string
}

/** Returns the error of the name of an endpoint, or undefined if the name is valid. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'Enter a name.'
  if (name.length > MAX_ENDPOINT_NAME_CHARACTERS)
    return `A name has at most ${MAX_ENDPOINT_NAME_CHARACTERS} characters.`
  return ENDPOINT_NAME.test(name)
    ? undefined
    : 'A name begins with a letter and has letters, digits and _; dots and dashes between them.'
}

/** Returns the text of the file. The service applies the project to every source that the query reads. */
export function endpointFile({ name, description, maxRows, sql }: EndpointFile): string {
  const lines = [
    ...commentOf(description),
    `-- name: ${name}`,
    '-- param project: text, required',
    `-- max rows: ${maxRows}`,
    ...withoutSettings(sql.trim()),
  ]
  return `${lines.join('\n')}\n`
}

/** A description such as `cache: short` would be read as a setting. */
export const LIKE_A_SETTING = /^(?:param\s|[a-z]\w*(?:[ _-]+\w+)?\s*:)/i

function commentOf(description: string): string[] {
  const words = description.replaceAll(/\s+/g, ' ').trim()
  if (words === '') return []
  return [LIKE_A_SETTING.test(words) ? `-- “${words}”` : `-- ${words}`]
}

/** Comments before the query would be read as settings too. Comments with `#` are not. */
function withoutSettings(sql: string): string[] {
  const lines = sql.split('\n')
  const first = lines.findIndex((line) => !/^\s*(?:--|$)/.test(line))
  return lines.map((line, i) => (i < first ? line.replace('--', '#') : line))
}
