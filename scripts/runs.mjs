/** The runs of the tests: which projects of vitest.config.ts, in which time zone. */
const UTC = 'UTC'
/** A zone whose offset is not a whole hour. */
const SHIFTED = 'Pacific/Chatham'
const PROJECTS = ['unit', 'timed', 'program', 'timed-program', 'clickhouse', 'page']

/** What `npm test` runs: each project under UTC, and the unit tests in a shifted zone too. */
export const ALL = [...runsOf(PROJECTS), ...runsOf(['unit'], SHIFTED)]

/** What `npm run test:slow` runs. */
export const SLOW = runsOf(['slow'])

/** The runs of some projects in one time zone. */
export function runsOf(projects, timeZone = UTC) {
  return projects.map((project) => ({ project, timeZone }))
}
