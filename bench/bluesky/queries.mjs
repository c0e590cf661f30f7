/**
 * The five queries of the public benchmark JSONBench over bluesky's events, in the SQL of an engine. A dialect has the
 * expressions that differ: `path(path)`, the text at a path of the event; `eventTime`, its time; `microseconds(time)`
 * and `milliseconds(from, to)`, whole ones in between.
 */

/** The source of the events in logweir, and their table in the other engines. */
export const EVENTS = 'function_logs'

const COLLECTIONS = ['post', 'repost', 'like'].map((name) => `'app.bsky.feed.${name}'`)

const collection = (d) => d.path('commit.collection')
const created = (d) => `${d.path('kind')} = 'commit' and ${d.path('commit.operation')} = 'create'`
const posts = (d) => `${created(d)} and ${collection(d)} = 'app.bsky.feed.post'`

/** By name: a function of a dialect, and of whether the order is to have no ties, so that answers can be compared. */
const QUERIES = {
  'Q1, events by collection': (d, exact) => `
    select ${collection(d)} as event, count(*) as count from ${EVENTS}
    group by event order by count desc ${exact ? ', event' : ''}`,
  'Q2, events and users by collection': (d, exact) => `
    select ${collection(d)} as event, count(*) as count, count(distinct ${d.path('did')}) as users from ${EVENTS}
    where ${created(d)}
    group by event order by count desc ${exact ? ', event' : ''}`,
  'Q3, events by hour of the day': (d) => `
    select ${collection(d)} as event, extract(hour from ${d.eventTime}) as hour_of_day, count(*) as count from ${EVENTS}
    where ${created(d)} and ${collection(d)} in (${COLLECTIONS})
    group by event, hour_of_day order by hour_of_day, event`,
  'Q4, the three users who posted first': (d) => `
    select ${d.path('did')} as user_id, ${d.microseconds(`min(${d.eventTime})`)} as first_post from ${EVENTS}
    where ${posts(d)}
    group by user_id order by first_post limit 3`,
  'Q5, the three users who posted over the longest time': (d, exact) => `
    select ${d.path('did')} as user_id, ${d.milliseconds(`min(${d.eventTime})`, `max(${d.eventTime})`)} as activity_span
    from ${EVENTS}
    where ${posts(d)}
    group by user_id order by activity_span desc ${exact ? ', user_id' : ''} limit 3`,
}

/** The calls of all queries, `{ name, size, events }`. */
export const EVENT_CALLS = Object.keys(QUERIES).map((name) => ({ name, size: 'all', events: name }))

/** Returns the SQL of a call of {@link EVENT_CALLS}. */
export const eventSqlOf = (dialect, { events }, exact) => QUERIES[events](dialect, exact)
