import { LogweirError } from '../../base/errors.js'
import type { Clock } from '../../base/time/clock.js'
import type { Engine, RunOptions } from '../../engine/engine.js'
import { durationText, readDuration } from '../../front-matter/duration.js'
import type { Plan } from '../../plan/plan.js'
import type { readSql } from '../../sql/read-sql.js'
import { type Rule, ruleOf } from '../rules/rule.js'
import { backtestAnswer, type TestedRule } from './answer.js'
import { backtest } from './backtest.js'

/** The dependencies of the test of a rule. */
export interface RuleTestContext {
  engine: Pick<Engine, 'run' | 'runMoved'>
  clock: Pick<Clock, 'nowUs'>
  /** Runs a plan on an engine without rows. Rejects if the engine cannot run the plan. */
  tryPlan(plan: Plan): Promise<void>
  /** The views that the rule may read. Without this there are none. */
  views?: Parameters<typeof readSql>[2]
}

/** The range of the time before now: from a second to 90 days. */
const LAST_RANGE_US = [1_000_000, 90 * 86_400_000_000] as const
/** The name of a rule if its file has no name yet. */
const NAME = 'rule'

/**
 * Evaluates the text of a rule's file at all instants in a time before now. Rejects with `invalid_rule` and a
 * message that ends with the place in the text, with `invalid_parameter`, and as {@link backtest} does.
 */
export async function testRule(
  { rule: text, last }: { rule: string; last: string },
  { engine, ...context }: RuleTestContext,
  options: RunOptions,
): Promise<TestedRule> {
  const lastUs = readLast(last)
  const nowUs = context.clock.nowUs()
  const rule = await readRule(text, nowUs, context)
  const { everyUs } = rule.timing
  if (lastUs < everyUs) throw invalidLast(`is shorter than "every ${durationText(everyUs)}" of the rule`, last)
  return backtestAnswer(await backtest(rule, engine, { ...options, nowUs, lastUs }))
}

async function readRule(
  text: string,
  nowUs: number,
  { tryPlan, views }: Omit<RuleTestContext, 'engine'>,
): Promise<Rule> {
  // Loaded here, so that a service without tests does not load the compiler.
  const { readSql } = await import('../../sql/read-sql.js')
  try {
    const rule = ruleOf(text, NAME, (sql) => readSql(sql, undefined, views), nowUs)
    await tryPlan(rule.planAt(nowUs))
    return rule
  } catch (error) {
    throw error instanceof LogweirError ? new LogweirError('invalid_rule', error.message) : error
  }
}

function readLast(text: string): number {
  const us = readDuration(text)
  const [least, most] = LAST_RANGE_US
  if (us === undefined) throw invalidLast('is no length of time', text)
  if (us < least || us > most) throw invalidLast(`is not from ${durationText(least)} to ${durationText(most)}`, text)
  return us
}

const MAX_SHOWN_CHARACTERS = 32

const invalidLast = (fault: string, text: string) =>
  new LogweirError(
    'invalid_parameter',
    `The parameter "last" ${fault}: ${JSON.stringify(text.slice(0, MAX_SHOWN_CHARACTERS))}. ` +
      'Write a number and s, m, h or d, such as 7d.',
  )
