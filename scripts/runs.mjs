/** The runs of the tests: which of vitest's projects, under which time zone. */
const UNIT = { timeZone: 'UTC', project: 'unit' }
const SHIFTED = { timeZone: 'Pacific/Chatham', project: 'unit' }
const TIMED = { timeZone: 'UTC', project: 'timed' }
const PROGRAM = { timeZone: 'UTC', project: 'program' }
const CLICKHOUSE = { timeZone: 'UTC', project: 'clickhouse' }
const PAGE = { timeZone: 'UTC', project: 'page' }
const SLOW = { timeZone: 'UTC', project: 'slow' }

/** What `npm test` runs: the unit tests also under a time zone whose offset is no whole hour. */
export const ALL = [UNIT, SHIFTED, TIMED, PROGRAM, CLICKHOUSE, PAGE]

/** By the flag that asks for other runs. */
export const OTHERS = new Map([
  ['--unit', [UNIT, TIMED]],
  ['--slow', [SLOW]],
])
