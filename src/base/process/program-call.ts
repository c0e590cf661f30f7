import { isSea } from 'node:sea'

/** A process as {@link programCall} sees it: the program that runs, Node's own flags, and the path of the script. */
type Running = Pick<NodeJS.Process, 'execPath' | 'execArgv' | 'argv'>

/**
 * Returns the command that starts this program again with other arguments, and all arguments of that command. Node's
 * flags are kept, except those of the debugger: this process has the port of the debugger. A single executable has no
 * script, and takes Node's flags from its own file and the environment.
 */
export function programCall(
  args: readonly string[],
  { execPath, execArgv, argv }: Running = process,
  isExecutable = isSea(),
): [command: string, args: string[]] {
  if (isExecutable) return [execPath, [...args]]
  return [execPath, [...execArgv.filter((flag) => !flag.startsWith('--inspect')), argv[1], ...args]]
}
