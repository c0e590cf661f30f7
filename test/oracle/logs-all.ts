import type { Oracle } from './oracle.js'
import { isoUs } from './time.js'

const DAY_US = 86_400_000_000
const RETENTION_DAYS = new Map([
  ['FREE', 1],
  ['PRO', 7],
  ['PAYG', 90],
  ['ENTERPRISE', 90],
])

/** Section 4.1 of the contract. */
export const logsAll: Oracle = (records, params, nowUs) => {
  const { project, project_tier = '', iso_timestamp_start: start, iso_timestamp_end: end } = params
  const retentionUs = (RETENTION_DAYS.get(project_tier) ?? 1) * DAY_US
  return records
    .filter((record) => record.source === 'edge_logs' && record.project === project)
    .filter((record) => record.timestampUs > nowUs - retentionUs)
    .filter((record) => !start || BigInt(record.timestampUs) > isoUs(start)!)
    .filter((record) => !end || BigInt(record.timestampUs) <= isoUs(end)!)
    .toReversed()
    .sort((a, b) => b.timestampUs - a.timestampUs)
    .slice(0, 100)
    .map(({ id, timestampUs, event_message, metadata }) => ({
      id,
      timestamp: timestampUs,
      event_message,
      metadata: { json: metadata },
    }))
}
