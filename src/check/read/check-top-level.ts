import { ALERTS } from '../../alerts/store/store.js'
import { DELETIONS_FOLDER } from '../../deletions/job-files.js'
import { DIRECTORY as UNCONFIRMED } from '../../engine/clickhouse/delivery/group-journals.js'
import { FORMAT_FILE } from '../../engine/disk/directory/format.js'
import type { Files } from '../../engine/disk/files/files.js'
import { JOURNALS, SEGMENTS } from '../../engine/store/files/file-names.js'
import { KEY_FILE } from '../../masking/key-file.js'
import { DAMAGED_RETENTION_FILE, NEW_RETENTION_FILE, RETENTION_FILE } from '../../retention/file-names.js'
import { VIEWS } from '../../views/catalog/file-names.js'
import { fault, note } from '../findings/finding.js'
import { type Report, reportOf } from '../findings/report.js'
import { DAMAGED, salvageFiles, sizeOf } from '../findings/set-aside.js'
import { leftover, setAside } from './check-others.js'
import { checkRejects } from './check-rejects.js'
import { checkRetention } from './check-retention.js'
import type { CheckState } from './check-state.js'
import { checkStoredToken, checkTokensFile } from './check-tokens.js'

/** The directories that are read elsewhere, and files that need no check. */
const OTHERS = [
  FORMAT_FILE,
  JOURNALS,
  SEGMENTS,
  UNCONFIRMED,
  ALERTS,
  DELETIONS_FOLDER,
  VIEWS,
  DELETIONS_FOLDER,
  'lock.json',
  'tokens.json.new',
  NEW_RETENTION_FILE,
  KEY_FILE,
]

/** The files below the data directory itself, with the functions that read the files. */
const READERS: Readonly<Record<string, (files: Files, path: string) => Promise<Report>>> = {
  token: checkStoredToken,
  'tokens.json': checkTokensFile,
  [RETENTION_FILE]: checkRetention,
  [DAMAGED_RETENTION_FILE]: async (_, name) => setAside(name),
  'rejects.ndjson': checkRejects,
  'rejects.1.ndjson': checkRejects,
}

/** Possible leftovers of a killed process: a new format file, a new token, parts of the lock. */
const LEFTOVER = /^(format\.json\.new|token\.\d+|rejects\.(1\.)?ndjson\.unfinished)$/
const OF_LOCK = /^lock(\.|$)/

/** Reads the files below the data directory itself. Names that are not the service's are noted. */
export async function checkTopLevel(state: CheckState): Promise<void> {
  for (const name of (await state.files.list('')).sort()) {
    if (OTHERS.includes(name) || OF_LOCK.test(name)) continue
    if (name === DAMAGED) await checkSetAside(state)
    else await state.check(name, async () => (READERS[name] ?? describe)(state.files, name))
  }
}

async function describe(_: Files, name: string): Promise<Report> {
  if (LEFTOVER.test(name)) return leftover(name)
  return reportOf([note('unknown_file', name, 'no file of the service has this name, and it is not read')])
}

/** Looks at the directory `damaged`: nothing there is read, except the rows of a repair that was interrupted. */
async function checkSetAside({ files, add }: CheckState): Promise<void> {
  for (const { path, source } of await salvageFiles(files)) {
    const what = 'a repair was interrupted before it had moved these rows: run it again'
    const found = fault('interrupted_repair', path, what, { cost: { source } })
    await add(reportOf([found], { kind: 'finish_salvage', path, source }))
  }
  const { count, bytes } = await sizeOf(files, DAMAGED)
  const what = `${count} files with ${bytes} bytes, which repairs have set aside: the service does not read them`
  if (count > 0) await add(reportOf([note('set_aside', DAMAGED, what)]))
}
