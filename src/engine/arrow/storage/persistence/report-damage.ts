import type { Log } from '../../../../base/log.js'
import type { Metrics } from '../../../../base/metrics.js'
import { describeDamage } from '../../../disk/journal/recover.js'
import type { RecoveryVisitor } from './recover-disk.js'

/** Returns a visitor that counts and logs the damage in a directory. */
export const reportDamage = (
  directory: string,
  metrics: Pick<Metrics, 'damagedBytes' | 'damagedSegments'>,
  log: Log,
): RecoveryVisitor => ({
  damage(stretch) {
    metrics.damagedBytes.inc(stretch.bytes)
    log(describeDamage(directory, stretch), { level: 'error', code: 'journal_damaged', bytes: stretch.bytes })
  },
  unreadable(path, { message }) {
    metrics.damagedSegments.inc()
    log(`${directory}/${path} cannot be read, and its rows are not shown: ${message}`, {
      level: 'error',
      code: 'segment_damaged',
      path,
    })
  },
})
