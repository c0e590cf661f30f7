import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stateError } from '../base/failures.js'
import { programCall } from '../base/process/program-call.js'
import type { Environment } from '../config/environment.js'
import { projectRef, TOP_RANK } from '../generate/values/projects.js'
import type { DemoService } from './service.js'

const SEED = 1

/** The project with the most of the records that {@link feed} generates: a tenth. */
export const LARGEST_PROJECT: string = projectRef(SEED, TOP_RANK)

/**
 * Pipes generated records of the last 7 days into the service's standard input, then ends the input. Throws `failed` if
 * the generator fails. Resolves without an error if the service has ended before.
 */
export async function feed({ child }: DemoService, rows: number, environment: Environment): Promise<void> {
  const [command, args] = programCall(['generate', '--rows', String(rows), '--seed', String(SEED), '--span', '7d'])
  const generator = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: environment })
  // If the service stops early, its exit is reported elsewhere. Without a reader the generator would wait forever.
  child.stdin.on('error', () => generator.kill())
  child.once('exit', () => generator.kill())
  // Ends the input only if the generator succeeds, so that a failure does not look like a service without rows.
  generator.stdout.pipe(child.stdin, { end: false })
  const [code] = await once(generator, 'close')
  if (code !== 0 && !generator.killed) throw stateError('the records cannot be generated')
  child.stdin.end()
}
