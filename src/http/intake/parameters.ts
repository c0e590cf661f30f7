/** The parameters in the URL of a request with records. */
import { LogweirError } from '../../base/errors.js'
import { escapeControl } from '../../base/text/escape-control.js'
import { shorten } from '../../base/text/shorten.js'
import { EXPECTED_NAMES, type FieldNames, fieldNamesOf, readFieldNames } from '../../common/field-names.js'
import { faultOfOwnName } from '../../common/own-source-names.js'
import {
  acceptedSources,
  acceptsAnySource,
  findAcceptedSource,
  findSource,
  HISTORY_SOURCE,
} from '../../common/sources.js'
import { invalidParameter } from '../../endpoints/params.js'
import { projectForNone } from '../../tokens/access.js'
import { refusals } from '../reply/errors.js'

/** How much of an unknown source's name is shown. */
const MAX_SHOWN_CHARACTERS = 64

/**
 * Returns the name of the source that the URL gives as `source` or `source_name`, by name or alias. The source may not
 * exist yet if records make sources.
 */
export function sourceOf(params: URLSearchParams): string | undefined {
  const [token, name] = [one(params, 'source'), one(params, 'source_name')]
  if (token !== undefined && name !== undefined && token !== name) throw refusals.twice('source')
  const named = token ?? name
  if (named === undefined) return undefined
  const source = findAcceptedSource(named)
  if (source !== undefined) return source.name
  if (!acceptsAnySource() && named !== HISTORY_SOURCE) throw unknownSource(named, ...notConfigured(named))
  const fault = faultOfOwnName(named)
  if (fault !== undefined) throw unknownSource(named, fault, 'Use another name.')
  return named
}

/** Returns why a source that is not configured is refused, and the remedy. */
function notConfigured(named: string): [fault: string, remedy: string] {
  const names = acceptedSources().map(({ name }) => name)
  return [
    findSource(named) === undefined ? 'does not exist' : 'takes no records any more; its rows stay readable',
    `Use one of ${names.join(', ')}, or an alias, or add the name to the setting --sources of the service.`,
  ]
}

function unknownSource(named: string, fault: string, remedy: string): LogweirError {
  const shown = escapeControl(JSON.stringify(shorten(named, MAX_SHOWN_CHARACTERS)))
  return new LogweirError('unknown_source', `The URL names the source ${shown}, which ${fault}. ${remedy}`)
}

/**
 * Returns the project of records without a project: the project in the URL, else the token's only project, else the
 * default project of the service. Throws `forbidden_project` if the URL names a project that the token is not bound to.
 */
export function projectOf(
  params: URLSearchParams,
  projects: ReadonlySet<string> | undefined,
  defaultProject: string | undefined,
): string | undefined {
  const named = one(params, 'project')
  if (named === undefined) return projectForNone(projects, defaultProject)
  if (projects?.has(named) === false) throw refusals.forbiddenProject()
  return named
}

/** Returns the names of the time and message fields in the URL, or undefined if the URL names no fields. */
export function fieldNamesIn(params: URLSearchParams): FieldNames | undefined {
  const [time, message] = [namesIn(params, 'time_field'), namesIn(params, 'message_field')]
  if (time === undefined && message === undefined) return undefined
  const names = fieldNamesOf(time, message)
  if (names !== undefined) return names
  throw invalidParameter('time_field and message_field name the same field. Leave it out of one of the two.')
}

function namesIn(params: URLSearchParams, parameter: string): string[] | undefined {
  const text = one(params, parameter)
  const names = text === undefined ? undefined : readFieldNames(text)
  if (text === undefined || names !== undefined) return names
  throw invalidParameter(`${parameter} is not what it has to be: ${EXPECTED_NAMES}. Correct it, or leave it out.`)
}

/** Returns the value of a parameter, or undefined if the parameter is absent or empty. Throws `duplicate_parameter`. */
function one(params: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = params.getAll(name)
  if (others.length > 0) throw refusals.twice(name)
  return value || undefined
}
