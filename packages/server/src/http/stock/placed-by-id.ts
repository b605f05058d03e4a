import type { Submission } from '../../runs/claim-run.ts'
import type { Services } from '../context.ts'
import { knownPlaces } from './known-places.ts'
import { shownBefore } from './shown-before.ts'
import type { ShownMessage } from './shown-message.ts'

/** A new message in the place that the page shows it in, found by the ids of what stands before it there. */
export async function placedById(
  services: Services,
  submission: Submission,
  shown: readonly ShownMessage[] | undefined,
): Promise<Submission> {
  if (submission.kind !== 'answer' || submission.after !== undefined || shown === undefined) return submission
  const placeOf = await knownPlaces(services, submission)
  return { ...submission, shownAfter: await shownBefore(shown, placeOf) }
}
