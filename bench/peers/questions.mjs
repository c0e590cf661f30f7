/** The queries of a project, as data: endpoints with the parameters of a caller, and questions about fields. */
import { projectFunctions, projectRef, SMALL_RANK, TOP_RANK } from '../../dist/generate/values/projects.js'
import { PROJECTS, SEED } from '../data.mjs'
import { QUESTIONS as FIELD_QUESTIONS } from '../field-questions.mjs'

/** By size: the project's ref, and a function of the project. */
const CALLERS = {
  /** Queried before the others, so that no measured process is cold. */
  warm: { project: projectRef(SEED, 2), functionId: projectFunctions(SEED, 2)[0].id },
  top: { project: PROJECTS.top, functionId: projectFunctions(SEED, TOP_RANK)[0].id },
  small: { project: PROJECTS.small, functionId: projectFunctions(SEED, SMALL_RANK)[0].id },
}

const QUESTIONS = [
  {
    name: 'logs.all, newest 100',
    source: 'edge_logs',
    endpoint: 'logs.all',
    params: ({ project }) => ({ project, project_tier: 'PRO' }),
  },
  ...['7day', '1day', '1hr'].map((interval) => ({
    name: `functions.invocation-stats ${interval}`,
    source: 'function_edge_logs',
    endpoint: 'functions.invocation-stats',
    params: ({ project }) => ({ project, interval }),
  })),
  {
    name: 'functions.invocation-stats 7day, one function',
    source: 'function_edge_logs',
    endpoint: 'functions.invocation-stats',
    params: ({ project, functionId }) => ({ project, function_id: functionId, interval: '7day' }),
  },
  ...['daily', 'minutely'].map((interval) => ({
    name: `usage.api-counts ${interval}`,
    source: 'edge_logs',
    endpoint: 'usage.api-counts',
    params: ({ project }) => ({ project, interval }),
  })),
  {
    name: 'usage.api-counts daily, pattern',
    source: 'edge_logs',
    endpoint: 'usage.api-counts',
    params: ({ project }) => ({ project: `https://${project.slice(0, 3)}[a-z]+\\.supabase`, interval: 'daily' }),
  },
]

/** Returns the calls for `sources`, `{ name, size, endpoint, params }`: each query for each project size. */
export function callsOf(sources, sizes) {
  return QUESTIONS.filter(({ source }) => sources.includes(source)).flatMap(({ name, endpoint, params }) =>
    sizes.map((size) => ({ name, size, endpoint, params: params(CALLERS[size]) })),
  )
}

/** Returns the calls about fields, `{ name, size, question, params }`: each question for each project size. */
export function fieldCallsOf(sizes) {
  return Object.keys(FIELD_QUESTIONS).flatMap((question) =>
    sizes.map((size) => ({ name: question, size, question, params: { project: CALLERS[size].project } })),
  )
}
