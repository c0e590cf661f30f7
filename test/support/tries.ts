/**
 * Measures until a measure is good, a few times at most; gives the last one. Others use the machine too: one that is bad
 * may be their doing, a fault makes each of them bad.
 */
export async function inTries<T>(
  tries: number,
  measure: () => T | Promise<T>,
  isGood: (measured: T) => boolean,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    const measured = await measure()
    if (tried === tries || isGood(measured)) return measured
  }
}
