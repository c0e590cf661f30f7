/**
 * Runs the benches, each figure in fresh processes. Writes medians, least and most values, the machine, the commit and
 * the date to `bench/results/`.
 *
 *   npm run bench                 all benches, about an hour
 *   npm run bench -- ingest idle  only the named benches
 *
 * LOGWEIR_BENCH_RUNS (3): processes for each figure. LOGWEIR_BENCH_CORE (0): the core that each process is pinned to.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { arch, cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { fileOf } from './data.mjs'
import { DISTRIBUTIONS } from './digest.mjs'
import { showDigest } from './digest-table.mjs'
import { showExplore } from './explore-table.mjs'
import { PATHS } from './extract.mjs'
import { drawGrowth } from './growth-plots.mjs'
import { CORE, coresOf, OTHER_CORE, pinnedTo, runNode } from './process.mjs'
import { summaryOf } from './summary.mjs'

const RUNS = Number(process.env.LOGWEIR_BENCH_RUNS ?? 3)
const RESULTS = new URL('./results/', import.meta.url)

const BENCHES = {
  idle: { script: 'idle.mjs', args: [[]] },
  ingest: {
    script: 'ingest.mjs',
    args: [
      ['1000000', 'memory'],
      ['1000000', 'disk'],
    ],
  },
  upload: {
    script: 'upload.mjs',
    core: coresOf(2),
    started: coresOf(2),
    args: ['memory', 'disk', 'restart'].map((mode) => ['1000000', mode]),
  },
  health: { script: 'health.mjs', args: [['1000000']] },
  fields: { script: 'fields.mjs', args: [['1000000']] },
  'path-columns': {
    script: 'path-columns.mjs',
    args: [['edge_logs'], ['edge_logs', 'optional'], ['function_edge_logs'], ['postgres_logs']],
  },
  segments: {
    script: 'segments.mjs',
    args: [
      ['500000', 'none'],
      ['1000000', 'time'],
    ],
  },
  http: {
    script: 'http.mjs',
    core: OTHER_CORE,
    args: ['cached', 'logs', 'stats'].flatMap((request) => ['alone', 'ingest'].map((mode) => [request, mode])),
  },
  alerts: { script: 'alerts.mjs', core: OTHER_CORE, started: CORE, args: [['100', '120']] },
  subscribers: { script: 'subscribers.mjs', core: OTHER_CORE, started: CORE, args: [['20', '200', '60']] },
  digest: {
    script: 'digest.mjs',
    args: Object.keys(DISTRIBUTIONS).flatMap((distribution) =>
      ['logweir', 'tdigest'].map((digest) => [digest, distribution]),
    ),
    draw: showDigest,
  },
  extract: { script: 'extract.mjs', args: Object.keys(PATHS).map((paths) => [paths]) },
  warming: { script: 'warming.mjs', args: [['10000000', '1000']] },
  query: {
    script: 'query.mjs',
    args: ['1000000', '10000000'].flatMap((rows) => [
      ['edge_logs', rows],
      ['function_edge_logs', rows],
    ]),
  },
}

BENCHES.page = {
  script: 'page.mjs',
  core: coresOf(2),
  started: coresOf(2),
  args: ['bars', 'lines'].flatMap((panel) => ['1000', '10000', '100000'].map((buckets) => [panel, buckets])),
}

BENCHES.explore = {
  script: 'explore.mjs',
  core: coresOf(2),
  started: coresOf(2),
  args: [['1000000']],
  draw: showExplore,
}

/** The largest point of the curve over rows. 100,000,000 rows take 7 GB of memory. */
const MAX_ROWS = Number(process.env.LOGWEIR_BENCH_ROWS ?? 30_000_000)

BENCHES['explore-engine'] = {
  script: 'explore-engine.mjs',
  args: ['1', '2000', '10000'].map((projects) => ['1000000', projects]),
}

BENCHES.growth = {
  script: 'growth.mjs',
  args: ['edge_logs', 'function_edge_logs'].flatMap((source) => [
    ...[1e6, 3e6, 10e6, 30e6, 100e6]
      .filter((rows) => rows <= (source === 'edge_logs' ? MAX_ROWS / 3 : MAX_ROWS))
      .map((rows) => [source, `${rows}`, '2000']),
    ...['10', '100', '10000', '100000'].map((projects) => [source, '1000000', projects]),
  ]),
  runs: 1,
  draw: drawGrowth,
}

const wanted = process.argv.slice(2)
for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length === 0 || wanted.includes(name)) await run(name, bench)
}

/**
 * Runs a bench and writes the results. `draw(results)` then makes tables or plots. `results` is the URL of the file.
 */
async function run(name, { script, args, core = CORE, started = CORE, runs = RUNS, draw = () => {} }) {
  if (name === 'ingest' || name === 'health') await fileOf(1_000_000)
  const cases = []
  const pinned = pinnedTo(started)
  for (const list of args) {
    const values = []
    for (let i = 0; i < runs; i++)
      values.push(await runNode([fileURLToPath(new URL(script, import.meta.url)), ...list], core, started))
    const summary = summaryOf(values)
    cases.push({ args: list, ...summary })
    show(name, list, summary, pinned)
  }
  const machine = {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryBytes: totalmem(),
    arch: arch(),
    node: process.version,
  }
  mkdirSync(RESULTS, { recursive: true })
  const results = new URL(`${name}.json`, RESULTS)
  const measured = new Date().toISOString()
  const result = { bench: name, machine, measured, commit: currentCommit(), pinned, cases }
  writeFileSync(results, `${JSON.stringify(result, null, 1)}\n`)
  draw(results)
}

/** The commit that is checked out, or undefined outside of a repository. */
function currentCommit() {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}

/** Prints the medians of a case. */
function show(name, list, { runs, medians }, pinned) {
  console.log(`\n${[name, ...list].join(' ')}, ${runs} processes, ${pinned}`)
  for (const [figure, value] of Object.entries(medians)) {
    if (typeof value === 'number') console.log(`  ${figure.padEnd(18)} ${round(value)}`)
  }
  const { queries } = medians
  for (const { endpoint, size, params, ...ms } of Array.isArray(queries) ? queries : []) {
    const [computed, refreshed, first] = [ms.computedMs, ms.refreshedMs, ms.firstMs].map(round)
    const times = `computed ${computed} ms, refreshed ${refreshed}, first of all ${first}`
    console.log(`  ${endpoint} ${size} ${JSON.stringify(params)}: ${times}`)
  }
}

function round(value) {
  return Number(value.toPrecision(4))
}
