/** Tells damage of a file from other errors. */
export interface DamageOf {
  /** Returns the error of damage for an error of the system that concerns one file alone, any other error unchanged. */
  asDamage(error: unknown): Promise<unknown>
  isDamage(error: unknown): boolean
}

/**
 * Calls `read`, and once more if `read` finds damage, or the system cannot read the file: bytes that were garbled on
 * the way from the disk may arrive whole then. Rejects with the error of damage if the second time fails, and with the
 * system's error if the error concerns more than a file.
 */
export async function readTwice<T>(read: () => Promise<T>, { asDamage, isDamage }: DamageOf): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!isDamage(await asDamage(error))) throw error
  }
  return read().catch(async (error) => {
    throw await asDamage(error)
  })
}
