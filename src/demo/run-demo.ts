import { stateError } from '../base/failures.js'
import type { DemoConfig } from '../config/demo-config.js'
import type { Environment } from '../config/environment.js'
import { ANY_DEMO, type DemoKind, NINE_DEMO } from './kinds.js'
import { type DemoService, type Print, startDemoService } from './service.js'
import { showRequests } from './show-requests.js'
import { startTokenProxy } from './token-proxy.js'

/** Parts of the demo that the command provides. */
export interface DemoParts {
  environment: Environment
  print: Print
  /** Resolves when the demo is to stop: the service then finishes its work. */
  stop: Promise<unknown>
  /** Resolves when the stop takes too long for the user: the service then ends at once. */
  stopAtOnce: Promise<unknown>
}

/**
 * Starts the service, feeds it with generated records, prints example requests and a link to the page, and serves until
 * `stop`, or with `once` no longer. Returns the exit code: the service's, or 0 if it was stopped before it served.
 * Throws `failed` if a part of the demo fails. The service has ended in each case.
 */
export async function runDemo({ port, rows, any, once }: DemoConfig, parts: DemoParts): Promise<number> {
  const { print, stop, stopAtOnce } = parts
  const kind = any ? ANY_DEMO : NINE_DEMO
  const environment = withoutSettings(parts.environment)
  const service = await startDemoService({ port, args: kind.args, environment }, print)
  let isStopping = false
  const stopService = () => {
    isStopping = true
    service.child.kill('SIGTERM')
  }
  for (const asked of [stop, stopAtOnce]) void asked.then(stopService)
  const ended = Promise.all([service.exitCode, service.logEnded]).then(([code]) => code)
  const stopped = ended.then((code) => {
    throw stateError(`the service stopped with code ${code}`)
  })
  try {
    await Promise.race([Promise.all([kind.feed(service, rows, environment), service.inputEnded]), stopped])
    await show(service, kind, print)
    if (!once) kind.keepFeeding?.(service)
    if (once) stopService()
    else await print('\nServing until Ctrl-C.\n')
    return (await ended) ?? (isStopping ? 0 : 1)
  } catch (error) {
    const isAsked = isStopping
    stopService()
    await service.exitCode.catch(() => {})
    if (isAsked) return 0
    throw error
  }
}

/** Prints how to reach the service: its address and token, the page, and example requests. */
async function show(service: DemoService, { fragment, requests, chart }: DemoKind, print: Print): Promise<void> {
  const { url, token } = service
  const page = await startTokenProxy(url, token)
  await print(`\nURL    ${url}\nToken  ${token}\n`)
  await print(`Page   ${page}/#${fragment} (signed in, for as long as the demo runs)\n`)
  if (chart !== undefined) await print(`Chart  ${page}/#${chart} (failing paths: press Run)\n`)
  await showRequests(service, requests, print)
}

/** No setting of a service: it hides packages that do not run on this machine, from each process. */
const KEPT = 'LOGWEIR_NATIVE_PARTS'

/** Returns the environment without settings of logweir: the settings of another service could break the demo. */
const withoutSettings = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('LOGWEIR_') || name === KEPT))
