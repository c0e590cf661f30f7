import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import { onTestFinished } from 'vitest'
import { environmentOf, oneOf, stagesOf, textOf } from '../../deploy/files.js'

/** The stages of the Dockerfile: the stage that builds, and the stage that is the image. */
export const [BUILD_STAGE, RUN_STAGE] = stagesOf(textOf('Dockerfile'))

/** The environment of a container: the variables, and a PATH with node and curl. */
export const bare = (environment: Record<string, string>) => ({
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  ...environment,
})

/** The image without Docker. */
export interface Image {
  /** The variables of a container to which Compose gives the variables `given`. */
  environment(given?: Readonly<Record<string, string>>): Record<string, string>
  /** Starts the image's command. The command is killed when the test ends. */
  run(environment: Record<string, string>): ChildProcess
  /** Returns whether a health check passes, in the form of Compose or of the image. */
  passes(test: readonly string[], environment: Record<string, string>): boolean
}

/** The places of an image in a test. */
export interface Places {
  app: string
  data: string
  port: number
  /** Build arguments. */
  args?: Record<string, string>
}

const HEALTH_CHECK_MS = 10_000

/** Returns the image with /app and /data in the given folders. */
export function imageAt({ app, data, port, args }: Places): Image {
  const inHere = (word: string) =>
    word
      .replace(/^\/app\b/, app)
      .replace(/^\/data\b/, data)
      .replace('localhost:4000', `localhost:${port}`)
  const own = Object.entries(environmentOf(RUN_STAGE!, args)).map(([name, value]) => [name, inHere(value)])
  const wordsOf = (json: string): string[] => JSON.parse(json).map(inHere)
  return {
    environment: (given = {}) =>
      bare({ ...Object.fromEntries(own), LOGWEIR_HOST: '127.0.0.1', LOGWEIR_PORT: `${port}`, ...given }),
    run(env) {
      const [program, ...words] = [...wordsOf(oneOf(RUN_STAGE!, 'ENTRYPOINT')), ...wordsOf(oneOf(RUN_STAGE!, 'CMD'))]
      const child = spawn(program!, words, { cwd: app, env, stdio: ['ignore', 'ignore', 'pipe'] })
      onTestFinished(() => void child.kill('SIGKILL'))
      return child
    },
    passes([kind, ...words], env) {
      const [program, ...rest] = kind === 'CMD-SHELL' ? ['/bin/sh', '-c', ...words] : words
      const { status, error } = spawnSync(program!, rest.map(inHere), { env, timeout: HEALTH_CHECK_MS })
      if (error !== undefined) throw error
      return status === 0
    },
  }
}
