import { expect } from 'vitest'
import type { ListedDeletion } from '../../../src/common/deletions.js'
import { textsInDirectory } from '../../deletions/search-directory.js'
import { run, type Served } from '../support/program.js'

/** The environment of a service with its rows on the disk. */
export const ON_DISK = { LOGWEIR_IN_MEMORY: '0' }

/** Creates a token in a data directory that may delete rows of all projects. */
export async function createToken(dataDir: string): Promise<string> {
  const { stdout } = await run(['token', 'create', '--scope', 'delete', '--data-dir', dataDir], {
    environment: ON_DISK,
  })
  return stdout.toString().trim()
}

/** Sends a request about deletions. */
export const askDeletions = (service: Served, token: string, init: RequestInit = {}): Promise<Response> =>
  service.get('/api/deletions', { ...init, headers: { 'X-API-KEY': token, 'Content-Type': 'application/json' } })

/** Returns the deletions of a service. */
export async function listDeletions(service: Served, token: string): Promise<ListedDeletion[]> {
  const { result } = (await (await askDeletions(service, token)).json()) as { result: ListedDeletion[] }
  return result
}

/** Stops a service, and expects that its files have no text of a deleted row, and the text of each other row. */
export async function expectErased(
  service: Served,
  dataDir: string,
  deleted: readonly { text: string }[],
  left: readonly { text: string }[],
): Promise<void> {
  service.child.kill('SIGTERM')
  await service.exit
  const foundOf = (rows: readonly { text: string }[]) =>
    textsInDirectory(
      dataDir,
      rows.map(({ text }) => text),
    )
  expect(deleted.length).toBeGreaterThan(0)
  expect(foundOf(deleted)).toEqual([])
  expect(foundOf(left)).toHaveLength(left.length)
}
