/** The settings of generated records. */

import { parseIso8601 } from '../base/time/iso8601.js'
import { SERVE_SETTINGS } from './serve-settings.js'
import type { Settings } from './setting.js'
import { anySource } from './source-types.js'
import { durationUs, integer, isoTime, onOff, type ValueType } from './value-types.js'

const moment: ValueType<number | 'now'> = {
  placeholder: 'TIME',
  expects: `"now" or ${isoTime.expects}`,
  read: (value) => (value === 'now' ? value : parseIso8601(value)),
}

const MAX_ROWS = 1e12
const MAX_SEED = 2 ** 48
const MAX_PROJECTS = 1_000_000

/** Settings of `logweir generate`. */
export const GENERATE_SETTINGS = {
  rows: { type: integer('N', 1, MAX_ROWS), default: '1000', variable: false, meaning: 'records to write' },
  seed: {
    type: integer('N', 0, MAX_SEED),
    default: '1',
    variable: false,
    meaning: 'the same seed and --end write the same records',
  },
  source: { type: anySource, default: 'all', isAnnounced: true, meaning: 'one source, or all nine mixed' },
  span: { type: durationUs, default: '7d', variable: false, meaning: 'time from the first record to the last' },
  end: { type: moment, default: 'now', variable: false, meaning: 'time of the last record, ISO 8601' },
  slim: { type: onOff, variable: false, meaning: 'short records: little more than the fields that queries read' },
  optionalHeaders: { type: onOff, variable: false, meaning: 'requests with headers that others lack' },
  projects: {
    type: integer('N', 1, MAX_PROJECTS),
    default: '2000',
    variable: false,
    meaning: 'customers; the first has a tenth of the records',
  },
  badEvery: {
    type: integer('N', 0, MAX_ROWS),
    default: '0',
    variable: false,
    meaning: 'add an invalid line after every N records; 0: none',
  },
} satisfies Settings

/** Settings of `logweir demo`. No variables: those of another service of the user have no effect on the demo. */
export const DEMO_SETTINGS = {
  port: {
    ...SERVE_SETTINGS.port,
    variable: false,
    meaning: 'first TCP port to try; if it is in use, the next free one; 0: any free one',
  },
  rows: { ...GENERATE_SETTINGS.rows, default: '200000', meaning: 'records to generate' },
  any: { type: onOff, variable: false, meaning: 'sources of your own, nginx and app, instead of the nine' },
  once: { type: onOff, variable: false, meaning: 'stop after the example requests, instead of serving until Ctrl-C' },
} satisfies Settings
