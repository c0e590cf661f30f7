/** What the contract says of requests and records that name no project, in the simplest way. */

/** A token's projects (undefined: all), the default of the service, and the project that a request names. */
export interface Asked {
  bound: readonly string[] | undefined
  defaultProject: string | undefined
  /** Empty counts as absent. */
  named: string | undefined
}

/** The project of a query, or the status of its refusal. */
export function projectAsked(asked: Asked): string | 400 | 403 {
  const { bound, named } = asked
  if (!named) return projectOfNone(asked) ?? 400
  return bound === undefined || bound.includes(named) ? named : 403
}

/** The project of a record that names none. 403: the request is refused. 'none': the record has no project. */
export function projectStored(asked: Asked): { project: string } | 403 | 'none' | 'rejected' {
  const { bound, named } = asked
  if (named) return bound === undefined || bound.includes(named) ? { project: named } : 403
  const project = projectOfNone(asked)
  if (project !== undefined) return { project }
  return bound === undefined ? 'none' : 'rejected'
}

function projectOfNone({ bound, defaultProject }: Asked): string | undefined {
  if (bound?.length === 1) return bound[0]
  if (defaultProject === undefined) return undefined
  return bound === undefined || bound.includes(defaultProject) ? defaultProject : undefined
}
