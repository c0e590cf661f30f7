/**
 * Loaded into the program before the program's own code: calls to the file system fail or hang once a file tells so.
 *
 * UNWELL_FILE   while it exists, its text is what happens: with `ENOSPC`, `EROFS` and other codes each write and each
 *               creation of a file fails, with `sync` each fsync fails with EIO, and with `hang` calls do not end, as
 *               on a mount whose server has gone
 * UNWELL_FIFO   a pipe without a writer: to open it for reading occupies a thread forever, as a call that hangs does
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { isMainThread } from 'node:worker_threads'

const { UNWELL_FILE: file, UNWELL_FIFO: fifo } = process.env
const { open } = fs.promises

/** Returns what happens at present, or undefined if all is well. */
function illness() {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined
}

const failure = (code, name) => Object.assign(new Error(`${code}: unwell, ${name}`), { code, syscall: name })

/** Lets a method fail with the code that `codeOf` returns for the illness, or hang. */
function weaken(owner, name, codeOf) {
  const method = owner[name]
  owner[name] = async function (...args) {
    const ill = illness()
    if (ill === 'hang') await open(fifo, 'r')
    const code = ill === undefined ? undefined : codeOf(ill, args)
    if (code !== undefined) throw failure(code, name)
    return method.apply(this, args)
  }
}

async function handlePrototype() {
  const handle = await open(process.execPath)
  await handle.close()
  return Object.getPrototypeOf(handle)
}

if (isMainThread) {
  const ofWrites = (ill) => (/^E/.test(ill) ? ill : undefined)
  const ofSyncs = (ill) => (ill === 'sync' ? 'EIO' : undefined)
  const creates = (flags) => (typeof flags === 'number' ? (flags & fs.constants.O_CREAT) !== 0 : flags !== 'r')
  const handle = await handlePrototype()
  for (const name of ['write', 'truncate', 'appendFile']) weaken(handle, name, ofWrites)
  for (const name of ['datasync', 'sync']) weaken(handle, name, ofSyncs)
  for (const name of ['mkdir', 'rename', 'utimes']) weaken(fs.promises, name, ofWrites)
  weaken(fs.promises, 'open', (ill, [path, flags = 'r']) =>
    String(path).startsWith('/proc/') || !creates(flags) ? undefined : ofWrites(ill),
  )
  syncBuiltinESMExports()
}
