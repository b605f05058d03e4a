import { rm } from 'node:fs/promises'
import { type SeededRandom, seededRandom } from '@throughline/agents/testing'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { addTallies, emptyTally, type Tally } from '../scenarios/tally.ts'
import { checkDisk, checkLeftFiles } from './check-disk.ts'
import { Disk, type NameRules } from './disk.ts'
import { type DiskImage, writeImage } from './disk-image.ts'
import { type Known, type KnownChat, knownAfter } from './known-chats.ts'
import { dataFolder } from './record-workload.ts'
import type { Operation } from './trace.ts'

interface PowerLoss {
  readonly seed: number
  readonly folder: string
  /** After how many operations the power fails. Default: the seed decides. */
  readonly place?: number
}

/**
 * Cuts the power at a place of a trace, starts a server on what is left, and checks it. The seed decides about the place,
 * and about what of the unsynced changes survives. `folder` must not exist, and does not exist afterwards.
 */
export async function replayPowerLoss(
  operations: readonly Operation[],
  { seed, folder, place }: PowerLoss,
): Promise<Tally> {
  const random = seededRandom(seed)
  const rules: NameRules = random.pick(['in-order', 'by-folder'])
  const share = random.pick([0, 0, 0.1, 0.5, 0.9, 1])
  const chosen = placeIn(operations, random)
  const count = place ?? chosen
  const happened = operations.slice(0, count)
  const disk = new Disk(rules)
  for (const operation of happened) disk.apply(operation)
  const image = disk.afterPowerLoss({ random, share })
  const what = `after operation ${count} of ${operations.length}, names ${rules}, ${share} of the rest survives`
  await using receiver = await startWebhookReceiver()
  try {
    await writeImage(image, folder)
    const tallies = [
      await checkDisk(`${folder}${dataFolder}`, knownAfter(happened), receiver),
      await checkLeftFiles(`${folder}${dataFolder}`),
      await checkBackup(image, { happened, folder, random }),
    ]
    const tally = addTallies([...tallies, { ...emptyTally, done: 1 }])
    return {
      ...tally,
      violations: tally.violations.map(each => ({ ...each, detail: `${each.detail} (${what})` })),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Any place, or right after something was shown, above all first by a new server, or after a name or a size has changed:
 * most of what can go wrong is there.
 */
function placeIn(operations: readonly Operation[], random: SeededRandom): number {
  const kind = random.pick(['any', 'shown', 'first shown', 'names'])
  let isNew = false
  const places = operations.flatMap((operation, index) => {
    isNew ||= operation.type === 'note' && operation.note['type'] === 'starts'
    const isFirst = isNew && operation.type === 'send'
    if (isFirst) isNew = false
    const isChosen = kind === 'any' || kindOf(operation) === kind || (kind === 'first shown' && isFirst)
    return isChosen ? [index + 1] : []
  })
  return places[random.below(places.length)] ?? operations.length
}

function kindOf({ type }: Operation): 'shown' | 'names' | 'other' {
  if (type === 'send' || type === 'note') return 'shown'
  return type === 'write' || type === 'sync-begin' || type === 'sync-end' ? 'other' : 'names'
}

interface Left {
  readonly happened: readonly Operation[]
  readonly folder: string
  readonly random: SeededRandom
}

/** A backup that was made is there, and one that is there is whole. It has at least what people knew when it began. */
async function checkBackup({ folders }: DiskImage, { happened, folder, random }: Left): Promise<Tally> {
  const names = (type: string) =>
    happened.flatMap((operation, index) =>
      operation.type === 'note' && operation.note['type'] === type
        ? [{ name: String(operation.note['name']), index }]
        : [],
    )
  const lost = names('backup-made').filter(({ name }) => !folders.includes(`/backups/${name}`))
  const violations = lost.map(
    ({ name }) => ({ kind: 'lost', invariant: 'E3', chatId: name, detail: 'The backup is gone.' }) as const,
  )
  const there = names('backup-begins').filter(({ name }) => folders.includes(`/backups/${name}`))
  const chosen = there[random.below(there.length)]
  if (chosen === undefined) return { ...emptyTally, violations }
  const known = knownDuring(happened, chosen.index)
  const tally = await checkDisk(`${folder}/backups/${chosen.name}`, known)
  return addTallies([
    { ...emptyTally, violations, notes: { backups: 1 } },
    { ...tally, shownChunks: 0 },
  ])
}

/** What people knew when a backup began, with everything else that they have sent meanwhile. */
function knownDuring(happened: readonly Operation[], began: number): Known {
  const before = knownAfter(happened.slice(0, began))
  const now = knownAfter(happened)
  const chats = now.chats.map(chat => {
    const earlier = before.chats.find(({ id }) => id === chat.id)
    const accepted = new Map(earlier?.submissions.map(each => [each.messageId, each.accepted]))
    return {
      ...chat,
      submissions: chat.submissions.map(each => ({ ...each, accepted: accepted.get(each.messageId) ?? [] })),
      sightings: earlier?.sightings ?? [],
      stops: earlier?.stops ?? [],
      titles: titlesDuring(chat, earlier),
      removal: earlier?.removal === 'done' ? 'done' : chat.removal === 'none' ? 'none' : 'asked',
    } as const
  })
  return { ...before, chats, fileHashes: now.fileHashes }
}

/** The names that a chat may have in a backup: the one that was confirmed before, and all that were asked for later. */
function titlesDuring({ askedTitles }: KnownChat, earlier: KnownChat | undefined): readonly string[] {
  if (earlier === undefined || earlier.titles.length === 0) return []
  return [...earlier.titles, ...askedTitles.slice(earlier.askedTitles.length)]
}
