import { MAX_OWN_SOURCES, MAX_SOURCE_NAME_CHARACTERS } from './own-source-names.js'
import { HISTORY_SOURCE } from './sources.js'

/** Why no record of a source is accepted: each is an `unknown_source`. */

/** The most own sources that a token bound to projects makes by sending records of them. */
export const MAX_TOKEN_SOURCES = 20

/**
 * The reasons. `not_configured`: the setting `--sources` does not name the source. `not_a_name`: no source can have the
 * name. `written_by_service`: the source is {@link HISTORY_SOURCE}. `source_limit`: there are {@link MAX_OWN_SOURCES}
 * own sources. `token_limit`: the token is bound to projects, and has made {@link MAX_TOKEN_SOURCES} sources.
 */
export const SOURCE_REFUSALS = [
  'not_configured',
  'not_a_name',
  'written_by_service',
  'source_limit',
  'token_limit',
] as const

/** One of {@link SOURCE_REFUSALS}. */
export type SourceRefusal = (typeof SOURCE_REFUSALS)[number]

const REMEDIES: Record<SourceRefusal, string> = {
  not_configured: 'The setting --sources of the service does not name their source. Add it there.',
  not_a_name:
    'No source can have the name that they give. After capitals are lowered and other characters replaced by _, a ' +
    `name begins with a letter, has at most ${MAX_SOURCE_NAME_CHARACTERS} characters, and is no word of SQL.`,
  written_by_service: `The service alone writes ${HISTORY_SOURCE}, its history of alerts. Give them another source.`,
  source_limit:
    `There are ${MAX_OWN_SOURCES} sources beside the nine, which is the limit. ` +
    'Send records of these, or name the source in the setting --sources, whose names count first.',
  token_limit:
    `This token is bound to projects, and has made ${MAX_TOKEN_SOURCES} sources, which is the limit of such a token. ` +
    'Send records of existing sources, or name the source in the setting --sources of the service.',
}

/** Returns the fault and the remedy, as sentences about records. */
export const explainRefusals = (refusals: readonly SourceRefusal[]): string =>
  refusals.map((refusal) => `${REMEDIES[refusal]} `).join('')
