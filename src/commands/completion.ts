import { didYouMean } from '../base/nearest.js'
import { usageError } from '../base/settings.js'
import { type Command, EXIT, write } from './command.js'
import type { Place } from './completion/places.js'

type Script = (places: readonly Place[]) => string

const SCRIPTS: Record<string, () => Promise<Script>> = {
  bash: async () => (await import('./completion/bash.js')).bashScript,
  zsh: async () => (await import('./completion/zsh.js')).zshScript,
  fish: async () => (await import('./completion/fish.js')).fishScript,
}
const SHELLS = Object.keys(SCRIPTS)

export const completion: Command = {
  name: 'completion',
  operand: SHELLS.join('|'),
  meaning: 'print what makes a shell complete all this',
  settings: {},
  remarks: `bash: source <(logweir completion bash), in ~/.bashrc
zsh:  source <(logweir completion zsh), in ~/.zshrc, behind compinit
fish: logweir completion fish | source, in ~/.config/fish/config.fish`,
  choices: async () => SHELLS.map((word) => ({ word, flags: [] })),
  async run([shell, extra], { stdout, commands }) {
    if (shell === undefined) throw usageError(`completion for which shell? There are: ${SHELLS.join(', ')}.`)
    if (!SHELLS.includes(shell))
      throw usageError(`unknown shell ${JSON.stringify(shell)}. ${didYouMean(shell, SHELLS)}`)
    if (extra !== undefined) throw usageError(`unexpected argument ${JSON.stringify(extra)}. Try: logweir --help`)
    const [script, { placesOf }] = await Promise.all([SCRIPTS[shell]!(), import('./completion/places.js')])
    await write(stdout, script(await placesOf(commands)))
    return EXIT.ok
  },
}
