import type { Flag, Place } from './places.js'
import { askOwnWords, cases, findPlace, OWN_PLACE, quoted, valueCases } from './posix.js'

/** The script for zsh. */
export function zshScript(places: readonly Place[]): string {
  const words = places.map(({ path, next, flags }) => {
    const choices = next.map(({ word, meaning }) => quoted(`${word}:${meaning}`))
    const options = flags.map(({ flag, meaning }) => quoted(`${flag}:${meaning}`))
    return [quoted(path), `choices=(${choices.join(' ')}) options=(${options.join(' ')})`] as const
  })
  return `#compdef logweir
# Completion of logweir for zsh: source <(logweir completion zsh)
_logweir() {
  local -a choices options own
${findPlace(places, `"\${(@)words[2,CURRENT-1]}"`)}
  case "$place $words[CURRENT-1]" in
${valueCases(places, complete)}
  esac
  case "$place" in
${cases(words)}
  esac
  if [[ "$place" == ${OWN_PLACE} ]]; then
    own=(\${(f)"$(${askOwnWords(`"\${(j: :)words[1,CURRENT]}"`)})"})
    choices+=(\${own:#--*})
    options+=(\${(M)own:#--*})
  fi
  _describe 'word' choices
  _describe -o 'flag' options
}
compdef _logweir logweir
`
}

function complete(takes: Exclude<Flag['takes'], 'nothing'>): string {
  if (takes === 'anything') return ''
  if (takes === 'file') return '_files; '
  if (takes === 'folder') return '_files -/; '
  return `compadd -- ${takes.words.map(quoted).join(' ')}; `
}
