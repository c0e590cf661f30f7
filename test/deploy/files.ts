import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** The text of a file, by its path from the root of the repository. */
export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** An instruction of a Dockerfile: its keyword, and the rest on one line. */
export interface Step {
  keyword: string
  rest: string
}

/** The stages of a Dockerfile, each from its FROM to the next. Line continuations are joined, comments left out. */
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

/** What stands behind each such keyword of a stage, in order. */
export const allOf = (stage: readonly Step[], keyword: string): string[] =>
  stage.filter((step) => step.keyword === keyword).map(({ rest }) => rest)

/** What stands behind a keyword that a stage has once. */
export function oneOf(stage: readonly Step[], keyword: string): string {
  const [first, ...others] = allOf(stage, keyword)
  if (first === undefined || others.length > 0) throw new Error(`${keyword} stands there ${others.length + 1} times`)
  return first
}

/** `A=b C=d` as an object. */
export const assignmentsOf = (text: string): Record<string, string> =>
  Object.fromEntries(text.split(' ').map((pair) => pair.split('=') as [string, string]))
