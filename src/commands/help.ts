import { VERSION } from '../base/version.js'
import { type Command, EXIT, write } from './call/command.js'
import { findGroup } from './call/find.js'
import { commandHelp, groupHelp, helpText } from './call/help-text.js'

/** `logweir help`: prints the list of commands, or the help of a command. */
export const help: Command = {
  name: 'help',
  operand: '[COMMAND]',
  meaning: 'list the commands, or print the flags of one',
  settings: {},
  choices: async (commands) => firstWords(commands).map((word) => ({ word, flags: [] })),
  async run(args, { stdout, commands }) {
    await write(stdout, helpOn(args, commands))
    return EXIT.ok
  },
}

const firstWords = (commands: readonly Command[]) => [...new Set(commands.map(({ name }) => name.split(' ')[0]))]

/** Returns the help of the command or group in `words`, or the list of commands if empty. Throws `usage`. */
export function helpOn(words: readonly string[], commands: readonly Command[]): string {
  if (words.length === 0) return helpText(VERSION, commands)
  const [first, ...others] = findGroup(words, commands)
  return others.length === 0 ? commandHelp(first!) : groupHelp([first!, ...others])
}
