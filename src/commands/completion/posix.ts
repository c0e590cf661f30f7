import { type FlagArgument, flagsWithValue, type PathKind, type Position } from './positions.js'

/** Parts that the scripts of bash and zsh share. */

/**
 * Quotes a text for bash, zsh and fish: apostrophes become ’ and backslashes are removed, since nothing else has a
 * meaning in single quotes.
 */
export const quoted = (text: string): string => `'${text.replaceAll("'", '’').replaceAll('\\', '')}'`

/** Returns the branches of a `case`. Patterns with equal bodies share a branch. */
export function cases(rows: readonly (readonly [pattern: string, body: string])[]): string {
  const patterns = new Map<string, string[]>()
  for (const [pattern, body] of rows) patterns.set(body, [...(patterns.get(body) ?? []), pattern])
  return [...patterns].map(([body, all]) => `    ${all.join('|')}) ${body} ;;`).join('\n')
}

const quotedPaths = (positions: readonly Position[]) =>
  positions
    .filter(({ path }) => path !== '')
    .map(({ path }) => quoted(path))
    .join('|')

/**
 * Returns shell code that sets `position` to the longest known path among the typed words. `typed` is the shell's
 * expression for the typed words, the only difference between bash and zsh.
 */
export const findPosition = (positions: readonly Position[], typed: string) => `  local position='' word before=''
  for word in ${typed}; do
    case "$before" in ${flagsWithValue(positions).join('|')}) before=''; continue ;; esac
    before="$word"
    case "\${position:+$position }$word" in ${quotedPaths(positions)}) position="\${position:+$position }$word" ;; esac
  done`

/** Returns the branches for the values of flags. `complete` returns the shell's code that offers a kind of value. */
export function valueCases(
  positions: readonly Position[],
  complete: (argument: Exclude<FlagArgument, 'nothing'>) => string,
): string {
  const rows = positions.flatMap(({ path, flags }) =>
    flags.flatMap(({ flag, argument }) =>
      argument === 'nothing' ? [] : [[quoted(`${path} ${flag}`), `${complete(argument)}return`] as const],
    ),
  )
  return cases(rows)
}

/** Returns the branches for the operands that are paths. `offer` returns the shell's code that offers paths. */
export const pathCases = (positions: readonly Position[], offer: (kind: PathKind) => string): string =>
  cases(positions.flatMap(({ path, takes }) => (takes ? [[quoted(path), `${offer(takes)}return`] as const] : [])))

/** The positions at which the scripts ask the running service for the user's own endpoints. */
export const ENDPOINT_POSITIONS: readonly string[] = ['query', 'watch']

/**
 * Returns the shell command that prints the words for {@link ENDPOINT_POSITIONS}, a word per line, and no error
 * messages. `line` is the shell's expression for the text up to the cursor.
 */
export const endpointWordsCommand = (line: string): string =>
  `logweir completion endpoints ${line} 2>/dev/null </dev/null`
