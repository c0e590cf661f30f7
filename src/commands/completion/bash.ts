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

/** Returns the completion script for bash 3.2 or newer. */
export function bashScript(positions: readonly Position[]): string {
  const branches = positions.map(({ path, words, flags }) => {
    const all = [...words.map(({ word }) => word), ...flags.map(({ flag }) => flag)]
    return [quoted(path), `choices=${quoted(all.join(' '))}`] as const
  })
  return `# Completion of logweir for bash: source <(logweir completion bash)
_logweir() {
  local current="\${COMP_WORDS[COMP_CWORD]}" choices=''
  local previous="\${COMP_WORDS[COMP_CWORD-1]}"
  # bash splits --flag=value into three words.
  [[ "$current" == = ]] && current=''
  [[ "$previous" == = ]] && previous="\${COMP_WORDS[COMP_CWORD-2]}"
${findPosition(positions, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  case "$position $previous" in
${valueCases(positions, complete)}
  esac
  [[ "$current" == -* ]] || case "$position" in
${pathCases(positions, complete)}
  esac
  case "$position" in
${cases(branches)}
  esac
  [[ "$position" =~ ^(${ENDPOINT_POSITIONS.join('|')})$ ]] &&
    choices+=" $(${endpointWordsCommand(`"\${COMP_LINE:0:COMP_POINT}"`)})"
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}
complete -F _logweir logweir
`
}

function complete(argument: Exclude<FlagArgument, 'nothing'>): string {
  if (argument === 'anything') return ''
  if (argument === 'file') return paths('-f')
  if (argument === 'folder') return paths('-d')
  return `COMPREPLY=($(compgen -W ${quoted(argument.words.join(' '))} -- "$current")); `
}

/** File names may contain spaces, so only line breaks separate names. Older versions of bash have no compopt. */
const paths = (kind: string) =>
  `local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen ${kind} -- "$current")); `
