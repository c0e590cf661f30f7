/** The part of the service's OpenAPI description that the page reads. */
import { get } from './api.js'

/** The values that a parameter accepts, as JSON Schema. Without a member: any text. */
interface ParameterSchema {
  type?: string
  enum?: readonly string[]
  examples?: readonly string[]
  default?: unknown
  minimum?: number
  maximum?: number
  maxLength?: number
  /** The language of a text, if any: `application/json`, `application/sql`. */
  contentMediaType?: string
  /** `timestamp`: a time in ISO 8601. */
  'x-kind'?: string
}

/** A parameter of a path, in the query or a header. */
export interface Parameter {
  name: string
  in: 'query' | 'header'
  description: string
  required?: boolean
  schema: ParameterSchema
}

/** The columns of a row, by name. */
export interface RowSchema {
  properties?: Readonly<Record<string, { 'x-kind': string }>>
}

interface CodeSchema {
  properties?: { code?: { enum: readonly string[] }; error?: CodeSchema; result?: { items: RowSchema } }
  allOf?: readonly CodeSchema[]
  anyOf?: readonly CodeSchema[]
}

/** An answer of a path. `content` has the media types. */
interface DescribedAnswer {
  description: string
  content?: Readonly<Record<string, { schema: CodeSchema }>>
}

/** A method of a path. */
export interface Operation {
  tags: readonly string[]
  summary: string
  description?: string
  /** Maximum of rows, and as `default` the maximum without optional parameters, if lower. */
  'x-rows'?: RowLimits
  parameters?: readonly (Parameter | { $ref: string })[]
  requestBody?: { content: Readonly<Record<string, unknown>> }
  responses: Readonly<Record<string, DescribedAnswer>>
}

/** Maximum of the rows in an answer. */
export interface RowLimits {
  maximum: number
  default?: number
}

/** An error code, with its HTTP status. */
export interface ErrorCode {
  code: string
  status: number
  meaning: string
}

/** Paths with their methods, and the shared parameters and error codes. */
export interface Description {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: { parameters: Readonly<Record<string, Parameter>>; 'x-codes': readonly ErrorCode[] }
}

/** Requests the description. Throws a Failure. */
export async function fetchDescription(signal: AbortSignal): Promise<Description> {
  return (await (await get('api/openapi.json', {}, signal)).json()) as Description
}

/** Returns the parameters of an operation, shared parameters included. */
export const parametersOf = ({ parameters = [] }: Operation, { components }: Description): readonly Parameter[] =>
  parameters.map((given) => ('$ref' in given ? components.parameters[given.$ref.split('/').at(-1)!] : given))

/** Returns the error codes that an operation can answer, in either form of errors. */
export function codesOf({ responses }: Operation): ReadonlySet<string> {
  const inSchema = ({ properties = {}, allOf = [], anyOf = [] }: CodeSchema): readonly string[] => [
    ...(properties.code?.enum ?? []),
    ...(properties.error === undefined ? [] : inSchema(properties.error)),
    ...[...allOf, ...anyOf].flatMap(inSchema),
  ]
  const answers = Object.values(responses).flatMap(({ content = {} }) => Object.values(content))
  return new Set(answers.flatMap(({ schema }) => inSchema(schema)))
}
