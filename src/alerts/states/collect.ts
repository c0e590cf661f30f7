import { LogweirError } from '../../base/errors.js'
import { identityOf, type Labels, labelOf, shownLabels } from './labels.js'
import type { AlertLimits } from './limits.js'
import type { Content, RuleState } from './state.js'

/** A row of a rule's answer: the full labels, sorted, and a function that makes the shown content of the row. */
export interface LabelledRow {
  labels: Labels
  /** Returns the content with the labels as shown. Called only for a row that becomes or stays an alert. */
  contentOf(shown: Labels): Content
}

/** Collects the rows of one evaluation. */
export interface RowCollector {
  /** Takes the next row. Throws `equal_labels` if an earlier row has the same labels. */
  add(row: LabelledRow): void
  /** Returns the contents of the alerts that have a row now, by identity. */
  finish(): ReadonlyMap<string, Content>
}

/** The label of the alert that says that there are more alerts. Queries must not have such a label. */
export const TOO_MANY_LABEL = 'too_many'

/**
 * Creates a collector for the next evaluation of a rule. A row of an active alert is always kept. Other rows are kept
 * in their order, as long as the project and the rule have fewer active alerts than the limits. For each project with
 * more rows, and for a rule with more rows, one more alert has the label `too_many`. Memory grows with the limits, and
 * by a hash for each row.
 */
export function createCollector(rule: string, state: RuleState, limits: AlertLimits): RowCollector {
  const seen = new Set<string>()
  const kept = new Map<string, Content>()
  const counts = countActive(state)
  const cut = { ofProjects: new Map<string, number>(), ofRule: 0 }

  /** Whether there is room for a new alert. Counts the alert, or that there is none. */
  function admits(project: string | undefined): boolean {
    const active = project === undefined ? 0 : (counts.ofProjects.get(project) ?? 0)
    if (project !== undefined && active >= limits.ofProject) {
      cut.ofProjects.set(project, (cut.ofProjects.get(project) ?? 0) + 1)
      return false
    }
    if (counts.ofRule >= limits.ofRule) {
      cut.ofRule += 1
      return false
    }
    if (project !== undefined) counts.ofProjects.set(project, active + 1)
    counts.ofRule += 1
    return true
  }

  return {
    add({ labels, contentOf }) {
      const identity = identityOf(rule, labels)
      if (seen.has(identity)) throw equalLabels(labels)
      seen.add(identity)
      const shown = shownLabels(labels)
      if (state.alerts.has(identity) || admits(labelOf(shown, 'project'))) kept.set(identity, contentOf(shown))
    },
    finish() {
      const all = [...[...cut.ofProjects].map(([project, rows]) => tooMany(rows, project)), tooMany(cut.ofRule)]
      for (const { labels, rows, text } of all) {
        if (rows > 0) kept.set(identityOf(rule, labels), { labels, values: [['alerts', rows]], text })
      }
      return kept
    },
  }
}

/** Counts the active alerts that have rows. */
function countActive({ alerts }: RuleState) {
  const ofProjects = new Map<string, number>()
  let ofRule = 0
  for (const { labels } of alerts.values()) {
    if (labelOf(labels, TOO_MANY_LABEL) !== undefined) continue
    const project = labelOf(labels, 'project')
    ofRule += 1
    if (project !== undefined) ofProjects.set(project, (ofProjects.get(project) ?? 0) + 1)
  }
  return { ofProjects, ofRule }
}

function tooMany(rows: number, project?: string): { labels: Labels; rows: number; text: string } {
  const mark = [TOO_MANY_LABEL, 'true'] as const
  const labels: Labels = project === undefined ? [mark] : [['project', project], mark]
  return { labels, rows, text: `${rows} more alerts ${project === undefined ? '' : 'of the project '}are not shown` }
}

function equalLabels(labels: Labels): LogweirError {
  const shown =
    labels.length === 0 ? 'no labels' : `the labels ${JSON.stringify(Object.fromEntries(shownLabels(labels)))}`
  return new LogweirError(
    'equal_labels',
    `Two rows have ${shown}. Group by all labels, or name in "-- labels:" columns in which rows differ.`,
  )
}
