import { type Checked, type CheckOptions, checkDirectory } from '../read/check-directory.js'
import { type RepairOptions, repairDirectory } from './repair-directory.js'

/** After repairs everything is read again: faults that repairs made visible, such as a name, are repaired then. */
const MOST_ROUNDS = 4

/**
 * Checks a directory that this process has locked, repairs the directory, and checks the directory again. Passes on the
 * findings of the first check. Returns the result of the last check. Throws the errors of {@link checkDirectory} and
 * {@link repairDirectory}.
 */
export async function repairInRounds(options: Omit<CheckOptions, 'isInUse'> & RepairOptions): Promise<Checked> {
  const check = (onFinding: CheckOptions['onFinding']) => checkDirectory({ ...options, isInUse: false, onFinding })
  let checked = await check(options.onFinding)
  for (let round = 1; round <= MOST_ROUNDS && checked.repairs.length > 0; round++) {
    await repairDirectory(checked.repairs, options)
    checked = await check(() => {})
  }
  return checked
}
