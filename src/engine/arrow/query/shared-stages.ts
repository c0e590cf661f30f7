import { hash } from 'node:crypto'
import { isExpression } from '../../../plan/calls.js'
import { expressionKey } from '../../../plan/expression-key.js'
import { type Input, isUnlimited, type Stage } from './stages.js'

/**
 * Returns the stage with one object, marked as shared, in place of equal stages whose rows are held in memory: those
 * that group rows, or keep the first ones. A common table expression that a query names several times becomes such
 * stages.
 */
export function shareStages(last: Stage): Stage {
  if (!hasUnion(last)) return last
  makeKeys(last)
  const counts = new Map<string, number>()
  countStages(last, counts)
  if (![...counts.values()].some((count) => count > 1)) return last
  return shared(last, counts, new Map())
}

/** Whether a stage reads a union, directly or through other stages: only those of its parts can be equal. */
function hasUnion({ input: first }: Stage): boolean {
  for (let input = first; input.op !== 'scan'; input = input.stage.input) if (input.op === 'union') return true
  return false
}

/** Makes the keys of all stages, those of their inputs first: a key then needs only those of its own inputs. */
function makeKeys(stage: Stage): void {
  for (const one of inputsOf(stage.input)) {
    makeKeys(one)
    stageKey(one)
  }
}

function countStages(stage: Stage, counts: Map<string, number>): void {
  for (const one of inputsOf(stage.input)) {
    if (!isUnlimited(one.sink)) {
      const key = stageKey(one)
      const count = counts.get(key) ?? 0
      counts.set(key, count + 1)
      if (count > 0) continue
    }
    countStages(one, counts)
  }
}

function shared(stage: Stage, counts: ReadonlyMap<string, number>, made: Map<string, Stage>): Stage {
  const replace = (one: Stage): Stage => {
    const key = isUnlimited(one.sink) ? undefined : stageKey(one)
    if (key === undefined || counts.get(key) === 1) return shared(one, counts, made)
    const known = made.get(key) ?? { ...shared(one, counts, made), isShared: true }
    made.set(key, known)
    return known
  }
  return { ...stage, input: withInputs(stage.input, replace) }
}

function inputsOf(input: Input): readonly Stage[] {
  if (input.op === 'scan') return []
  return input.op === 'union' ? input.inputs : [input.stage]
}

function withInputs(input: Input, replace: (stage: Stage) => Stage): Input {
  if (input.op === 'scan') return input
  if (input.op === 'stage') return { ...input, stage: replace(input.stage) }
  return { ...input, inputs: input.inputs.map(replace) }
}

const keys = new WeakMap<Stage, string>()

/** Returns a text that is equal for equal stages, and different for others. */
function stageKey(stage: Stage): string {
  const known = keys.get(stage)
  if (known !== undefined) return known
  const isStage = (value: unknown): value is Stage =>
    value !== stage && typeof value === 'object' && value !== null && 'sink' in value
  const text = JSON.stringify(stage, (_, value: unknown) => {
    if (isExpression(value)) return expressionKey(value)
    // JSON has no infinite numbers.
    if (typeof value === 'number') return `${value}`
    return isStage(value) ? stageKey(value) : value
  })
  const key = hash('sha256', text, 'base64url')
  keys.set(stage, key)
  return key
}
