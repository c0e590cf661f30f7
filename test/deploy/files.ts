import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** Returns the text of a file. `path` is relative to the root of the repository. */
export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** An instruction of a Dockerfile: the keyword, and the rest joined to a single line. */
export interface Step {
  keyword: string
  rest: string
}

/** Returns the stages of a Dockerfile, each from a FROM to the next. Continued lines are joined, comments omitted. */
export function stagesOf(dockerfile: string): Step[][] {
  const lines = dockerfile
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '')
  const stages: Step[][] = []
  for (const line of lines) {
    const [, keyword, rest] = /^([A-Z]+) (.*)$/.exec(line)!
    if (keyword === 'FROM') stages.push([])
    stages.at(-1)!.push({ keyword: keyword!, rest: rest! })
  }
  return stages
}

/** Returns the arguments of each instruction with this keyword, in order. */
export const allOf = (stage: readonly Step[], keyword: string): string[] =>
  stage.filter((step) => step.keyword === keyword).map(({ rest }) => rest)

/** Returns the arguments of the only instruction with this keyword. Throws unless there is exactly one. */
export function oneOf(stage: readonly Step[], keyword: string): string {
  const [first, ...others] = allOf(stage, keyword)
  if (first === undefined || others.length > 0)
    throw new Error(`one ${keyword} expected, found ${allOf(stage, keyword).length}`)
  return first
}

/** Parses `A=b C=d` to an object. */
const assignmentsOf = (text: string): Record<string, string> =>
  Object.fromEntries(text.split(' ').map((pair) => pair.split('=') as [string, string]))

/** Returns the variables of the image that a stage makes, with the given build arguments instead of the defaults. */
export function environmentOf(stage: readonly Step[], given: Record<string, string> = {}): Record<string, string> {
  const values: Record<string, string> = { ...assignmentsOf(allOf(stage, 'ARG').join(' ')), ...given }
  return assignmentsOf(oneOf(stage, 'ENV').replaceAll(/\$(\w+)/g, (_, name) => values[name]!))
}
