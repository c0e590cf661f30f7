import type { DeliveryResult } from '../alerts/delivery/queue.js'
import type { EvaluationResult, RuleView } from '../alerts/evaluate/evaluator.js'
import type { Metrics } from '../base/metrics.js'

/** The sources of the gauges of alerts. */
interface Gauged {
  views(): readonly RuleView[]
  oldestAges(): ReadonlyMap<string, number>
}

const RESULTS: readonly EvaluationResult[] = ['ok', 'failed', 'skipped']

/** Returns the functions that count, for rules and receivers by their names. */
export function publishAlertMetrics(metrics: Metrics, receivers: Iterable<string>) {
  const { alertEvaluations, alertEvaluationSeconds, alerts, notifications, notificationOldestSeconds } = metrics
  let rules: ReadonlySet<string> = new Set()
  for (const receiver of receivers) notifications.inc({ receiver, result: 'delivered' }, 0)
  return {
    noteEvaluation(rule: string, result: EvaluationResult, count: number, seconds: number | undefined): void {
      if (rules.has(rule)) alertEvaluations.inc({ rule, result }, count)
      if (seconds !== undefined) alertEvaluationSeconds.observe(seconds)
    },
    countNotification: (receiver: string, result: DeliveryResult) => notifications.inc({ receiver, result }),
    /** Sets the names of all rules. The counts of rules that are gone are removed. */
    keepRules(names: readonly string[]): void {
      const kept = new Set(names)
      for (const rule of rules) {
        if (!kept.has(rule)) for (const result of RESULTS) alertEvaluations.remove({ rule, result })
      }
      for (const rule of kept) for (const result of RESULTS) alertEvaluations.inc({ rule, result }, 0)
      rules = kept
    },
    /** Sets the gauges whenever the metrics are collected. */
    collect({ views, oldestAges }: Gauged): void {
      Object.assign(alerts, {
        collect() {
          alerts.reset()
          for (const { rule, state } of views()) {
            const all = [...state.alerts.values()]
            const firing = all.filter(({ startsUs }) => startsUs !== undefined).length
            alerts.set({ rule: rule.name, state: 'firing' }, firing)
            alerts.set({ rule: rule.name, state: 'pending' }, all.length - firing)
          }
        },
      })
      Object.assign(notificationOldestSeconds, {
        collect() {
          for (const [receiver, seconds] of oldestAges()) notificationOldestSeconds.set({ receiver }, seconds)
        },
      })
    },
  }
}
