import { hash } from 'node:crypto'
import { isExpression } from '../../../plan/calls.js'
import { expressionKey } from '../../../plan/expression-key.js'
import { type Input, isUnlimited, type Stage } from './stage.js'

/**
 * Returns the stage with a single object, marked as shared, in place of equal stages that hold rows in memory because
 * they group rows, or keep the first rows. A common table expression that a query names several times becomes equal
 * stages.
 */
export function shareStages(last: Stage): Stage {
  if (!hasUnion(last)) return last
  makeKeys(last)
  return withSharedInputs(last, new Map())
}

/**
 * Whether a stage reads a union, directly or through other stages: only stages in the parts of a union can be equal.
 */
function hasUnion({ input: first }: Stage): boolean {
  let input = first
  while (input.op === 'stage') input = input.stage.input
  return input.op === 'union'
}

/**
 * Makes the keys of all stages, starting with the inputs: the key of a stage then needs only the keys of the inputs.
 */
function makeKeys(stage: Stage): void {
  for (const one of inputsOf(stage.input)) {
    makeKeys(one)
    stageKey(one)
  }
}

/** Replaces the inputs of a stage. `known` has the stages found so far, by key. */
function withSharedInputs(stage: Stage, known: Map<string, Stage>): Stage {
  return { ...stage, input: withInputs(stage.input, (one) => shared(one, known)) }
}

function shared(stage: Stage, known: Map<string, Stage>): Stage {
  if (isUnlimited(stage.sink)) return withSharedInputs(stage, known)
  const key = stageKey(stage)
  const same = known.get(key)
  if (same !== undefined) {
    same.isShared = true
    return same
  }
  const first = withSharedInputs(stage, known)
  known.set(key, first)
  return first
}

function inputsOf(input: Input): readonly Stage[] {
  if (input.op === 'scan' || input.op === 'view') return []
  return input.op === 'union' ? input.inputs : [input.stage]
}

function withInputs(input: Input, replace: (stage: Stage) => Stage): Input {
  if (input.op === 'scan' || input.op === 'view') return input
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
