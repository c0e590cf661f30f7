import type { Scanner } from './fields.js'
import { createScanner, type ScannerOptions } from './scan.js'
import { createWasmScanner } from './wasm-scanner.js'

/** The fastest scanner there is: the one in WebAssembly, or where its module cannot be loaded the one in JavaScript. */
export function createFastestScanner(options: ScannerOptions): Scanner {
  try {
    return createWasmScanner(options)
  } catch {
    return createScanner(options)
  }
}
