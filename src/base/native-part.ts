import { createRequire } from 'node:module'
import { isSea } from 'node:sea'

/** Values of the variable LOGWEIR_NATIVE_PARTS that hide all native parts. */
const OFF = ['false', 'no', 'off', '0']

/** An executable has no packages: those that lie next to the executable are not of the program. */
const MAY_LOAD = !isSea() && !OFF.includes(process.env.LOGWEIR_NATIVE_PARTS?.toLowerCase() ?? '')

/**
 * Loads an optional package with compiled code. Returns undefined if the package is not installed, is not compiled for
 * this Node and this machine, or is hidden by the variable LOGWEIR_NATIVE_PARTS.
 */
export function loadNativePart<T>(name: string): T | undefined {
  if (!MAY_LOAD) return undefined
  try {
    // Not imported: Node would parse the long CommonJS files for export names, in each thread.
    return createRequire(import.meta.url)(name) as T
  } catch {
    return undefined
  }
}
