import { appendFileSync, chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { temporaryFolder } from './program.js'

/** The client of a machine that has neither Docker nor an image yet. */
export interface FakeDocker {
  /** PATH with this `docker` in front. */
  path: string
  /** The commands that changed something, in order: `build`, `compose … up -d`, `volume rm …`. */
  commands(): string[]
}

/**
 * Makes a program `docker`: `build --tag` makes an image, `image inspect` finds the image, `compose` needs each file of
 * `-f`, and `exec CONTAINER sh -c TEXT` runs the text here, in the given environment and with another port instead of
 * 4000.
 */
export function fakeDocker(port: number, environment: Readonly<Record<string, string>>): FakeDocker {
  const bin = temporaryFolder()
  const log = join(bin, 'log')
  const variables = Object.entries(environment).map(([name, value]) => `${name}='${value}'`)
  writeFileSync(
    join(bin, 'docker'),
    `#!/bin/sh
set -eu
case "$1 \${2-}" in
'version ') ;;
'compose version') echo 2.40.3 ;;
'image inspect') grep -qx "image $3" '${log}' ;;
'build '*)
  test -e Dockerfile
  echo "$*" >>'${log}'
  while [ "$1" != --tag ]; do shift; done
  echo "image $2" >>'${log}' ;;
'compose '*)
  echo "$*" >>'${log}'
  shift
  while [ "$1" = -f ]; do test -e "$2"; shift 2; done ;;
'exec '*) text=$(printf '%s' "$5" | sed 's/localhost:4000/localhost:${port}/g'); ${variables.join(' ')} sh -c "$text" ;;
'volume rm') echo "$*" >>'${log}' ;;
*) echo "no docker $*" >&2; exit 9 ;;
esac
`,
  )
  chmodSync(join(bin, 'docker'), 0o755)
  appendFileSync(log, '')
  return {
    path: [bin, process.env.PATH].join(delimiter),
    commands: () =>
      (existsSync(log) ? readFileSync(log, 'utf8') : '').split('\n').filter((line) => !/^(image .*)?$/.test(line)),
  }
}
