import { usageError } from '../base/failures.js'
import { didYouMean } from '../base/nearest.js'
import type { Environment } from '../config/setting.js'
import { type Command, EXIT, write } from './command.js'
import type { Place } from './completion/places.js'

type Script = (places: readonly Place[]) => string

const SCRIPTS: Record<string, () => Promise<Script>> = {
  bash: async () => (await import('./completion/bash.js')).bashScript,
  zsh: async () => (await import('./completion/zsh.js')).zshScript,
  fish: async () => (await import('./completion/fish.js')).fishScript,
}
const SHELLS = Object.keys(SCRIPTS)
/** What the scripts call, with the line that is completed. */
const OWN_WORDS = 'endpoints'

export const completion: Command = {
  name: 'completion',
  operand: SHELLS.join('|'),
  meaning: 'print the completion script of a shell',
  settings: {},
  remarks: `bash: source <(logweir completion bash), in ~/.bashrc
zsh:  source <(logweir completion zsh), in ~/.zshrc, after compinit
fish: logweir completion fish | source, in ~/.config/fish/config.fish

After query the scripts ask the service for your own endpoints, for at most 1 s.`,
  choices: async () => SHELLS.map((word) => ({ word, flags: [] })),
  async run([shell, extra], { environment, stdout, commands }) {
    if (shell === OWN_WORDS) {
      await write(stdout, await ownWords(extra ?? '', environment, commands))
      return EXIT.ok
    }
    if (shell === undefined) throw usageError(`completion for which shell? There are: ${SHELLS.join(', ')}.`)
    if (!SHELLS.includes(shell))
      throw usageError(`unknown shell ${JSON.stringify(shell)}. ${didYouMean(shell, SHELLS)}`)
    if (extra !== undefined) throw usageError(`unexpected argument ${JSON.stringify(extra)}. Try: logweir --help`)
    const [script, { placesOf }] = await Promise.all([SCRIPTS[shell]!(), import('./completion/places.js')])
    await write(stdout, script(await placesOf(commands)))
    return EXIT.ok
  },
}

/** A word a line. */
async function ownWords(line: string, environment: Environment, commands: readonly Command[]): Promise<string> {
  const { completeQuery } = await import('../client/complete.js')
  const choices = (await commands.find(({ name }) => name === 'query')?.choices?.(commands)) ?? []
  const words = await completeQuery(
    line,
    environment,
    choices.map(({ word }) => word),
  )
  return words.map((word) => `${word}\n`).join('')
}
