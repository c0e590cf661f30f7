/**
 * Starts a single executable again with the setting of malloc that is in the first line of cli.ts: glibc reads the
 * setting before the program starts. Without it, freed memory stays with the process (docs/operations.md, Memory).
 */
const NAME = 'MALLOC_MMAP_THRESHOLD_'
const BYTES = '262144'

/** The oldest supported Node lacks this function. Executables have a newer Node. */
type Exec = { execve(file: string, args: readonly string[], environment: NodeJS.ProcessEnv): never }

if (process.platform === 'linux' && process.env[NAME] === undefined) {
  const { execve } = process as unknown as Exec
  execve(process.execPath, process.argv.slice(1), { ...process.env, [NAME]: BYTES })
}
