import { usageError } from '../base/failures.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { sampleCall } from '../endpoints/sample.js'
import type { Plan } from '../plan/plan.js'
import { readableViews } from '../views/definition/registry.js'
import { checkedEndpoint } from './checked-endpoint.js'
import { describeFailure } from './failure.js'
import type { ImportModule } from './import.js'
import type { ReadableViews } from './sql-endpoint.js'
import { isSqlFile, loadSqlFile } from './sql-file.js'
import { isEndpoint, validateEndpoint } from './validate.js'

/** Dependencies of {@link loadModule}. */
export interface LoadContext {
  importModule: ImportModule
  /** Runs a plan on an engine without rows. Rejects if the engine cannot run the plan. */
  tryPlan(plan: Plan): Promise<void>
  nowUs(): number
  /** The views that SQL may read, at any time. Without this there are none. */
  views?: ReadableViews | undefined
}

/**
 * Loads a module or a `.sql` file and returns the endpoints. Each endpoint is validated, and the plan is run once.
 * Throws `usage` with a line that names the file if the file cannot be loaded, has no endpoint, or has an invalid
 * endpoint.
 */
export async function loadModule(path: string, version: number, context: LoadContext): Promise<readonly Endpoint[]> {
  const { views = readableViews([]) } = context
  const loading = isSqlFile(path)
    ? loadSqlFile(path, views).then((one) => [one])
    : importEndpoints(path, version, context)
  const endpoints = await loading.catch(async (error) => {
    throw usageError(`${path}: ${await describeFailure(error, path)}`)
  })
  for (const endpoint of endpoints) {
    const problem = validateEndpoint(endpoint)
    if (problem !== undefined) throw usageError(`${path}: ${problem}.`)
  }
  const checked = endpoints.map((one): Endpoint => ({ ...checkedEndpoint(one), isOwn: true }))
  for (const endpoint of checked) {
    await runSample(endpoint, context).catch(async (error) => {
      throw usageError(`${path}: ${await describeFailure(error, path)}`)
    })
  }
  return checked
}

async function importEndpoints(path: string, version: number, { importModule }: LoadContext): Promise<Endpoint[]> {
  const exported = await importModule(path, version)
  const endpoints = [...new Set(Object.values(exported).filter(isEndpoint))]
  if (endpoints.length > 0) return endpoints
  throw usageError(`exports no endpoint. Write: export default endpoint({ … }), or begin the file's name with _`)
}

/**
 * Runs the plan once with sample parameters. If the endpoint accepts none of the samples, only a request shows whether
 * the plan runs.
 */
async function runSample(endpoint: Endpoint, { tryPlan, nowUs }: LoadContext): Promise<void> {
  const call = sampleCall(endpoint)
  if (call !== undefined) await tryPlan(call.plan(nowUs()))
}
