import type { FlagArgument, Position } from './positions.js'
import {
  cases,
  ENDPOINT_POSITIONS,
  endpointWordsCommand,
  findPosition,
  pathCases,
  quoted,
  valueCases,
} from './posix.js'

/** Returns the completion script for zsh. */
export function zshScript(positions: readonly Position[]): string {
  const branches = positions.map(({ path, words, flags }) => {
    const choices = words.map(({ word, meaning }) => quoted(`${word}:${meaning}`))
    const options = flags.map(({ flag, meaning }) => quoted(`${flag}:${meaning}`))
    return [quoted(path), `choices=(${choices.join(' ')}) options=(${options.join(' ')})`] as const
  })
  return `#compdef logweir
# Completion of logweir for zsh: source <(logweir completion zsh)
_logweir() {
  local -a choices options own
${findPosition(positions, `"\${(@)words[2,CURRENT-1]}"`)}
  case "$position $words[CURRENT-1]" in
${valueCases(positions, complete)}
  esac
  [[ "$words[CURRENT]" == -* ]] || case "$position" in
${pathCases(positions, complete)}
  esac
  case "$position" in
${cases(branches)}
  esac
  if [[ "$position" == (${ENDPOINT_POSITIONS.join('|')}) ]]; then
    own=(\${(f)"$(${endpointWordsCommand(`"\${(j: :)words[1,CURRENT]}"`)})"})
    choices+=(\${own:#--*})
    options+=(\${(M)own:#--*})
  fi
  _describe 'word' choices
  _describe -o 'flag' options
}
compdef _logweir logweir
`
}

function complete(argument: Exclude<FlagArgument, 'nothing'>): string {
  if (argument === 'anything') return ''
  if (argument === 'file') return '_files; '
  if (argument === 'folder') return '_files -/; '
  return `compadd -- ${argument.words.map(quoted).join(' ')}; `
}
