import { createBlockCutter } from './blocks.js'
import type { LineSource } from './line-source.js'
import { readInput } from './open.js'

/** Blocks of whole lines, and the lines that were too long for any block. */
export interface InputBlocks {
  blocks: AsyncIterable<Uint8Array<ArrayBuffer>>
  /** Takes back the memory of a block that is not read any more. */
  reuse(memory: ArrayBuffer): void
  tooLong(): number
  /** Stops reading, also while an input is silent. */
  close(): void
}

/**
 * Reads inputs one after the other as blocks of whole lines. A block that is not full is passed on if `isIdle` returns
 * true: rows are then printed as their lines come.
 */
export function readBlocks({ paths, stop }: Pick<LineSource, 'paths' | 'stop'>, isIdle: () => boolean): InputBlocks {
  const ready: Uint8Array<ArrayBuffer>[] = []
  const cutter = createBlockCutter((block) => ready.push(block))
  const closing = new AbortController()
  const end = stop === undefined ? closing.signal : AbortSignal.any([stop, closing.signal])

  async function* read(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    for (const path of paths) {
      if (end.aborted) return
      for await (const chunk of readInput(path, end)) {
        cutter.push(chunk)
        if (ready.length === 0 && isIdle()) cutter.flush()
        yield* ready.splice(0)
      }
      cutter.endInput()
      yield* ready.splice(0)
    }
  }

  return { blocks: read(), reuse: cutter.reuse, tooLong: cutter.tooLong, close: () => closing.abort() }
}
