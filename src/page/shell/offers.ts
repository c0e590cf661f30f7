/** The views that a service may offer besides rows, charts and endpoints: requested once for each user. */
import { hasRules } from '../api/alerts.js'
import { type Failure, sessionSignal } from '../api/api.js'
import { canRunSql } from '../api/endpoints.js'
import type { ViewName } from '../explore/model/state.js'

/** The views that not every service has, and how to ask. */
const ASKED = { sql: canRunSql, alerts: hasRules } as const
type Offer = keyof typeof ASKED
const OFFERS = Object.keys(ASKED) as Offer[]

/** Callbacks to the page. */
export interface OffersHost {
  /** Called when the answer about a view comes. */
  onAnswer(view: ViewName): void
  /** Called if the question failed. The view is then not offered. */
  onFailure(failure: Failure): void
}

/** The views that the service offers. */
export interface Offers {
  /** Asks about the views that are not known to be offered. */
  load(): void
  /** Whether the service offers a view, or undefined while unknown. */
  has(view: ViewName): boolean | undefined
  /** Forgets the answers, also those that are still to come: another user may sign in. */
  forget(): void
}

const isAsked = (view: ViewName): view is Offer => Object.hasOwn(ASKED, view)

/** Creates the offers, of which none is known yet. */
export function createOffers({ onAnswer, onFailure }: OffersHost): Offers {
  const known = new Map<Offer, boolean>()

  async function ask(offer: Offer): Promise<void> {
    const signal = sessionSignal()
    try {
      const isOffered = await ASKED[offer](signal)
      if (signal.aborted) return
      known.set(offer, isOffered)
      onAnswer(offer)
    } catch (error) {
      if (!signal.aborted) onFailure(error as Failure)
    }
  }

  return {
    load() {
      for (const offer of OFFERS) if (known.get(offer) !== true) void ask(offer)
    },
    has: (view) => (isAsked(view) ? known.get(view) : true),
    forget: () => known.clear(),
  }
}
