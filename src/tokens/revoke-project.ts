import { parseIso8601 } from '../base/time/iso8601.js'
import { isTokenEntriesText, parseTokenEntries, type TokenEntry } from './entry.js'
import { readTokensText } from './tokens-file.js'
import { updateTokenEntries } from './update-file.js'

/**
 * Removes a project that was deleted from the tokens in a file that are bound to it. A token that is bound to no other
 * project is revoked, and never becomes a token of all projects. Tokens that were created after `deletedUs` stay.
 * Returns the ids of the revoked tokens. Changes nothing if no token is bound to the project, if there is no file, and
 * in a file of plain tokens. Rejects with the errors of {@link updateTokenEntries}.
 */
export async function revokeProject(path: string, project: string, deletedUs: number): Promise<string[]> {
  const isBound = ({ projects = [], created }: TokenEntry) =>
    projects.includes(project) && parseIso8601(created)! <= deletedUs
  const text = readTokensText(path)
  if (text === undefined || !isTokenEntriesText(text) || !parseTokenEntries(text, path).some(isBound)) return []
  let revoked: string[] = []
  await updateTokenEntries(path, (entries) => {
    const changed = entries.map((entry) =>
      isBound(entry) ? { ...entry, projects: entry.projects!.filter((one) => one !== project) } : entry,
    )
    const isRevoked = ({ projects }: TokenEntry) => projects?.length === 0
    revoked = changed.filter(isRevoked).map(({ id }) => id)
    return changed.filter((entry) => !isRevoked(entry))
  })
  return revoked
}
