// @ts-check
import { contains, endpoint, equals, invalidParameter, literal, scan, sql, text, union } from 'logweir/endpoint'

/** @typedef {'edge_logs' | 'postgres_logs' | 'function_logs' | 'auth_logs'} Source */

/** The sources that can be searched. @type {readonly Source[]} */
const SOURCES = ['edge_logs', 'postgres_logs', 'function_logs', 'auth_logs']

/**
 * A parameter type of its own: names of sources, separated by commas; all if absent.
 * @type {import('logweir/endpoint').Param<readonly Source[]>}
 */
const sources = {
  required: false,
  description: `some of ${SOURCES.join(', ')}, separated by commas; absent: all`,
  read(given, name) {
    if (given === undefined) return SOURCES
    const names = given.split(',')
    if (names.some((one) => !SOURCES.some((source) => source === one)))
      throw invalidParameter(`The parameter "${name}" may name ${SOURCES.join(', ')}.`)
    return SOURCES.filter((source) => names.includes(source))
  },
}

/**
 * messages.search: the newest messages of a project that contain a text, of the sources that the caller names.
 *
 * Gives   at most 100 rows, the newest first: source, timestamp (µs UTC), event_message
 */
export default endpoint({
  id: '5b1f6a3e-0c1d-4a52-9a53-3d2c0f7e9a04',
  name: 'messages.search',
  summary: 'The newest messages of a project that contain a text',
  maxRows: 100,
  cache: 'disabled',
  params: { project: text('the project whose messages are searched'), text: text('the text'), sources },
  query: sql`
    -- The first part once for each of @sources.
    select 'edge_logs' as source, timestamp, event_message
    from edge_logs
    where project = @project and strpos(event_message, @text) > 0
    union all …
    order by timestamp desc, source, event_message
    limit 100
  `,
  plan({ project, text, sources }) {
    const [first, ...others] = sources.map((source) =>
      scan(source, { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY })
        .filter(equals('project', project), contains('event_message', text))
        .select({ source: literal(source) }, 'timestamp', 'event_message'),
    )
    return union(first, ...others)
      .orderBy('timestamp', 'desc')
      .thenBy('source')
      .thenBy('event_message')
      .limit(100)
  },
})
