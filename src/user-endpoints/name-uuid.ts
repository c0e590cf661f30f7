import { uuid5 } from '../base/text/uuid5.js'

/** The namespace of endpoints that have a name but no id. Never changed. */
const NAMESPACE = 'f97ccd42-d358-4cd7-85cf-2b93b5cfcf34'

/** Returns the UUID of an endpoint's name, the same for the same name. */
export const uuidOfName = (name: string): string => uuid5(NAMESPACE, name)
