import type { Log } from '../../../base/log.js'
import type { Metrics } from '../../../base/metrics.js'
import { describeDamage, type JournalVisitor } from './recover.js'

/** Returns a part of a visitor that counts and logs the damage in journals below a directory. */
export const reportJournals = (
  directory: string,
  metrics: Pick<Metrics, 'damagedBytes' | 'unreadableJournals'>,
  log: Log,
): Required<Pick<JournalVisitor, 'damage' | 'torn'>> => ({
  damage(stretch) {
    const { path, bytes, unreadable } = stretch
    metrics.damagedBytes.inc(bytes)
    if (unreadable !== undefined) metrics.unreadableJournals.inc()
    log(describeDamage(directory, stretch), { level: 'error', code: 'journal_damaged', path, bytes })
  },
  torn({ path, bytes }) {
    log(
      `the last write of the killed process was incomplete (${bytes} bytes at the end of ${directory}/${path}); ` +
        'nothing that was answered or visible is lost',
      { code: 'journal_torn', path, bytes },
    )
  },
})
