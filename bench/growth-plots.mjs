/** Draws bench/results/growth.json as charts in docs/performance/: cost against rows, projects and buckets. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { logChart } from './plot.mjs'

const OUT = new URL('../docs/performance/', import.meta.url)
/** The projects of all points on the curve over rows, and the rows of all points on the curve over projects. */
const PROJECTS = 2_000
const ROWS = 1_000_000
const BUCKETS = { statsByDay: 8, statsByHour: 25, statsByMinute: 61 }

export function drawGrowth(results) {
  const points = JSON.parse(readFileSync(results, 'utf8')).cases.map(({ medians }) => medians)
  const timeOf = (point, query, kind) => point.queries[query][kind]
  const byRows = points.filter(({ projects }) => projects === PROJECTS).sort((a, b) => a.rows - b.rows)
  const byProjects = points.filter(({ rows }) => rows === ROWS).sort((a, b) => a.projects - b.projects)
  const curve = (name, list, x, query, kind) => ({
    name,
    dashed: kind === 'refreshedMs',
    points: list.filter(({ queries }) => queries[query]).map((point) => [point[x], timeOf(point, query, kind)]),
  })
  const curves = (list, x) => [
    curve('invocation-stats 7day, computed', list, x, 'statsByDay', 'computedMs'),
    curve('invocation-stats 7day, refreshed', list, x, 'statsByDay', 'refreshedMs'),
    curve('api-counts daily, computed', list, x, 'apiCountsDaily', 'computedMs'),
    curve('api-counts daily, refreshed', list, x, 'apiCountsDaily', 'refreshedMs'),
    curve('logs.all', list, x, 'logsAll', 'refreshedMs'),
  ]
  const base = byRows.find(({ rows, source }) => rows === ROWS && source === 'function_edge_logs')
  const ofBuckets = (kind) => Object.entries(BUCKETS).map(([query, count]) => [count, timeOf(base, query, kind)])
  const charts = {
    'growth-rows': {
      title: 'Time of a query of the 10 % project against rows held',
      xName: 'rows',
      yName: 'ms',
      series: curves(byRows, 'rows'),
    },
    'growth-projects': {
      title: `Time of a query of the 10 % project against projects, ${ROWS / 1e6} M rows`,
      xName: 'projects',
      yName: 'ms',
      series: curves(byProjects, 'projects'),
    },
    'growth-buckets': {
      title: `Time of invocation-stats against buckets of the answer, ${ROWS / 1e6} M rows`,
      xName: 'buckets',
      yName: 'ms',
      series: [
        { name: 'computed', points: ofBuckets('computedMs') },
        { name: 'refreshed', points: ofBuckets('refreshedMs'), dashed: true },
      ],
    },
  }
  mkdirSync(OUT, { recursive: true })
  for (const [name, chart] of Object.entries(charts)) writeFileSync(new URL(`${name}.svg`, OUT), logChart(chart))
}
