#!/usr/bin/env node
import { createStderrLog, type Log } from './base/log.js'
import { VERSION } from './base/version.js'
import { COMMANDS, findCommand } from './commands/all.js'
import { EXIT, failed, write } from './commands/command.js'
import { commandHelp, helpText } from './commands/help.js'

/** A closed pipe behind us, as in `logweir generate | head`: nobody is left to write for. */
const isBrokenPipe = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EPIPE'

async function print(text: string): Promise<number> {
  await write(process.stdout, text)
  return EXIT.ok
}

const isHelp = (arg: string | undefined) => arg === '--help' || arg === '-h'

/** Runs one command and gives its exit code. */
async function run(args: readonly string[], log: Log): Promise<number> {
  if (isHelp(args[0])) return print(helpText(VERSION, COMMANDS))
  if (args[0] === '--version' || args[0] === '-v') return print(`${VERSION}\n`)
  const { command, rest } = findCommand(args.filter((arg) => !isHelp(arg)))
  if (args.some(isHelp)) return print(commandHelp(command))
  const { stdout, stderr, env: environment } = process
  return command.run(rest, { environment, log, stdout, stderr, commands: COMMANDS })
}

async function main(): Promise<void> {
  const log = createStderrLog('text')
  try {
    process.stdout.on('error', (error) => {
      if (!isBrokenPipe(error)) throw error
    })
    process.exitCode = await run(process.argv.slice(2), log)
  } catch (error) {
    // What still waits for an answer must not hold the program.
    if (isBrokenPipe(error)) process.exit(EXIT.ok)
    // A server that listens already must not hold the program.
    process.exit(failed(error, log))
  }
}

await main()
