import { parse } from 'yaml'
import { textOf } from '../deploy/files.js'
import { checkExists, checkName } from './docker.js'
import { documentAt } from './documents.js'
import { commandsOf } from './shell.js'

const FOLDER = 'deploy/kubernetes'
const set = () => parse(textOf(`${FOLDER}/stateful-set.yaml`))
const service = () => parse(textOf(`${FOLDER}/service.yaml`))
/** The command of the image, which `kubectl exec` does not add. */
const PROGRAM = ['node', '/app/dist/cli.js']

/** Returns the Secrets that docs/operations.md creates, each as `name/key`. */
export function createdSecrets(): string[] {
  const blocks = documentAt('docs/operations.md')!.blocks.filter(({ language }) => language === 'sh')
  return blocks
    .flatMap(({ text }) => commandsOf(text))
    .filter(({ words }) => words.slice(0, 4).join(' ') === 'kubectl create secret generic')
    .flatMap(({ words }) => secretsOf(words.slice(4)))
}

/** Returns the entries of the arguments after `kubectl create secret generic`. */
const secretsOf = ([name, ...flags]: readonly string[]) =>
  flags.map((flag) => `${name}/${/^--from-file=([\w-]+)=/.exec(flag)?.[1]}`)

/** Returns the entries of Secrets that the manifest reads, each as `name/key`. */
const readSecrets = (): string[] =>
  set().spec.template.spec.containers[0].env.flatMap(({ valueFrom }: { valueFrom?: { secretKeyRef: Ref } }) =>
    valueFrom === undefined ? [] : [`${valueFrom.secretKeyRef.name}/${valueFrom.secretKeyRef.key}`],
  )

interface Ref {
  name: string
  key: string
}

/** The checkers of the commands of kubectl. `checkOwn` checks the arguments of our program. */
const COMMANDS: Readonly<Record<string, (args: readonly string[], checkOwn: CheckOwn) => void>> = {
  apply: ([flag, folder]) => {
    if (flag !== '-k') throw new Error(`nobody checks kubectl apply ${flag}`)
    checkExists(`${folder}/kustomization.yaml`)
  },
  create([, , ...rest]) {
    for (const secret of secretsOf(rest)) checkName(secret, readSecrets())
  },
  get([kind, name, , path]) {
    // Of objects of the user.
    if (kind === 'pods' || kind === 'events') return
    checkName(`${name}/${/^jsonpath=\{\.data\.(.*)\}$/.exec(path!)?.[1]}`, readSecrets())
  },
  exec([pod, separator, ...words], checkOwn) {
    checkName(pod!, [`${set().metadata.name}-0`])
    checkName([separator, ...words.slice(0, 2)].join(' '), [['--', ...PROGRAM].join(' ')])
    checkOwn(words.slice(2))
  },
  'port-forward'([name, port]) {
    const { metadata, spec } = service()
    checkName(`${name} ${port}`, [`service/${metadata.name} ${spec.ports[0].port}`])
  },
  // Of pods of the user.
  logs: () => {},
  rollout: ([, name]) => checkName(name!, [`statefulset/${set().metadata.name}`]),
}

type CheckOwn = (args: readonly string[]) => void

/** Throws if a kubectl command of a page names an object, a Secret or a file that deploy/kubernetes lacks. */
export function checkKubectl([command, ...args]: readonly string[], checkOwn: CheckOwn): void {
  const check = COMMANDS[command!]
  if (check === undefined) throw new Error(`nobody checks kubectl ${command}`)
  check(args, checkOwn)
}
