import type { Command } from './call/command.js'
import { findCommand } from './call/find.js'
import { help } from './help.js'
import { versionNumber } from './version.js'

const isHelp = (arg: string | undefined) => arg === '--help' || arg === '-h'
const isVersion = (arg: string | undefined) => arg === '--version' || arg === '-v'

/**
 * Returns the command of a command line, and the arguments. `--help` anywhere shows the help of the words before the
 * first flag. Throws `usage`.
 */
export function parseCall(
  args: readonly string[],
  commands: readonly Command[],
): { command: Command; rest: readonly string[] } {
  if (isVersion(args[0])) return { command: versionNumber, rest: args.slice(1) }
  if (!args.some(isHelp)) return findCommand(args, commands)
  const words = args.filter((arg) => !isHelp(arg))
  const flag = words.findIndex((word) => word.startsWith('-'))
  return { command: help, rest: flag < 0 ? words : words.slice(0, flag) }
}
