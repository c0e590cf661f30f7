#!/usr/bin/env node
// First, so that no signal is taken before it is ignored.
import './base/ignored-signals.js'
import { createStderrLog, type Log } from './base/log.js'
import { COMMANDS } from './commands/all.js'
import { EXIT, failed } from './commands/command.js'
import { findCommand } from './commands/find.js'
import { help } from './commands/help.js'
import { version } from './commands/version.js'

/** A closed pipe behind us, as in `logweir generate | head`: nobody reads what the command writes. */
const isBrokenPipe = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EPIPE'

const isHelp = (arg: string | undefined) => arg === '--help' || arg === '-h'
const isVersion = (arg: string | undefined) => arg === '--version' || arg === '-v'

/** The command that is called, and its arguments. `--help` anywhere asks for help on the words before the first flag. */
function calledBy(args: readonly string[]) {
  if (isVersion(args[0])) return { command: version, rest: [] }
  if (!args.some(isHelp)) return findCommand(args, COMMANDS)
  const words = args.filter((arg) => !isHelp(arg))
  const flag = words.findIndex((word) => word.startsWith('-'))
  return { command: help, rest: flag < 0 ? words : words.slice(0, flag) }
}

/** Runs one command and gives its exit code. */
async function run(args: readonly string[], log: Log): Promise<number> {
  const { command, rest } = calledBy(args)
  const { stdout, stderr, env: environment } = process
  return command.run(rest, { environment, log, stdout, stderr, commands: COMMANDS })
}

async function main(): Promise<void> {
  const log = createStderrLog('text')
  try {
    // Each write hears of its own error.
    process.stdout.on('error', () => {})
    process.exitCode = await run(process.argv.slice(2), log)
  } catch (error) {
    // What still waits for an answer must not hold the program.
    if (isBrokenPipe(error)) process.exit(EXIT.ok)
    // A server that listens already must not hold the program.
    process.exit(failed(error, log))
  }
}

await main()
