import { systemClock } from '../base/time/clock.js'
import { acceptSources, HISTORY_SOURCE, registerSource } from '../common/sources.js'
import { readAlertsCheckConfig } from '../config/alerts-config.js'
import { ALERTS_CHECK_SETTINGS } from '../config/settings.js'
import { type Command, EXIT, write } from './command.js'

/** `logweir alerts check`: reads the alert rules of a directory, and says what is wrong. */
export const alertsCheck: Command = {
  name: 'alerts check',
  operand: 'DIRECTORY',
  meaning: 'read the files of alert rules in a directory, and say which are wrong, and where; needs no service',
  settings: ALERTS_CHECK_SETTINGS,
  operandIsFolder: true,
  remarks: 'Exit code 0: every rule can be used; 2: at least one cannot; 1: a file or the directory cannot be read.',
  async run(args, { environment, log, stdout }) {
    const config = readAlertsCheckConfig(args, environment, log)
    acceptSources(config.sources)
    // So that a rule of the history is refused with the reason.
    registerSource(HISTORY_SOURCE)
    const { checkDirectory } = await import('../alerts/rules/check-directory.js')
    const { readReceivers } = await import('../alerts/delivery/receivers.js')
    const { tryPlan } = await import('../service/try-plan.js')
    const named = config.receivers === undefined ? undefined : readReceivers(config.receivers, environment)
    if (named?.warning !== undefined) log(named.warning, { level: 'warn' })
    const hasReceiver = (name: string) => named?.receivers.has(name) ?? true
    const rules = await checkDirectory(config.directory, { tryPlan, hasReceiver, clock: systemClock })
    for (const { line, isRight } of rules) {
      if (isRight) await write(stdout, `${line}\n`)
      else log(line, { level: 'error', code: 'usage' })
    }
    return rules.every(({ isRight }) => isRight) ? EXIT.ok : EXIT.usage
  },
}
