import { budgetLimits, createMemoryBudget } from '../base/memory/memory-budget.js'
import type { Authenticate } from './access/auth.js'
import { createLogs, LOGS_LIMITS } from './intake/logs.js'
import { createOtlpLogs } from './intake/otlp.js'
import { createPostedParameters, postedLimits } from './intake/posted-parameters.js'
import { bodiesBytes } from './intake/upload.js'
import type { AppOptions } from './options.js'
import { createQueries } from './query/answer-queries.js'
import { createConcurrencyLimits } from './query/concurrency.js'
import { createCurrentRows, type DeletedRows } from './query/current-rows.js'
import { createDeletionRequests } from './query/deletions.js'
import { httpLimits } from './query/limits.js'
import { createRuleTests } from './query/rule-tests.js'
import type { Dialect } from './reply/dialect.js'
import { deletionRoutes, logsRoutes, queryRoutes, type Route, ruleTestRoutes, tailRoutes } from './routes.js'
import { subscriptionLimits } from './subscribe/limits.js'
import { createSubscriptions } from './subscribe/subscriptions.js'
import { tailLimits } from './tail/limits.js'
import { createTails } from './tail/tail.js'

/** Creates the handlers of queries, tails and records, with limits that scale with the memory limit. */
export function createHandlers(given: AppOptions, errorForm: Dialect['errorForm']) {
  const currentRows = createCurrentRows(given.engine)
  const options = { ...given, engine: { ...given.engine, run: currentRows.run }, currentRows }
  const { clock, log, metrics, intake, translate, defaultProject } = options
  const { memoryLimitBytes = Number.POSITIVE_INFINITY } = options
  const { memory = createMemoryBudget(budgetLimits(memoryLimitBytes), clock) } = options
  Object.assign(metrics.queryBytes, { collect: () => metrics.queryBytes.set(memory.usedBytes()) })
  const limits = { ...httpLimits(memoryLimitBytes), ...options.limits }
  const concurrency = createConcurrencyLimits(limits, clock, metrics.queriesRunning)
  const following = { ...subscriptionLimits(memoryLimitBytes), ...options.limits }
  const subscriptions = createSubscriptions({ ...options, memory, concurrency, errorForm, limits: following })
  const queries = createQueries({ ...options, memory, concurrency, limits, following: subscriptions })
  const ruleTests = createRuleTests({ ...options, testRule: options.testRule, memory })
  const deletions = createDeletionRequests({ ...options, deleting: options.deleting, memory })
  const { follow } = options.engine
  const tails =
    follow &&
    createTails({ ...options, follow, errorForm, limits: { ...tailLimits(memoryLimitBytes), ...options.limits } })
  const bodies = { ...LOGS_LIMITS, bodiesBytes: bodiesBytes(memoryLimitBytes), ...options.limits }
  const logs = intake && createLogs(intake, { clock, log, errorForm, defaultProject, limits: bodies })
  const otlp = logs && translate && createOtlpLogs(logs, translate)
  const posted = { ...postedLimits(memoryLimitBytes), ...options.limits }
  const readPosted = createPostedParameters(posted, clock)

  function forgetRows(rows: DeletedRows): void {
    currentRows.noteDeleted(rows)
    queries.forgetAnswers()
    subscriptions.forgetRows(rows)
    tails?.forgetRows(rows)
  }

  return { queries, subscriptions, ruleTests, deletions, readPosted, tails, logs, otlp, forgetRows }
}

/** Returns the routes of {@link createHandlers}. */
export function handlerRoutes(handlers: ReturnType<typeof createHandlers>, authenticate: Authenticate): Route[] {
  const { queries, ruleTests, deletions, readPosted, tails, logs, otlp } = handlers
  return [
    ...queryRoutes(queries, readPosted, authenticate),
    ...ruleTestRoutes(ruleTests, readPosted),
    ...deletionRoutes(deletions, readPosted),
    ...tailRoutes(tails, authenticate),
    ...logsRoutes(logs, otlp),
  ]
}
