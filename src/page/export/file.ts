/** Files that the page writes: a download, or a file that the user chose beforehand. */
import { element } from '../shared/dom.js'

/** A file that is being written. Only a complete file is saved. */
export interface OutputFile {
  readonly name: string
  /** Bytes so far. */
  readonly bytes: number
  write(text: string): Promise<void>
  /** Saves the file. */
  finish(): Promise<void>
  /** Removes the written text. */
  discard(): Promise<void>
}

/** How long the browser may take to begin a download. */
const DOWNLOAD_MS = 60_000

/** Creates a file that is downloaded when complete. Until then, the text is in blobs, which may be on disk. */
export function downloadFile(name: string, type: string): OutputFile {
  let parts: Blob[] = []
  let bytes = 0
  return {
    name,
    get bytes() {
      return bytes
    },
    async write(text) {
      const part = new Blob([text])
      bytes += part.size
      parts.push(part)
    },
    async finish() {
      const url = URL.createObjectURL(new Blob(parts, { type }))
      element('a', { href: url, download: name }).click()
      setTimeout(() => URL.revokeObjectURL(url), DOWNLOAD_MS)
      parts = []
    },
    async discard() {
      parts = []
    },
  }
}

/** The browser's picker of files, if any. */
interface Picker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle & { remove?(): Promise<void> }>
}

/**
 * Lets the user choose the file, if the browser can, and writes directly to it: the new content becomes visible when
 * complete. Otherwise returns a download. Returns undefined if the user chose no file. Must be called on a click.
 */
export async function chooseFile(name: string, type: string): Promise<OutputFile | undefined> {
  const { showSaveFilePicker } = globalThis as Picker
  if (showSaveFilePicker === undefined) return downloadFile(name, type)
  try {
    const handle = await showSaveFilePicker({ suggestedName: name })
    return pickedFile(handle, await handle.createWritable())
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined
    // Frames and some policies have no picker.
    return downloadFile(name, type)
  }
}

type Handle = Awaited<ReturnType<NonNullable<Picker['showSaveFilePicker']>>>

function pickedFile(handle: Handle, stream: FileSystemWritableFileStream): OutputFile {
  let bytes = 0
  return {
    name: handle.name,
    get bytes() {
      return bytes
    },
    async write(text) {
      const part = new Blob([text])
      await stream.write(part)
      bytes += part.size
    },
    finish: () => stream.close(),
    async discard() {
      await stream.abort().catch(() => {})
      // The picker has made an empty file.
      const { size } = await handle.getFile()
      if (size === 0) await handle.remove?.()
    },
  }
}
