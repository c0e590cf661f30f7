#!/usr/bin/env -S MALLOC_MMAP_THRESHOLD_=262144 node
// First, so that no signal is delivered before signals are ignored.
import './base/process/ignored-signals.js'
import { createStderrLog, type Log } from './base/log.js'
import { COMMANDS } from './commands/all.js'
import { EXIT, logFailure } from './commands/call/command.js'
import { parseCall } from './commands/parse-call.js'

/** Whether the reader of the output has closed the pipe, as in `logweir generate | head`. */
const isBrokenPipe = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EPIPE'

/** Runs a command and returns the exit code. */
async function run(args: readonly string[], log: Log): Promise<number> {
  const { command, rest } = parseCall(args, COMMANDS)
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
