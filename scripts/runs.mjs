/**
 * The test runs: each is a project of vitest.config.ts and a time zone, perhaps with the files that it is limited to
 * and a scale of test/support/runs.ts.
 */
const UTC = 'UTC'
/** A zone with an offset of hours and minutes. */
const SHIFTED = 'Pacific/Chatham'
const PROJECTS = ['unit', 'isolated', 'timed', 'program', 'timed-program', 'clickhouse', 'page']

/**
 * Unit tests of features that may differ between versions of Node and between time zones: sockets, files, threads,
 * memory, native modules, WebAssembly, JSON, regular expressions and dates. The others compute with numbers, texts and
 * bytes alone, check files of this repository, or test the same as one of these; test/http/answers.test.ts has the
 * cases of all endpoints.
 */
const PORTABLE = [
  ...['base/', 'client/', 'config/', 'import/', 'otlp/', 'plan/', 'sql-directory/', 'supabase/', 'tokens/'],
  ...['http/access/', 'http/formats/', 'http/intake/', 'http/query/', 'http/server/', 'http/sql/', 'http/tail/'],
  ...['http/answers.', 'http/projects.', 'http/slow-bodies.', 'sql/cases.', 'time-zone.'],
  ...['ingest/lines/', 'ingest/wasm/', 'ingest/other-fields.', 'ingest/text.', 'ingest/unreadable-times.'],
  ...[
    'engine/disk/',
    'engine/arrow/storage/files/',
    'engine/arrow/storage/sealing/',
    'engine/times.',
    'engine/values.',
  ],
].map((place) => `test/${place}`)

/** The runs of `npm test`: each project under UTC, and the portable unit tests in a shifted zone too. */
export const ALL = [...runsOf(PROJECTS), ...runsOf(['portable', 'isolated'], SHIFTED)]

/** The runs of `npm run test:slow`: the slow tests, and the projects with random tests again, at full size. */
export const SLOW = [...runsOf(['slow']), ...runsOf(['unit', 'clickhouse']).map((run) => ({ ...run, scale: 1 }))]

/** Returns one run per project, all in the same time zone; `portable` is a part of the project `unit`. */
export function runsOf(projects, timeZone = UTC) {
  return projects.map((project) =>
    project === 'portable' ? { project: 'unit', timeZone, files: PORTABLE } : { project, timeZone },
  )
}
