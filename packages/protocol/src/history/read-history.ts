import type { Entry } from '../entries/entry.ts'
import { type Position, parsePosition } from '../entries/position.ts'
import type {
  ChatHistory,
  Load,
  PostedBlock,
  SavedChat,
  SentSubmission,
  Sighting,
  Viewer,
} from './chat-history.ts'
import { entryIn, eventBytesIn, loggedEventsIn, type RecordedEvent } from './sse-recorder.ts'

/** A history, with its log and its streams taken apart once for all checks. */
export interface ReadHistory
  extends Omit<Required<ChatHistory>, 'saved' | 'submissions' | 'viewers' | 'loads' | 'posts'> {
  readonly saved: ReadChat | undefined
  /** `undefined`: nobody has written down what was sent. */
  readonly submissions: readonly SentSubmission[] | undefined
  readonly viewers: readonly ReadViewer[]
  readonly loads: readonly ReadLoad[]
  /** `undefined`: nobody has written down what was posted. */
  readonly posts: readonly PostedBlock[] | undefined
}

export interface ReadChat extends SavedChat {
  readonly events: readonly RecordedEvent[]
  readonly entries: readonly Entry[]
}

export interface ReadLoad extends Load {
  readonly seq: number
  /** Whether its position is one of the log as it is in the end. The log may have had another epoch before. */
  readonly isCurrent: boolean
}

interface ReadViewer {
  readonly stays: readonly Stay[]
  readonly hasStayed: boolean
}

/** What a viewer got between two resets, on all its connections. */
export interface Stay {
  readonly sightings: readonly ReadSighting[]
  /** Whether its positions are those of the log as it is in the end. The log may have had another epoch before. */
  readonly isCurrent: boolean
  /** Whether the viewer was told that what it had is not valid any more: by a reset, or because the chat was gone. */
  readonly isOver: boolean
}

export interface ReadSighting extends Pick<Sighting, 'after' | 'arrivals'> {
  readonly position: Position | undefined
  /** The bytes before a reset, without comments and the `retry:` field. The last event may have only begun. */
  readonly seen: string
  /** The whole events before a reset. */
  readonly events: readonly RecordedEvent[]
  readonly hasReset: boolean
}

/** Takes a history apart. Throws when the log has something that is not an entry. */
export function readHistory(history: ChatHistory): ReadHistory {
  const { chatId, submissions, stops = [], effects = [], posts, mayLose = false } = history
  const saved = history.saved && readChat(history.saved)
  const viewers = (history.viewers ?? []).map(viewer => readViewer(viewer, saved?.events ?? []))
  const loads = (history.loads ?? []).map(load => readLoad(load, saved?.events ?? []))
  return { chatId, saved, submissions, viewers, loads, stops, effects, posts, mayLose }
}

/** Returns a value as text for a finding, cut short. */
export function textOfValue(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 600)
}

function readChat(saved: SavedChat): ReadChat {
  const events = loggedEventsIn(saved.log)
  return { ...saved, events, entries: events.map(entryIn) }
}

function readLoad(load: Load, log: readonly RecordedEvent[]): ReadLoad {
  const position = parsePosition(load.position)
  return { ...load, seq: position?.seq ?? 0, isCurrent: isPositionOf(log, position) }
}

function readViewer({ sightings, hasStayed }: Viewer, log: readonly RecordedEvent[]): ReadViewer {
  const stays: Stay[] = []
  let begun: ReadSighting[] = []
  for (const [index, sighting] of sightings.entries()) {
    const read = readSighting(sighting)
    begun.push(read)
    const isOver = read.hasReset || sighting.isGone === true
    if (!isOver && index < sightings.length - 1) continue
    stays.push({ sightings: begun, isOver, isCurrent: isPositionOf(log, begun[0]?.position) })
    begun = []
  }
  return { stays, hasStayed }
}

function readSighting({ after, bytes, arrivals }: Sighting): ReadSighting {
  const all = loggedEventsIn(bytes)
  const reset = all.find(({ name }) => name === 'reset')
  const events = reset === undefined ? all : all.slice(0, all.indexOf(reset))
  const seen = reset === undefined ? eventBytesIn(bytes) : events.map(event => event.bytes).join('')
  const read = { after, position: parsePosition(after), seen, events, hasReset: reset !== undefined }
  return arrivals === undefined ? read : { ...read, arrivals }
}

/** A log without entries does not say which epoch it has. */
function isPositionOf([first]: readonly RecordedEvent[], position: Position | undefined): boolean {
  if (position === undefined) return false
  return first === undefined ? position.seq === 0 : first.position?.epoch === position.epoch
}
