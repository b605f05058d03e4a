import { placeAsShown, type Submission } from '../../admission/submission.ts'
import type { Services } from '../request/context.ts'
import { firstPlaceIn } from './known-places.ts'
import { type ShownMessage, shownBefore } from './shown-message.ts'

/** What the page of a client shows. */
export interface ShownPage {
  readonly shown: readonly ShownMessage[] | undefined
  /** Aborts when the client has left. */
  readonly closed: AbortSignal
}

/** Gives a new message the place where the page shows it, which follows from the ids of the messages before it. */
export async function placedById(
  services: Services,
  submission: Submission,
  { shown, closed }: ShownPage,
): Promise<Submission> {
  if (submission.kind !== 'answer' || submission.place.type !== 'end' || shown === undefined)
    return submission
  const { ownerId, chatId } = submission
  const firstPlace = await firstPlaceIn(services, { ownerId, chatId, closed })
  return placeAsShown(submission, await shownBefore(shown, firstPlace))
}
