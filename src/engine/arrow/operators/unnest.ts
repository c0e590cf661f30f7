import { expressionKey } from '../../../plan/expression-key.js'
import { scalarOfJson } from '../../../plan/functions/json.js'
import { elementsOfJson } from '../../../plan/functions/json-path.js'
import type { Operator } from '../../../plan/plan.js'
import { RawJson, type Scalar } from '../../../plan/values.js'
import { createEvaluate } from '../expressions/evaluate.js'
import { mappedFrame } from '../expressions/frame.js'
import { blocksOf } from './blocks.js'
import type { LazyBatch, RunContext } from './lazy-batch.js'
import { cacheKey } from './partial-cache.js'

/** Makes a row for each element of a list; see the operator in `plan.ts`. The rows made count as scanned. */
export function unnest(
  input: readonly LazyBatch[],
  operator: Extract<Operator, { op: 'unnest' }>,
  { yieldIfDue, onScan }: RunContext,
): LazyBatch[] {
  const { list, name, isOuter } = operator
  return input.map((batch) => ({
    ...batch,
    ...(batch.cached && {
      cached: { ...batch.cached, key: cacheKey(batch.cached.key, 'unnest', name, isOuter, expressionKey(list)) },
    }),
    read: (use) =>
      batch.read(async (frame) => {
        const vector = createEvaluate(frame)(list)
        const positions: number[] = []
        const elements: Scalar[] = []
        for await (const { from, to } of blocksOf(frame, [vector], yieldIfDue)) {
          for (let position = from; position < to; position++) {
            const found = elementsOf(vector.at(position))
            if (found.length === 0 && isOuter) found.push(null)
            for (const element of found) {
              positions.push(position)
              elements.push(element)
            }
          }
        }
        onScan(Math.max(0, positions.length - frame.rows))
        return use(mappedFrame(frame, Uint32Array.from(positions), new Map([[name, elements]])))
      }),
  }))
}

/** The elements of a list, an object as the only one; none of any other value. */
function elementsOf(value: Scalar): Scalar[] {
  if (Array.isArray(value)) return [...value]
  if (!(value instanceof RawJson)) return []
  return value.text.startsWith('[') ? elementsOfJson(value.text).map(scalarOfJson) : [value]
}
