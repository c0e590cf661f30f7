import { basename, join } from 'node:path'
import { usageError } from '../../base/failures.js'
import type { Log } from '../../base/log.js'
import type { Clock } from '../../base/time/clock.js'
import type { Plan } from '../../plan/plan.js'
import type { DirectoryKind } from '../../user-endpoints/directory.js'
import { describeFailure } from '../../user-endpoints/failure.js'
import { openReloadedFiles } from '../../user-endpoints/reloaded-files.js'
import type { ReadableViews } from '../../user-endpoints/sql-endpoint.js'
import { readSqlFile } from '../../user-endpoints/sql-file.js'
import { type Rule, ruleOf } from './rule.js'

/** The dependencies of the check of a rule. */
export interface RuleContext {
  /** Runs a plan on an engine without rows. Rejects if the engine cannot run the plan. */
  tryPlan(plan: Plan): Promise<void>
  /** Whether there is a receiver of that name. */
  hasReceiver(name: string): boolean
  clock: Pick<Clock, 'nowUs'>
  /** The views that rules may read, at any time. Without this there are none. */
  views?: ReadableViews | undefined
}

/** The rules of a directory. */
export interface Rules {
  all(): readonly Rule[]
  /** Polls the directory as that of endpoints is polled. Calls `onChange` with all rules after each change. */
  watch(clock: Clock, log: Log, onChange: (rules: readonly Rule[]) => void): () => void
}

/** A directory of rules. */
export const RULE_FILES: DirectoryKind = { flag: '--alerts', files: 'files of rules', hasModules: false }

/** Loads all rules of a directory. Throws `usage`, with a single line, if a file cannot be used. */
export async function openRules(directory: string, context: RuleContext): Promise<Rules> {
  const load = (name: string) => loadRule(join(directory, name), context)
  const namesOf = (rules: readonly Rule[]) => rules.map(({ name }) => name).join(', ') || 'none'
  const files = await openReloadedFiles(directory, { ...RULE_FILES, title: 'alert rules', load, namesOf })
  return { all: files.all, watch: (clock, log, onChange) => files.watch(clock, log, () => onChange(files.all())) }
}

/** Loads and checks the file of a rule, and runs the query on no rows. Throws `usage`; the message names the file. */
export async function loadRule(path: string, { tryPlan, hasReceiver, clock, views }: RuleContext): Promise<Rule> {
  try {
    const text = await readSqlFile(path)
    // Loaded here, so that a service without rules does not load the compiler.
    const { readSql } = await import('../../sql/read-sql.js')
    const rule = ruleOf(text, basename(path, '.sql'), (sql) => readSql(sql, undefined, views), clock.nowUs())
    const { notify } = rule
    if (notify !== undefined && !hasReceiver(notify))
      throw usageError(`"notify ${notify}" names no receiver: add a table [${notify}] to the file of --receivers`)
    await tryPlan(rule.planAt(clock.nowUs()))
    return rule
  } catch (error) {
    throw usageError(`${path}: ${await describeFailure(error, path)}`)
  }
}
