import type { TimeRange } from '../../../plan/plan.js'
import type { Bucket } from '../expressions/vector.js'

/**
 * Windows of the same length, each later by `stepUs` than the window before: window i has the times from
 * `fromUs + i * stepUs` through `throughUs + i * stepUs`. All are integers.
 */
export interface Windows extends TimeRange {
  stepUs: number
  count: number
}

/** Time cut into pieces, numbered from 0 at the start of the first window, so that each window is a union of pieces. */
export interface TimeCuts {
  /** The pieces of a step: 2 if windows end within a step, else 1. */
  piecesOfStep: number
  /** The value of a bucket is the number of the piece. */
  bucket: Bucket
  /** Returns the first time of a piece. */
  startOf(piece: number): number
  /** Returns the pieces [from, to) of a window. */
  piecesOf(window: number): { from: number; to: number }
}

/**
 * Cuts time where any window starts or ends. A window of 5 minutes, both ends included, each 30 s has the pieces of a
 * microsecond at each multiple of 30 s, and the pieces between.
 */
export function cutTime({ fromUs, throughUs, stepUs }: Windows): TimeCuts {
  const lengthUs = throughUs + 1 - fromUs
  const steps = Math.floor(lengthUs / stepUs)
  const restUs = lengthUs - steps * stepUs
  const piecesOfStep = restUs === 0 ? 1 : 2
  const piecesOfWindow = steps * piecesOfStep + (restUs === 0 ? 0 : 1)
  function pieceAt(us: number): number {
    const step = Math.floor((us - fromUs) / stepUs)
    const isBehind = restUs > 0 && us - fromUs - step * stepUs >= restUs
    return step * piecesOfStep + (isBehind ? 1 : 0)
  }
  function startOf(piece: number): number {
    const step = Math.floor(piece / piecesOfStep)
    return fromUs + step * stepUs + (piece - step * piecesOfStep) * restUs
  }
  return {
    piecesOfStep,
    bucket: {
      startOf: (us) => startOf(pieceAt(us)),
      endOf: (startUs) => startOf(pieceAt(startUs) + 1),
      valueOf: pieceAt,
    },
    startOf,
    piecesOf: (window) => ({ from: window * piecesOfStep, to: window * piecesOfStep + piecesOfWindow }),
  }
}
