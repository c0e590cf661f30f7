/** The memory that all request bodies share. */
import { LogweirError } from '../../base/errors.js'
import { refusals } from '../reply/errors.js'

/** A body that is still being received. */
interface ReceivedBody {
  bytesPerS(): number
  /** Rejects the body with this error and releases the body's memory at once. */
  cut(error: Error): void
}

/** The share of a body. */
export interface BodyShare {
  /**
   * Reserves `bytes` more bytes. If the bytes are not free, cuts the slowest body that is being received. Throws
   * `too_many_bodies` if that does not suffice, and `request_timeout` if this body is itself the slowest.
   */
  reserve(bytes: number): void
  /** Frees bytes, by default all bytes of the body. */
  release(bytes?: number): void
  /** Marks the body as being received, so that the body may be cut. Returns a function that removes the mark. */
  startReceiving(receiving: ReceivedBody): () => void
}

/** Reservations of all bodies, within a common limit. */
export interface BodyMemory {
  createShare(): BodyShare
  reservedBytes(): number
}

/** Creates the memory with nothing reserved. */
export function createBodyMemory(limitBytes: number): BodyMemory {
  let reservedBytes = 0
  /** Bodies that are being received and have memory reserved. */
  const receiving = new Set<ReceivedBody>()

  /**
   * Cuts bodies, the slowest first, until `bytes` are free. `own` is the body that needs the bytes, if that body is
   * being received.
   */
  function makeRoom(bytes: number, own: ReceivedBody | undefined): void {
    while (reservedBytes + bytes > limitBytes) {
      const others = [...receiving].filter((one) => one !== own)
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
      reserve(bytes) {
        if (reservedBytes + bytes > limitBytes) makeRoom(bytes, own)
        reservedBytes += bytes
        ownBytes += bytes
        if (own !== undefined) receiving.add(own)
      },
      release(bytes = ownBytes) {
        reservedBytes -= bytes
        ownBytes -= bytes
      },
      startReceiving(one) {
        own = one
        return () => {
          own = undefined
          receiving.delete(one)
        }
      },
    }
  }

  return { createShare, reservedBytes: () => reservedBytes }
}

function slowestOf(bodies: readonly ReceivedBody[]): ReceivedBody {
  return bodies.reduce((slowest, one) => (one.bytesPerS() < slowest.bytesPerS() ? one : slowest))
}

const tooManyBodies = () =>
  new LogweirError(
    'too_many_bodies',
    'Too many bodies are being received. Nothing of this body was stored. Send it again shortly.',
  )
