/** The path with the rows and bytes of each project, source and day. */
export const USAGE_PATH = '/api/usage'
