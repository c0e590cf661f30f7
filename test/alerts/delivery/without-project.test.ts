import { describe, expect, it } from 'vitest'
import { notificationsOf } from '../../../src/alerts/delivery/requests.js'
import { withoutProject } from '../../../src/alerts/delivery/without-project.js'
import { identityOf, type Labels, shownLabels } from '../../../src/alerts/states/labels.js'
import { type Alert, type AlertEvent, NEW_STATE } from '../../../src/alerts/states/state.js'

const SHOP = 'sh<o>p & "co"'
const labelsOf = (project: string): Labels => [
  ['path', '/x'],
  ['project', project],
]

function eventOf(project: string, state: AlertEvent['state'] = 'firing'): AlertEvent {
  const content = { labels: labelsOf(project), values: [['errors', 4]] as const, text: '/x fails' }
  return { rule: 'r', identity: identityOf('r', content.labels), state, instantUs: 2, startsUs: 1, ...content }
}

const requests = (kind: 'webhook' | 'slack', events: readonly AlertEvent[]) =>
  notificationsOf({ name: 'ops', kind }, events, { severity: '', nextId: () => 1, nowUs: 3 })

describe('what is kept of a notification when a project is deleted', () => {
  const { notification } = withoutProject(SHOP)

  it.each(['webhook', 'slack'] as const)('of the kind %s: the alerts of others', (kind) => {
    const [mixed] = requests(kind, [eventOf('a'), eventOf(SHOP), eventOf('b')])
    const [others] = requests(kind, [eventOf('a'), eventOf('b')])
    expect(notification(mixed!)).toEqual({ ...mixed, body: others!.body })
  })

  it.each(['webhook', 'slack'] as const)('of the kind %s: nothing, if it has no others', (kind) => {
    expect(requests(kind, [eventOf(SHOP)]).map(notification)).toEqual([undefined])
  })

  it('says firing only if an alert of others fires', () => {
    const [mixed] = requests('webhook', [eventOf('a', 'resolved'), eventOf(SHOP)])
    expect(JSON.parse(notification(mixed!)!.body).status).toBe('resolved')
  })

  it('is the notification itself, if the project is not in it', () => {
    for (const kind of ['webhook', 'slack'] as const)
      for (const one of requests(kind, [eventOf('a')])) expect(notification(one)).toBe(one)
  })
})

describe('the state of a rule when a project is deleted', () => {
  it('has the alerts of others, of names that were cut too', () => {
    const long = 'x'.repeat(300)
    const alert = (project: string): Alert => {
      const { labels, values, text } = eventOf(withoutCut(project))
      return { labels, values, text, sinceUs: 1, startsUs: 2, missingUs: undefined, notifiedUs: undefined }
    }
    const alerts = new Map(['a', SHOP, long].map((project) => [project, alert(project)]))
    const resolved = new Map([[SHOP, { ...eventOf(SHOP), startsUs: 1, endsUs: 2 }]])
    const { state } = withoutProject(SHOP)
    expect([...state({ ...NEW_STATE, alerts, resolved }).alerts.keys()]).toEqual(['a', long])
    expect(state({ ...NEW_STATE, alerts, resolved }).resolved.size).toBe(0)
    expect([
      ...withoutProject(long)
        .state({ ...NEW_STATE, alerts })
        .alerts.keys(),
    ]).toEqual(['a', SHOP])
  })

  /** The label of a project as alerts show it. */
  const withoutCut = (project: string) => shownLabels([['project', project]])[0]![1]
})
