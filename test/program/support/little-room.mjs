/**
 * Loaded into the program before the program's own code: limits the bytes of the files in a directory. A write that
 * does not fit is partial, and a write without any room fails with ENOSPC, as on a full disk.
 *
 * ROOM_DIRECTORY   the directory
 * ROOM_BYTES_FILE  a file that contains the limit: bytes of all files together
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

const { ROOM_DIRECTORY: directory, ROOM_BYTES_FILE: roomFile } = process.env

function roomBytes() {
  const sizes = fs.readdirSync(directory, { recursive: true }).map((name) => sizeOf(join(directory, name)))
  return Number(fs.readFileSync(roomFile, 'utf8')) - sizes.reduce((a, b) => a + b, 0)
}

/** Returns 0 for a file that was removed after the name was read. */
function sizeOf(path) {
  const stat = fs.statSync(path, { throwIfNoEntry: false })
  return stat?.isFile() ? stat.size : 0
}

function noSpace() {
  return Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' })
}

async function handlePrototype() {
  const handle = await fs.promises.open(process.execPath)
  await handle.close()
  return Object.getPrototypeOf(handle)
}

if (isMainThread) {
  const handle = await handlePrototype()
  const { write } = handle
  handle.write = async function (bytes, offset, length, position) {
    const growsBy = position + length - fs.fstatSync(this.fd).size
    const lacking = Math.max(0, growsBy - Math.max(0, roomBytes()))
    if (growsBy > 0 && lacking >= length) throw noSpace()
    return write.call(this, bytes, offset, growsBy > 0 ? length - lacking : length, position)
  }
}
