/**
 * Returns whether the work is done within `limitMs`. If not, the work goes on, and an error of the work is ignored.
 * Rejects as the work does.
 */
export async function isDoneWithin(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, limitMs, false)
  })
  return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer))
}
