import { DAY_US } from '../base/units.js'
import { MAX_SQL_ROWS } from '../common/limits.js'
import { equals, scan } from '../plan/builder.js'
import { endpoint, sql } from './endpoint.js'
import { text, timestamp, word } from './params.js'

const RETENTION_US = { FREE: DAY_US, PRO: 7 * DAY_US, PAYG: 90 * DAY_US, ENTERPRISE: 90 * DAY_US }

/** The parameters of logs.all. */
export const LOGS_ALL_PARAMS = {
  project: text('the project whose requests are read'),
  project_tier: word(RETENTION_US, 'FREE'),
  iso_timestamp_start: timestamp('only requests after this moment, ISO 8601'),
  iso_timestamp_end: timestamp('only requests up to this moment, ISO 8601'),
}

/**
 * logs.all: the newest edge requests of a project, unchanged.
 *
 * Gives   at most 100 rows, newest first (timestamp, then arrival): id, timestamp (µs UTC), event_message, metadata
 * Window  timestamp > now - the tier's retention, > iso_timestamp_start, <= iso_timestamp_end
 * Empty   no request: no row
 * Cost    the newest rows of the project in each segment until 100 are found. Cold columns of the answer's rows only
 */
export const logsAll = endpoint({
  id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d01',
  name: 'logs.all',
  summary: 'The newest edge requests of a project',
  maxRows: MAX_SQL_ROWS,
  cache: 'disabled',
  params: LOGS_ALL_PARAMS,
  query: sql`
    select id, timestamp, event_message, metadata
    from \`edge_logs\`
    where project = @project
      and timestamp > timestamp_sub(current_timestamp(), interval case @project_tier
        when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1
      end day)
      and (@iso_timestamp_start is null or timestamp > @iso_timestamp_start)
      and (@iso_timestamp_end is null or timestamp <= @iso_timestamp_end)
    order by timestamp desc
    limit 100
  `,
  plan({ project, project_tier, iso_timestamp_start, iso_timestamp_end }, nowUs) {
    const afterUs = Math.max(nowUs - RETENTION_US[project_tier], iso_timestamp_start ?? Number.NEGATIVE_INFINITY)
    return scan('edge_logs', { fromUs: afterUs + 1, throughUs: iso_timestamp_end ?? Number.POSITIVE_INFINITY })
      .filter(equals('project', project))
      .select('id', 'timestamp', 'event_message', 'metadata')
      .orderBy('timestamp', 'desc')
      .limit(100)
  },
})
