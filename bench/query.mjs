/**
 * Measures the endpoints without cached answers. In process, so that only the engine is timed.
 *
 *   node bench/query.mjs edge_logs 1000000
 */
import { PROJECTS } from './data.mjs'
import { measure, openFilled, storageFigures } from './engine.mjs'

const [source, rowsText] = process.argv.slice(2)

const QUERIES = {
  edge_logs: [
    ['logs.all', (project) => ({ project, project_tier: 'PRO' })],
    ['usage.api-counts', (project) => ({ project, interval: 'daily' })],
    ['usage.api-counts', (project) => ({ project, interval: 'minutely' })],
    [
      'usage.api-counts',
      (project) => ({ project: `https://${project.slice(0, 3)}[a-z]+\\.supabase`, interval: 'daily' }),
    ],
  ],
  function_edge_logs: [
    ['functions.invocation-stats', (project) => ({ project, interval: '7day' })],
    ['functions.invocation-stats', (project) => ({ project, interval: '1day' })],
    ['functions.invocation-stats', (project) => ({ project, interval: '1hr' })],
  ],
}

const engine = await openFilled(source, Number(rowsText))
const queries = []
for (const [endpoint, paramsOf] of QUERIES[source]) {
  for (const [size, project] of Object.entries(PROJECTS)) {
    const params = paramsOf(project)
    queries.push({ endpoint, size, params, ...(await measure(engine, endpoint, params)) })
  }
}
console.log(JSON.stringify({ ...storageFigures(engine, source), queries }))
await engine.close()
