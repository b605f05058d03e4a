import { placeAsShown, type Submission } from '../../runs/submission.ts'
import type { Services } from '../context.ts'
import { knownPlaces } from './known-places.ts'
import { shownBefore } from './shown-before.ts'
import type { ShownMessage } from './shown-message.ts'

/** Gives a new message the place where the page shows it, which follows from the ids of the messages before it. */
export async function placedById(
  services: Services,
  submission: Submission,
  shown: readonly ShownMessage[] | undefined,
): Promise<Submission> {
  if (submission.kind !== 'answer' || submission.place.type !== 'end' || shown === undefined)
    return submission
  const placeOf = await knownPlaces(services, submission)
  return placeAsShown(submission, await shownBefore(shown, placeOf))
}
