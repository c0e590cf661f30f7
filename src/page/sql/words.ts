/** Words that the editor colours and suggests, besides the words of the compiler in `common/sql-words.ts`. */

/** The columns that each source has. */
export const COLUMNS: readonly string[] = ['id', 'timestamp', 'event_message', 'project', 'metadata']

/** Words of the syntax. Some words are names only in backticks. */
export const KEYWORDS: readonly string[] = [
  ...['all', 'and', 'as', 'asc', 'at', 'between', 'by', 'case', 'cross', 'desc', 'distinct', 'else', 'end'],
  ...['explain', 'false', 'first', 'from', 'group', 'having', 'ilike', 'in', 'interval', 'is', 'join', 'last'],
  ...['left', 'like', 'limit', 'not', 'null', 'nulls', 'offset', 'on', 'or', 'order', 'outer'],
  ...['safe_offset', 'select', 'then', 'true', 'union', 'unnest', 'when', 'where', 'with'],
]
