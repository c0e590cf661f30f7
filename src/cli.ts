#!/usr/bin/env node
// First, so that no signal is delivered before it is ignored.
import './base/ignored-signals.js'
import { createStderrLog, type Log } from './base/log.js'
import { COMMANDS } from './commands/all.js'
import { EXIT, logFailure } from './commands/command.js'
import { findCommand } from './commands/find.js'
import { help } from './commands/help.js'
import { version } from './commands/version.js'

/** Whether the reader of the output has closed the pipe, as in `logweir generate | head`. */
const isBrokenPipe = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EPIPE'

const isHelp = (arg: string | undefined) => arg === '--help' || arg === '-h'
const isVersion = (arg: string | undefined) => arg === '--version' || arg === '-v'

/**
 * Returns the command of a command line, and its arguments. `--help` anywhere shows the help of the words before the
 * first flag.
 */
function parseCall(args: readonly string[]) {
  if (isVersion(args[0])) return { command: version, rest: [] }
  if (!args.some(isHelp)) return findCommand(args, COMMANDS)
  const words = args.filter((arg) => !isHelp(arg))
  const flag = words.findIndex((word) => word.startsWith('-'))
  return { command: help, rest: flag < 0 ? words : words.slice(0, flag) }
}

/** Runs one command and returns its exit code. */
async function run(args: readonly string[], log: Log): Promise<number> {
  const { command, rest } = parseCall(args)
  const { stdout, stderr, env: environment } = process
  return command.run(rest, { environment, log, stdout, stderr, commands: COMMANDS })
}

async function main(): Promise<void> {
  const log = createStderrLog('text')
  try {
    // Each write reports its own error.
    process.stdout.on('error', () => {})
    process.exitCode = await run(process.argv.slice(2), log)
  } catch (error) {
    // Pending requests must not keep the process alive.
    if (isBrokenPipe(error)) process.exit(EXIT.ok)
    // A server that is already listening must not keep the process alive.
    process.exit(logFailure(error, log))
  }
}

await main()
