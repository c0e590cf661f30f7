/**
 * What do answers cost when there is more of something: rows, projects, buckets? One process measures one point.
 *
 *   node bench/growth.mjs function_edge_logs 1000000 2000
 */
import { PROJECTS } from './data.mjs'
import { heldOf, measure, openFilled } from './engine.mjs'

const [source, rowsText, projectsText] = process.argv.slice(2)
const project = PROJECTS.top
const RUNS = { computed: 5, refreshed: 15 }

const QUERIES = {
  edge_logs: {
    logsAll: ['logs.all', { project, project_tier: 'PRO' }],
    apiCountsDaily: ['usage.api-counts', { project, interval: 'daily' }],
  },
  function_edge_logs: {
    // 8 buckets, 25 and 61.
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
console.log(JSON.stringify({ source, projects: Number(projectsText), ...heldOf(engine, source), queries }))
await engine.close()
