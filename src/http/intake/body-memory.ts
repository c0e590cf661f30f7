/** The memory that the bodies of requests share. */
import { LogweirError } from '../../base/errors.js'
import { refusals } from '../reply/errors.js'

/** A body that is still arriving. */
export interface ReceivedBody {
  bytesPerS(): number
  /** Refuses the rest of it and releases its memory, at once. */
  cut(error: Error): void
}

/** The memory of one body. */
export interface BodyShare {
  /** Takes that many more bytes; the slowest body that arrives makes room if it must. Throws `too_many_bodies`. */
  hold(bytes: number): void
  /** Gives bytes back, by default all of them. */
  release(bytes?: number): void
  /** The body begins to arrive; returns what ends that. Until then `hold` throws `request_timeout` if it is the slowest. */
  arrive(arriving: ReceivedBody): () => void
}

export interface BodyMemory {
  createShare(): BodyShare
  bufferedBytes(): number
}

export function createBodyMemory(limitBytes: number): BodyMemory {
  let bufferedBytes = 0
  /** Bodies that hold memory while they arrive. */
  const arriving = new Set<ReceivedBody>()

  /** Cuts bodies that arrive, the slowest first, until there is room. `own` is the one that needs it, if it still arrives. */
  function makeRoom(bytes: number, own: ReceivedBody | undefined): void {
    while (bufferedBytes + bytes > limitBytes) {
      const others = [...arriving].filter((one) => one !== own)
      if (others.length === 0) throw tooManyBodies()
      const slowest = slowestOf(own === undefined ? others : [...others, own])
      if (slowest === own) throw refusals.bodySlowest()
      slowest.cut(refusals.bodySlowest())
    }
  }

  function createShare(): BodyShare {
    let ownBytes = 0
    let own: ReceivedBody | undefined
    return {
      hold(bytes) {
        if (bufferedBytes + bytes > limitBytes) makeRoom(bytes, own)
        bufferedBytes += bytes
        ownBytes += bytes
        if (own !== undefined) arriving.add(own)
      },
      release(bytes = ownBytes) {
        bufferedBytes -= bytes
        ownBytes -= bytes
      },
      arrive(one) {
        own = one
        return () => {
          own = undefined
          arriving.delete(one)
        }
      },
    }
  }

  return { createShare, bufferedBytes: () => bufferedBytes }
}

function slowestOf(bodies: readonly ReceivedBody[]): ReceivedBody {
  return bodies.reduce((slowest, one) => (one.bytesPerS() < slowest.bytesPerS() ? one : slowest))
}

const tooManyBodies = () =>
  new LogweirError(
    'too_many_bodies',
    'Too many records are on their way in. Nothing of this body was taken. Send it again shortly.',
  )
