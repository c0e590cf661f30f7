/** A parsed shell command. */
export interface ShellCommand {
  /** The assignments before the program: `A=b`. */
  assignments: readonly string[]
  /** The program and the arguments, without quotes. `$NAME` stays unchanged. */
  words: readonly string[]
}

/**
 * Matches a comment, a quoted piece of a word, the end of a command, a redirection, blanks, or an unquoted piece of a
 * word.
 */
const TOKEN = /#.*|'([^']*)'|"([^"]*)"|(\|\||&&|[|;\n])|([<>]+) *| +|([^\s'"|&;<>#][^\s'"|&;<>]*)/g

const ASSIGNMENT = /^[A-Z_][A-Z_0-9]*=/

/**
 * Returns the commands of a shell block, without redirections. The commands of a pipe are separate. Parses only the
 * part of the language that the pages use, and throws at everything else.
 */
export function commandsOf(block: string): ShellCommand[] {
  const commands: string[][] = [[]]
  let word: string | undefined
  let isFile = false
  const endWord = () => {
    if (word !== undefined && !isFile) commands.at(-1)!.push(word)
    if (word !== undefined) isFile = false
    word = undefined
  }
  const text = block.replaceAll(/\\\n */g, '')
  let at = 0
  for (const match of text.matchAll(TOKEN)) {
    if (match.index !== at) throw new Error(`nobody reads this shell: ${text.slice(at, match.index + 20)}`)
    at += match[0].length
    const [, single, double, end, direction, plain] = match
    const piece = single ?? double ?? plain
    if (piece !== undefined) word = (word ?? '') + piece
    else endWord()
    if (end !== undefined) commands.push([])
    else if (direction !== undefined) isFile = true
  }
  if (at !== text.length) throw new Error(`nobody reads this shell: ${text.slice(at)}`)
  endWord()
  return commands.filter((words) => words.length > 0).map(commandOf)
}

function commandOf(words: readonly string[]): ShellCommand {
  const first = words.findIndex((word) => !ASSIGNMENT.test(word))
  const split = first < 0 ? words.length : first
  return { assignments: words.slice(0, split), words: words.slice(split) }
}
