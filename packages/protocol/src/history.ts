// The entry point `@throughline/protocol/history`: what a history of a chat is, and the checks that find in it what must
// never happen. For tests of a server, not for pages.

/** @public */
export type {
  Accepted,
  Arrival,
  ChatHistory,
  Death,
  Load,
  SavedChat,
  SentSubmission,
  Sighting,
  Stop,
  Viewer,
  Violation,
} from './history/chat-history.ts'
export { checkHistory } from './history/check-history.ts'
export { checkTakeovers } from './history/check-takeovers.ts'
export {
  entryIn,
  loggedEventsIn,
  type RecordedEvent,
  SseRecorder,
  utf8From,
} from './history/sse-recorder.ts'
