import type { ByteReader } from '../../../base/memory/byte-reader.js'
import type { ByteWriter } from '../../../base/memory/byte-writer.js'

/**
 * Writes and reads states of an accumulator as bytes that outlive the process. Merging a state that was read has the
 * same result as merging the state that was written.
 */
export interface StateCodec<State> {
  /**
   * The kind of the states and the version of their bytes: `mean 1`. Bytes are read only under the name under which
   * the bytes were written, so that each change of the bytes needs another name.
   */
  name: string
  /** Appends the bytes of a state. The state stays unchanged, since other groups may share the state. */
  write(state: State, out: ByteWriter): void
  /** Returns the state of the next bytes. More rows and states can be added to the state. */
  read(bytes: ByteReader): State
}
