#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { LogweirError } from './base/errors.js'
import { letHeapsGrow } from './base/heap.js'
import { createStderrLog, type Log } from './base/log.js'
import { usageError } from './base/settings.js'
import { helpText, readExportConfig, readGenerateConfig, readSchemaConfig, readServeConfig } from './config.js'

/** What the shell sees: done, went wrong, called wrongly. */
const EXIT = { ok: 0, failure: 1, usage: 2 }

/** A closed pipe behind us, as in `logweir generate | head`: nobody is left to write for. */
const isBrokenPipe = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EPIPE'

async function serve(args: readonly string[], log: Log): Promise<never> {
  const config = readServeConfig(args, process.env)
  letHeapsGrow()
  const { runService } = await import('./service.js')
  // A standard input that nobody closes must not hold the program.
  process.exit(await runService(config, log))
}

async function generate(args: readonly string[]): Promise<number> {
  const { writeRecords } = await import('./generate/write.js')
  await writeRecords(readGenerateConfig(args), process.stdout)
  return EXIT.ok
}

async function schema(args: readonly string[]): Promise<number> {
  const { showSchema } = await import('./show-schema.js')
  const isAsWanted = await showSchema(readSchemaConfig(args, process.env), print)
  return isAsWanted ? EXIT.ok : EXIT.failure
}

async function exportTo(args: readonly string[], log: Log): Promise<number> {
  const config = readExportConfig(args, process.env)
  letHeapsGrow()
  const { exportDirectory } = await import('./export/export.js')
  const terminal = process.stderr.isTTY ? process.stderr : undefined
  const isWhole = await exportDirectory(config, { print, log, terminal })
  return isWhole ? EXIT.ok : EXIT.failure
}

function print(text: string): number {
  process.stdout.write(text)
  return EXIT.ok
}

function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

/** Runs one command and gives its exit code. */
async function run(args: readonly string[], log: Log): Promise<number> {
  const [command, ...rest] = args
  if (args.some((arg) => arg === '--help' || arg === '-h')) return print(helpText(version()))
  if (command === '--version' || command === '-v') return print(`${version()}\n`)
  if (command === 'serve') return serve(rest, log)
  if (command === 'generate') return generate(rest)
  if (command === 'schema') return schema(rest)
  if (command === 'export') return exportTo(rest, log)
  if (command === undefined) throw usageError('no command. Try: logweir serve, or logweir --help')
  throw usageError(`unknown command ${JSON.stringify(command)}. Try: logweir serve, or logweir --help`)
}

async function main(): Promise<void> {
  const log = createStderrLog()
  try {
    process.stdout.on('error', (error) => {
      if (!isBrokenPipe(error)) throw error
    })
    process.exitCode = await run(process.argv.slice(2), log)
  } catch (error) {
    if (isBrokenPipe(error)) return
    log(error instanceof Error ? error.message : String(error))
    // A server that listens already must not hold the program.
    process.exit(error instanceof LogweirError ? EXIT.usage : EXIT.failure)
  }
}

await main()
