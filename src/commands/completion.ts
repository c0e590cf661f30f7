import { usageError } from '../base/failures.js'
import { didYouMean } from '../base/text/nearest.js'
import type { Environment } from '../config/environment.js'
import { type Command, EXIT, write } from './call/command.js'
import type { CompletableCommand, Position } from './completion/positions.js'

type Script = (positions: readonly Position[]) => string

const SCRIPTS: Record<string, () => Promise<Script>> = {
  bash: async () => (await import('./completion/bash.js')).bashScript,
  zsh: async () => (await import('./completion/zsh.js')).zshScript,
  fish: async () => (await import('./completion/fish.js')).fishScript,
}
const SHELLS = Object.keys(SCRIPTS)
/**
 * The operand that the scripts pass, together with the line to complete, to ask for endpoints of the running service.
 */
const ENDPOINTS_OPERAND = 'endpoints'

/** `logweir completion`: prints the completion script of a shell. The scripts call it back for the user's endpoints. */
export const completion: Command = {
  name: 'completion',
  operand: SHELLS.join('|'),
  meaning: 'print the completion script of a shell',
  settings: {},
  remarks: `bash: source <(logweir completion bash), in ~/.bashrc
zsh:  source <(logweir completion zsh), in ~/.zshrc, after compinit
fish: logweir completion fish | source, in ~/.config/fish/config.fish

After query and watch the scripts ask the service for your own endpoints, for at most 1 s.`,
  choices: async () => SHELLS.map((word) => ({ word, flags: [] })),
  async run([shell, extra], { environment, stdout, commands }) {
    if (shell === ENDPOINTS_OPERAND) {
      await write(stdout, await endpointWords(extra ?? '', environment, commands))
      return EXIT.ok
    }
    if (shell === undefined) throw usageError(`completion for which shell? There are: ${SHELLS.join(', ')}.`)
    if (!SHELLS.includes(shell))
      throw usageError(`unknown shell ${JSON.stringify(shell)}. ${didYouMean(shell, SHELLS)}`)
    if (extra !== undefined) throw usageError(`unexpected argument ${JSON.stringify(extra)}. Try: logweir --help`)
    const [script, { listPositions }] = await Promise.all([SCRIPTS[shell](), import('./completion/positions.js')])
    await write(stdout, script(listPositions(await completableCommands(commands))))
    return EXIT.ok
  },
}

/** Resolves the operands of the commands, so that completion does not need to know how commands find operands. */
export function completableCommands(commands: readonly Command[]): Promise<CompletableCommand[]> {
  return Promise.all(
    commands.map(async ({ name, meaning, settings, operandPath, choices }) => ({
      name,
      meaning,
      settings,
      operandPath,
      choices: (await choices?.(commands)) ?? [],
    })),
  )
}

/** Returns the words that the running service adds to the words in the script, a word per line. */
async function endpointWords(line: string, environment: Environment, commands: readonly Command[]): Promise<string> {
  const { completeEndpoint } = await import('../client/complete.js')
  const choices = (await commands.find(({ name }) => name === 'query')?.choices?.(commands)) ?? []
  const words = await completeEndpoint(
    line,
    environment,
    choices.map(({ word }) => word),
  )
  return words.map((word) => `${word}\n`).join('')
}
