/**
 * Measures how the cost of a query grows with rows, projects and buckets. Each process measures a single point.
 *
 *   node bench/growth.mjs function_edge_logs 1000000 2000
 */
import { PROJECTS } from './data.mjs'
import { measure, openFilled, storageFigures } from './engine.mjs'

const [source, rowsText, projectsText] = process.argv.slice(2)
const project = PROJECTS.top
const RUNS = { computed: 5, refreshed: 15 }

const QUERIES = {
  edge_logs: {
    logsAll: ['logs.all', { project, project_tier: 'PRO' }],
    apiCountsDaily: ['usage.api-counts', { project, interval: 'daily' }],
  },
  function_edge_logs: {
    // 8, 25 and 61 buckets.
    statsByDay: ['functions.invocation-stats', { project, interval: '7day' }],
    statsByHour: ['functions.invocation-stats', { project, interval: '1day' }],
    statsByMinute: ['functions.invocation-stats', { project, interval: '1hr' }],
  },
}

const engine = await openFilled(source, Number(rowsText), Number(projectsText))
const queries = {}
for (const [key, [name, params]] of Object.entries(QUERIES[source])) {
  queries[key] = await measure(engine, name, params, RUNS)
}
console.log(JSON.stringify({ source, projects: Number(projectsText), ...storageFigures(engine, source), queries }))
await engine.close()
