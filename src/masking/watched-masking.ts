import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { watchFile } from '../base/files/watch-file.js'
import type { Log } from '../base/log.js'
import type { Clock } from '../base/time/clock.js'
import { KEY_FILE, readKeyFile } from './key-file.js'
import { readMaskFile } from './parse.js'
import type { Masking, MaskRule } from './rule.js'

/** The rules of a file that is read again when it changes. */
export interface WatchedMasking {
  /** Returns the rules in force. */
  current(): Masking
  /** Calls a function with the rules after each change. Returns a function that stops the calls. */
  onChange(listener: (changed: Masking) => void): () => void
  /** Stops watching. */
  close(): void
}

/** Where the rules and the key of hashes are. */
export interface MaskFiles {
  /** The file of `--mask`. */
  path: string
  /** The file of `--mask-key-file`. By default a file of the data directory. */
  keyFile: string | undefined
  /** Undefined: without a file, the key is one of this process. */
  dataDir: string | undefined
}

/**
 * Reads the rules, and the key if a rule needs the key. A changed file that cannot be used leaves the rules in force.
 * Throws the errors of {@link readMaskFile} and {@link readKeyFile}.
 */
export function watchMasking(files: MaskFiles, { clock, log }: { clock: Clock; log: Log }): WatchedMasking {
  const { path } = files
  const listeners = new Set<(changed: Masking) => void>()
  let key = NO_KEY
  const watched = watchFile(path, clock, {
    read() {
      const masking = readMasking(files, key)
      key = masking.key
      return masking
    },
    onChange(changed) {
      current = changed
      logRules(changed, path, log)
      for (const listener of listeners) listener(changed)
    },
    onError: ({ message }) =>
      log(`the file of masks has changed and cannot be used; the previous rules stay in force. ${message}`, {
        level: 'error',
        code: 'masks_refused',
      }),
  })
  let current = watched.first
  logRules(current, path, log)

  return {
    current: () => current,
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: watched.close,
  }
}

const NO_KEY: Uint8Array = new Uint8Array(0)

/**
 * Reads the rules, and the key if a rule needs the key and none is known: equal values must have equal hashes. Throws
 * the errors of {@link readMaskFile} and {@link readKeyFile}.
 */
export function readMasking(files: MaskFiles, known = NO_KEY): Masking {
  const rules = readMaskFile(files.path)
  return { rules, key: known.length === 0 && rules.some(isHash) ? keyOf(files) : known }
}

const isHash = ({ with: treatment }: MaskRule) => treatment === 'hash'

function keyOf({ keyFile, dataDir }: MaskFiles): Uint8Array {
  const path = keyFile ?? (dataDir === undefined ? undefined : join(dataDir, KEY_FILE))
  return path === undefined ? randomBytes(32) : readKeyFile(path)
}

const logRules = ({ rules }: Masking, path: string, log: Log) =>
  log(`masking by ${rules.length === 1 ? '1 rule' : `${rules.length} rules`} of ${path}`, {
    code: 'masks_read',
    rules: rules.length,
  })
