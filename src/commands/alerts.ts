import { systemClock } from '../base/time/clock.js'
import { acceptSources, HISTORY_SOURCE, registerSource } from '../common/sources.js'
import { readAlertsCheckConfig } from '../config/alerts-config.js'
import { ALERTS_TEST_SETTINGS } from '../config/client-settings.js'
import { ALERTS_CHECK_SETTINGS } from '../config/directory-settings.js'
import { onReaderClosed } from './call/closed-pipe.js'
import { type Command, EXIT, write } from './call/command.js'
import { rowsOut } from './call/rows-out.js'

/** `logweir alerts check`: reads the alert rules of a directory, and prints the mistakes. */
export const alertsCheck: Command = {
  name: 'alerts check',
  operand: 'DIRECTORY',
  meaning: 'read the files of alert rules in a directory, and say which are wrong, and where; needs no service',
  settings: ALERTS_CHECK_SETTINGS,
  operandPath: 'folder',
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
    const views = config.endpoints === undefined ? undefined : await viewsOf(config.endpoints)
    const rules = await checkDirectory(config.directory, { tryPlan, hasReceiver, clock: systemClock, views })
    for (const { line, isRight } of rules) {
      if (isRight) await write(stdout, `${line}\n`)
      else log(line, { level: 'error', code: 'usage' })
    }
    return rules.every(({ isRight }) => isRight) ? EXIT.ok : EXIT.usage
  },
}

/** `logweir alerts test`: asks a running service which alerts a rule would have had. */
export const alertsTest: Command = {
  name: 'alerts test',
  operand: 'FILE',
  meaning: 'print when a rule would have fired, by the rows that a running service has now',
  settings: ALERTS_TEST_SETTINGS,
  remarks: `The service needs --sql, and the token must not be bound to projects. A table on a terminal, else a line of
JSON for each change of state; how many evaluations, and how, on standard error. Exit code 1: the service cannot be
reached, or answers with an error, as for a rule with a fault.`,
  async run(args, context) {
    const { readAlertsTest, runAlertsTest } = await import('../client/alerts-test.js')
    // A pending request must not keep the process alive.
    onReaderClosed(() => process.exit(EXIT.ok))
    await runAlertsTest(readAlertsTest(args, context.environment, context.log), rowsOut(context), context.log)
    return EXIT.ok
  },
}

async function viewsOf(directory: string) {
  const { viewsOfDirectory } = await import('../user-endpoints/views-of-directory.js')
  return viewsOfDirectory(directory)
}
