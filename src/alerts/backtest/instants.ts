/** Instants of evaluations: `count` multiples of `everyUs` since 1970, from `firstUs` on. */
export interface Instants {
  firstUs: number
  everyUs: number
  count: number
}

/** Returns the instants of a rule in the time before now: later than `nowUs - lastUs`, and at most now. */
export function instantsBefore(nowUs: number, lastUs: number, everyUs: number): Instants {
  const before = Math.floor((nowUs - lastUs) / everyUs)
  return { firstUs: (before + 1) * everyUs, everyUs, count: Math.floor(nowUs / everyUs) - before }
}

/** Returns the latest instants, at most so many. */
export function latest({ firstUs, everyUs, count }: Instants, most: number): Instants {
  const cut = Math.max(0, count - most)
  return { firstUs: firstUs + cut * everyUs, everyUs, count: count - cut }
}

/** Returns an instant by its place, from 0. */
export const instantAt = ({ firstUs, everyUs }: Instants, place: number): number => firstUs + place * everyUs
