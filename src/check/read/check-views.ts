import type { Files } from '../../engine/disk/files/files.js'
import { isIdentity, MANIFEST, NEW_MANIFEST, parseStatePath, VIEWS, viewPath } from '../../views/catalog/file-names.js'
import { readManifest } from '../../views/catalog/manifest.js'
import { isDamaged } from '../../views/state/damage.js'
import { groupsOfFile, openStateFile } from '../../views/state/read-file.js'
import { fault, note } from '../findings/finding.js'
import { type Report, reportOf } from '../findings/report.js'
import { leftover } from './check-others.js'
import type { CheckState } from './check-state.js'
import { isLeftoverName } from './list-entries.js'

const NOT_READ = 'the service does not read a file of this name'
const OF_VIEW = { instead: 'the groups in it, as far as their rows are gone' }

/** Reads the files of the groups of views. */
export async function checkViews(state: CheckState): Promise<void> {
  const { files, check } = state
  for (const name of (await files.list(VIEWS)).sort()) {
    const path = viewPath(name)
    if (isIdentity(name)) await checkView(state, path)
    else if (path === MANIFEST) await check(path, () => checkManifest(files))
    else await check(path, async () => (path === NEW_MANIFEST ? leftover(path) : unknown(path)))
  }
}

async function checkView({ files, check }: CheckState, folder: string): Promise<void> {
  for (const name of (await files.list(folder)).sort()) {
    const path = `${folder}/${name}`
    await check(path, async () => {
      if (parseStatePath(path) !== undefined) return checkState(files, path)
      return isLeftoverName(name) ? leftover(path) : unknown(path)
    })
  }
}

const unknown = (path: string): Report => reportOf([note('unknown_file', path, NOT_READ)])

async function checkManifest(files: Files): Promise<Report> {
  try {
    await readManifest(files)
    return { ...reportOf([]), files: 1 }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const cost = { instead: 'the names of old versions of views' }
    const found = fault('damaged_view', MANIFEST, 'the list of views cannot be parsed', { cost })
    return { ...reportOf([found], { kind: 'set_aside', path: MANIFEST }), files: 1 }
  }
}

async function checkState(files: Files, path: string): Promise<Report> {
  try {
    const file = await openStateFile(files, path)
    const place = parseStatePath(path)!
    const { view, day, states, groups } = file.facts
    let found = 0
    for await (const batch of groupsOfFile(files, file, states)) found += batch.length
    const isRight = view === place.identity && day === place.day && found === groups
    const findings = isRight
      ? []
      : [fault('wrong_place', path, 'its content is of another view or day', { cost: OF_VIEW })]
    return { ...reportOf(findings), files: 1, bytes: file.bytes }
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string }
    if (code === 'newer_format') return reportOf([fault('newer_format', path, 'a newer version has written it')])
    if (!isDamaged(error)) throw error
    const what = message.slice(0, message.indexOf('. ')).replace(`The file ${path} of a view is damaged: `, '')
    const finding = fault('damaged_view', path, what, { cost: OF_VIEW })
    return { ...reportOf([finding], { kind: 'set_aside', path }), files: 1 }
  }
}
