import { parser } from '@prometheus-io/lezer-promql'
import { createMetrics } from '../../src/base/metrics.js'
import { measureProcess } from '../../src/base/process/process-metrics.js'

/** The metrics of an expression with the labels of their filters, and the labels by which results are grouped. */
export interface Reads {
  selectors: { metric: string; labels: string[] }[]
  groupings: string[]
}

/** Parses a PromQL expression. Throws if the expression is invalid. */
export function readExpression(expression: string): Reads {
  const reads: Reads = { selectors: [], groupings: [] }
  let isGrouping = false
  parser.parse(expression).iterate({
    enter({ name, type, from, to }) {
      const text = expression.slice(from, to)
      if (type.isError) throw new Error(`no PromQL at ${from}: ${expression}`)
      if (name === 'VectorSelector') reads.selectors.push({ metric: '', labels: [] })
      else if (name === 'Identifier') reads.selectors.at(-1)!.metric = text
      else if (name === 'GroupingLabels') isGrouping = true
      else if (name === 'LabelName' && isGrouping) reads.groupings.push(text)
      else if (name === 'LabelName') reads.selectors.at(-1)!.labels.push(text)
    },
    leave({ name }) {
      if (name === 'GroupingLabels') isGrouping = false
    },
  })
  return reads
}

/** Labels that Prometheus adds to every series. */
const PROMETHEUS_LABELS = ['job', 'instance']

/** Returns the labels of each series of a scrape, by name. */
export function seriesOf(): Map<string, string[]> {
  const { registry } = createMetrics()
  measureProcess(registry)
  const series = new Map([['up', PROMETHEUS_LABELS]])
  for (const metric of registry.getMetricsAsArray()) {
    const { name, labelNames, type } = metric as unknown as { name: string; labelNames: string[]; type: string }
    const labels = [...labelNames, ...PROMETHEUS_LABELS]
    if (type !== 'histogram') series.set(name, labels)
    for (const suffix of type === 'histogram' ? ['_sum', '_count'] : []) series.set(name + suffix, labels)
    if (type === 'histogram') series.set(`${name}_bucket`, [...labels, 'le'])
  }
  return series
}

/** Returns the metrics and labels in an expression and in `shownLabels` that no scrape has. Empty if all exist. */
export function unknownNames(expression: string, shownLabels: readonly string[] = []): string[] {
  const series = seriesOf()
  const { selectors, groupings } = readExpression(expression)
  const known = new Set(selectors.flatMap(({ metric }) => series.get(metric) ?? []))
  return [
    ...selectors.filter(({ metric }) => !series.has(metric)).map(({ metric }) => metric),
    ...selectors.flatMap(({ metric, labels }) => labels.filter((label) => !series.get(metric)?.includes(label))),
    ...[...groupings, ...shownLabels].filter((label) => !known.has(label)),
  ]
}
