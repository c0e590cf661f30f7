import { setTimeout as wait } from 'node:timers/promises'
import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import { formatIso8601 } from '../base/time/iso8601.js'
import { MIB } from '../base/units.js'
import { type CountedDeletion, DELETIONS_PATH, type ListedDeletion } from '../common/deletions.js'
import { DELETE_SETTINGS } from '../config/client-settings.js'
import type { Environment } from '../config/environment.js'
import { readSettings } from '../config/read-settings.js'
import { withExcerpt } from './excerpt.js'
import { type RowsOut, writeTable } from './output.js'
import { connectService, type Service, type ServiceAddress, ServiceError, textUpTo } from './service.js'

/** The configuration of `logweir delete`. */
export interface DeleteConfig extends ServiceAddress {
  project: string
  source: string | undefined
  startUs: number | undefined
  endUs: number | undefined
  where: string | undefined
  isDryRun: boolean
  isConfirmed: boolean
  waits: boolean
  isJson: boolean
}

const PATH = DELETIONS_PATH.slice(1)
const JSON_HEADERS = { Accept: 'application/json' }
const MAX_ANSWER_BYTES = MIB
/** The interval at which the state of a deletion is asked. */
const POLL_MS = 1_000

/** Reads the configuration of `logweir delete`. Throws `usage`. */
export function readDelete(args: readonly string[], environment: Environment, warn: Log): DeleteConfig {
  const { values, found } = readSettings(DELETE_SETTINGS, args, environment, { warn })
  const { project, start: startUs, end: endUs, dryRun, yes, wait: waits, json, config: _, ...others } = values
  if (project === undefined || project === '')
    throw usageError('delete the rows of which project? logweir delete --project NAME --dry-run counts its rows.')
  if (startUs !== undefined && endUs !== undefined && startUs >= endUs)
    throw usageError('--start is not before --end. Rows with start <= timestamp < end are deleted.')
  const flags = { isDryRun: dryRun ?? false, isConfirmed: yes ?? false, waits: waits ?? false, isJson: json ?? false }
  return { ...others, ...flags, project, startUs, endUs, tokenFrom: found.get('token')?.where }
}

/**
 * Deletes rows on a service, or counts the rows that would be deleted. Writes a table on a terminal, else a line of
 * JSON. Rejects with `usage` after the count without `--yes`, with a {@link ServiceError}, or with EPIPE.
 */
export async function runDelete(config: DeleteConfig, out: RowsOut): Promise<void> {
  const service = connectService(config)
  const isCount = config.isDryRun || !config.isConfirmed
  const answer = await service.post(PATH, parametersOf(config, isCount), JSON_HEADERS).catch((error) => {
    throw config.where === undefined ? error : withExcerpt(error, config.where, out.errorColumns)
  })
  const text = await textUpTo(answer.body, MAX_ANSWER_BYTES)
  if (!isCount) return writeDeletion(config.waits ? await erased(text, service) : text, config, out)
  await writeCount(text, config, service, out)
  if (config.isDryRun) return
  throw usageError(`delete removes these rows of ${config.project} for good. Add --yes to do that.`)
}

function parametersOf({ project, source, startUs, endUs, where }: DeleteConfig, isCount: boolean): URLSearchParams {
  const given = {
    ...{ project, source, where, dry_run: isCount ? 'true' : undefined },
    start: startUs === undefined ? undefined : formatIso8601(startUs),
    end: endUs === undefined ? undefined : formatIso8601(endUs),
  }
  return new URLSearchParams(
    Object.entries(given).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]])),
  )
}

/** Asks for the state of a deletion until it is erased. Returns its description as JSON. */
async function erased(accepted: string, service: Service): Promise<string> {
  const { id } = read<ListedDeletion>(accepted, 'id', service)
  for (let text = accepted; ; ) {
    if (read<ListedDeletion>(text, 'state', service).state === 'erased') return text
    await wait(POLL_MS)
    text = await textUpTo((await service.get(`${PATH}/${id}`, JSON_HEADERS)).body, MAX_ANSWER_BYTES)
  }
}

function read<T extends object>(json: string, member: keyof T, { url }: Service): T {
  try {
    const answer = JSON.parse(json) as T
    if (member in answer) return answer
  } catch {}
  throw new ServiceError(`${url} answers with no deletion. Is a logweir service there?`)
}

function writeDeletion(text: string, { isJson }: DeleteConfig, out: RowsOut): Promise<void> {
  if (isJson || out.terminal === undefined) return out.write(`${text}\n`)
  const { id, state, project, source, rows, bytes } = JSON.parse(text) as ListedDeletion
  return writeTable([{ id, state, project, source: source ?? 'all', rows, bytes }], {}, out)
}

async function writeCount(text: string, { isJson }: DeleteConfig, service: Service, out: RowsOut): Promise<void> {
  if (isJson || out.terminal === undefined) return out.write(`${text}\n`)
  const { project, rows, sources } = read<CountedDeletion>(text, 'sources', service)
  const total = { source: 'all', rows, project }
  await writeTable([...sources.map((one) => ({ ...one, project })), total], {}, out)
}
