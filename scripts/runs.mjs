/** The test runs: each is a project of vitest.config.ts, a time zone, and perhaps a scale of test/support/runs.ts. */
const UTC = 'UTC'
/** A zone whose offset is not a whole hour. */
const SHIFTED = 'Pacific/Chatham'
const PROJECTS = ['unit', 'timed', 'program', 'timed-program', 'clickhouse', 'page']

/** The runs of `npm test`: each project under UTC, and the unit tests in a shifted zone too. */
export const ALL = [...runsOf(PROJECTS), ...runsOf(['unit'], SHIFTED)]

/** The runs of `npm run test:slow`: the slow tests, and the projects with random tests again, at full size. */
export const SLOW = [...runsOf(['slow']), ...runsOf(['unit', 'clickhouse']).map((run) => ({ ...run, scale: 1 }))]

/** Returns one run per project, all in the same time zone. */
export function runsOf(projects, timeZone = UTC) {
  return projects.map((project) => ({ project, timeZone }))
}
