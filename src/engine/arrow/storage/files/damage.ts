import { LogweirError } from '../../../../base/errors.js'

export type SegmentFileErrorCode = 'damaged_segment' | 'newer_format'

export const damaged = (path: string, what: string) =>
  new LogweirError<SegmentFileErrorCode>(
    'damaged_segment',
    `The segment file ${path} is damaged: ${what}. Bring it back from a backup, or remove its directory to go on without its rows.`,
  )

export const newerFormat = (path: string, version: number, known: number) =>
  new LogweirError<SegmentFileErrorCode>(
    'newer_format',
    `The segment file ${path} has format ${version}; this version of logweir reads formats up to ${known}. Use the version that wrote it, or a later one.`,
  )
