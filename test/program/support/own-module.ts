/** A module with an endpoint that counts a project's requests by day. `more` defines COLUMN, the name of the count. */
export const moduleNamed = (name: string, more = '', id = '1') => `
import { count, endpoint, equals, scan, sql, text } from 'logweir/endpoint'
${more}
export default endpoint({
  id: '5b1f6a3e-0c1d-4a52-9a53-3d2c0f7e9a0${id}',
  name: '${name}',
  maxRows: 10,
  cache: { ttlS: 60, warmS: 30 },
  params: { project: text('the project') },
  query: sql\`select 1\`,
  plan: ({ project }) =>
    scan('edge_logs', { fromUs: -Infinity, throughUs: Infinity })
      .filter(equals('project', project))
      .truncate('timestamp', 'day', 'datetime')
      .group('timestamp')
      .aggregate({ [COLUMN]: count() })
      .orderBy('timestamp')
      .limit(10),
})
`
