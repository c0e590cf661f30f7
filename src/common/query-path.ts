/** The path of an endpoint is this prefix and the name or id. */
export const QUERY_PATH = '/api/endpoints/query/'
