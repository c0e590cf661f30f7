import { basename, join } from 'node:path'
import { durationText } from '../../front-matter/duration.js'
import { isHelper, readFileVersions } from '../../user-endpoints/directory.js'
import { loadRule, RULE_FILES, type RuleContext } from './open.js'
import type { Rule } from './rule.js'

/** The result of the check of a file: a description of the rule, or the fault, as a line. */
export interface CheckedRule {
  line: string
  isRight: boolean
}

/**
 * Checks all rules of a directory, in the order of their names. Throws `usage` if there are too many files, `failed` if
 * the directory cannot be read.
 */
export async function checkDirectory(directory: string, context: RuleContext): Promise<CheckedRule[]> {
  const names = [...readFileVersions(directory, RULE_FILES).keys()].filter((name) => !isHelper(name))
  const checked: CheckedRule[] = []
  for (const name of names) {
    checked.push(
      await loadRule(join(directory, name), context).then(
        (rule) => ({ line: `${basename(name)}: ${described(rule)}`, isRight: true }),
        (error) => ({ line: (error as Error).message, isRight: false }),
      ),
    )
  }
  return checked
}

/** Describes a rule in the words of its file. */
function described({ timing, notify, severity, labelNames }: Rule): string {
  const { everyUs, forUs } = timing
  const duration = forUs > 0 ? `, for ${durationText(forUs)}` : ''
  const labels = labelNames.length === 0 ? 'no labels' : `labels ${labelNames.join(', ')}`
  return `every ${durationText(everyUs)}${duration}, ${severity}, ${labels}, notifies ${notify ?? 'nobody'}`
}
