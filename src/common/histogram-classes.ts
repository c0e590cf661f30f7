/** The ways to split the rows of a histogram: by status or level, by part of the platform, or not at all. */
export const SPLITS = ['outcome', 'part', 'nothing'] as const
/** A way to split the rows of a histogram. */
export type Split = (typeof SPLITS)[number]

/** The parts of the platform that requests are for: the first steps of their paths. */
export const PLATFORM_PARTS = ['rest', 'auth', 'storage', 'realtime', 'functions', 'graphql'] as const
/** A part of the platform. */
export type PlatformPart = (typeof PLATFORM_PARTS)[number]
