/** scripts/build-page.mjs puts the library next to the page's modules. */
export { createParser, type EventSourceMessage } from 'eventsource-parser'
