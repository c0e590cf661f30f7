import { describe, expect, it } from 'vitest'
import { firedIn, type LaneChange, lanesOf, type StateSpan } from '../../src/page/plot/spans.js'
import { ago, lengthText } from '../../src/page/shared/format.js'
import { below, mulberry32 } from '../support/random.js'
import { testSeed } from '../support/seed.js'

const RANGE = { fromUs: 100, toUs: 200 }
const change = (timeUs: number, state: LaneChange['state'], lane = 'a'): LaneChange => ({ lane, timeUs, state })
const span = (state: StateSpan['state'], fromUs: number, toUs: number, isOpen = false): StateSpan => ({
  ...{ state, fromUs, toUs, isOpen },
})
const spansOf = (changes: readonly LaneChange[], isActive = false) =>
  lanesOf(changes, RANGE, () => isActive).map(({ spans }) => spans)

describe('the spans of a timeline', () => {
  it('are from pending to firing to resolved', () => {
    const changes = [change(150, 'resolved'), change(110, 'pending'), change(120, 'firing')]
    expect(spansOf(changes)).toEqual([[span('pending', 110, 120), span('firing', 120, 150)]])
  })

  it('begin with the range if the first change is the end', () => {
    expect(spansOf([change(150, 'resolved')])).toEqual([[span('firing', 100, 150)]])
  })

  it('end with the range if an alert still fires', () => {
    expect(spansOf([change(150, 'firing')])).toEqual([[span('firing', 150, 200, true)]])
  })

  it('are a point if the end of pending is unknown, and reach the end if the alert is pending now', () => {
    const changes = [change(110, 'pending'), change(150, 'pending')]
    expect(spansOf(changes)).toEqual([[span('pending', 110, 110), span('pending', 150, 150)]])
    expect(spansOf(changes, true)).toEqual([[span('pending', 110, 110), span('pending', 150, 200, true)]])
  })

  it('have a lane for each alert, the newest first, and none outside of the range', () => {
    const changes = [
      ...[change(110, 'firing', 'old'), change(120, 'resolved', 'old')],
      ...[change(130, 'firing', 'new'), change(140, 'resolved', 'new')],
      ...[change(10, 'firing', 'before'), change(20, 'resolved', 'before')],
    ]
    expect(lanesOf(changes, RANGE).map(({ name }) => name)).toEqual(['new', 'old'])
    expect(firedIn(lanesOf(changes, RANGE), RANGE)).toEqual({ times: 2, lengthUs: 20 })
  })

  it('cover the instants at which an alert fired, whatever the history', () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    for (let run = 0; run < 200; run++) {
      const fires = Array.from({ length: 20 }, () => below(random, 2) === 1)
      const changes = fires.flatMap((isFiring, i) => {
        const wasFiring = i > 0 && fires[i - 1]!
        return isFiring === wasFiring ? [] : [change(100 + i, isFiring ? 'firing' : 'resolved')]
      })
      const spans = lanesOf(changes, { fromUs: 100, toUs: 120 }).flatMap((lane) => lane.spans)
      const covered = fires.map((_, i) => spans.some(({ fromUs, toUs }) => fromUs <= 100 + i && 100 + i < toUs))
      expect(covered, `seed ${seed}, run ${run}`).toEqual(fires)
    }
  })
})

it('names ages and lengths with few units', () => {
  expect([30, 180, 7_199, 7_200, 200_000].map(ago)).toEqual([
    ...['just now', '3 min ago', '119 min ago', '2 h ago', '2 days ago'],
  ])
  expect([0, 45, 125, 3_600, 12_000, 187_200].map(lengthText)).toEqual([
    ...['0 s', '45 s', '2 min 5 s', '1 h', '3 h 20 min', '2 d 4 h'],
  ])
})
