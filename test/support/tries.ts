/**
 * Measures up to `tries` times until a value is good. Returns the last value. A single bad value may be due to other
 * load of the machine. A defect makes all values bad.
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
