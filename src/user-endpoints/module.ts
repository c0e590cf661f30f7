import { usageError } from '../base/failures.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { sampleCall } from '../endpoints/sample.js'
import type { Plan } from '../engine/plan.js'
import { guard } from './checked-endpoint.js'
import { describeFailure } from './failure.js'
import type { ImportModule } from './import.js'
import { faultOf, isEndpoint } from './validate.js'

export interface ModuleParts {
  importModule: ImportModule
  /** Rejects where an engine cannot run a plan. */
  tryPlan(plan: Plan): Promise<void>
  nowUs(): number
}

/** The endpoints that a module exports, each checked and its plan tried. Throws `usage` with one line that names the file. */
export async function loadModule(path: string, version: number, parts: ModuleParts): Promise<readonly Endpoint[]> {
  const exported = await parts.importModule(path, version).catch(async (error) => {
    throw usageError(`${path}: ${await describeFailure(error, path)}`)
  })
  const endpoints = [...new Set(Object.values(exported).filter(isEndpoint))]
  if (endpoints.length === 0) {
    throw usageError(
      `${path}: exports no endpoint. Write: export default endpoint({ … }), or let its name begin with _`,
    )
  }
  for (const endpoint of endpoints) {
    const fault = faultOf(endpoint)
    if (fault !== undefined) throw usageError(`${path}: ${fault}.`)
  }
  const guarded = endpoints.map(guard)
  for (const endpoint of guarded) {
    await tryOut(endpoint, parts).catch(async (error) => {
      throw usageError(`${path}: ${await describeFailure(error, path)}`)
    })
  }
  return guarded
}

/** Runs the plan once with parameters that the endpoint takes. Where none of ours are taken, the first request tells. */
async function tryOut(endpoint: Endpoint, { tryPlan, nowUs }: ModuleParts): Promise<void> {
  const call = sampleCall(endpoint)
  if (call !== undefined) await tryPlan(call.plan(nowUs()))
}
