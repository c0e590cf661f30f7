/** The library lies beside the page's own modules (scripts/build-page.mjs). */
export { createParser, type EventSourceMessage } from 'eventsource-parser'
