/**
 * The test runs: each is a project of vitest.config.ts and a time zone, perhaps with a limit to some files, a scale of
 * test/support/runs.ts, another Node (the folder of its program), and without native parts.
 */
const UTC = 'UTC'
/** Zones with an offset of hours and minutes: the first of `npm test`, one for each newer Node of CI. */
export const SHIFTED = ['Pacific/Chatham', 'America/St_Johns', 'Asia/Kolkata']
const PROJECTS = ['unit', 'isolated', 'timed', 'program', 'timed-program', 'clickhouse', 'page']

/** Tests of the work that native parts do, or JavaScript and WebAssembly in their place. */
const NATIVE = {
  unit: [
    'base/compression/',
    'base/pattern/',
    'engine/execute/matching/',
    'engine/store/segment/',
    'plan/functions/',
    'sql/cases.',
  ],
}

/**
 * Tests of features that may differ between versions of Node and between time zones: sockets, files, threads, memory,
 * native modules, WebAssembly, regular expressions and dates. With most tests of native parts they are the portable
 * tests. The other tests compute with numbers, texts and bytes alone, check files of this repository, or test the same
 * as a portable test.
 */
const NODE = {
  unit: [
    'alerts/delivery/send.',
    'base/',
    'engine/store/files/',
    'engine/store/sealing/thread.',
    'engine/disk/',
    'engine/times.',
    'http/formats/formats.',
    'http/server/',
    'http/slow-bodies.',
    'ingest/wasm/',
    'time-zone.',
  ],
  isolated: ['base/process/heap.', 'http/compression.'],
}

const PORTABLE = { ...NODE, unit: [...NODE.unit, ...NATIVE.unit.filter((place) => !place.startsWith('base/'))] }

const PARTS = { native: NATIVE, node: NODE, portable: PORTABLE }

/** The runs of `npm test`: each project under UTC, and the portable tests in a shifted zone too. */
export const ALL = [...runsOf(PROJECTS), ...runsOf(['portable'], SHIFTED[0])]

/** The folders of the newer Nodes to test with, as .ci/run installs them. */
const NEWER_NODES = process.env.LOGWEIR_TEST_NODES?.split(':').filter((bin) => bin !== '') ?? []

/**
 * A part of the tests without native parts, with a fiftieth of the random runs: on this Node what depends on native
 * parts, on each newer Node what depends on Node or the time zone, in a zone of its own, and on the last Node both:
 * JavaScript and WebAssembly that compute the same on the oldest and on the newest Node do so between them.
 */
export const WITHOUT_NATIVE = [
  ...runsOf(['native']),
  ...NEWER_NODES.flatMap((bin, i) => {
    const part = i === NEWER_NODES.length - 1 ? 'portable' : 'node'
    return runsOf([part], SHIFTED[i % SHIFTED.length]).map((run) => ({ ...run, bin }))
  }),
].map((run) => ({ ...run, scale: 0.02, nativeParts: 'off' }))

/**
 * The runs of `npm run test:slow`: the slow tests; the projects with random tests again, at full size; and without
 * native parts, on this Node and on the newer ones, what depends on them.
 */
export const SLOW = [
  ...runsOf(['slow']),
  ...runsOf(['unit', 'clickhouse']).map((run) => ({ ...run, scale: 1 })),
  ...[undefined, ...NEWER_NODES].flatMap((bin) =>
    runsOf(['unit', 'program', 'page']).map((run) => ({ ...run, bin, nativeParts: 'off' })),
  ),
]

/** Returns a run per project, all in the same time zone. `portable` and `native` are parts of projects. */
export function runsOf(names, timeZone = UTC) {
  return names.flatMap((name) => {
    if (PARTS[name] === undefined) return [{ project: name, timeZone }]
    return Object.entries(PARTS[name]).map(([project, places]) => {
      return { project, timeZone, files: places.map((place) => `test/${place}`) }
    })
  })
}
