import {
  type Accepted,
  type Arrival,
  type ChatHistory,
  checkHistory,
  type checkTakeovers,
  type Death,
  entryIn,
  type Load,
  loggedEventsIn,
  type RecordedEvent,
  type SavedChat,
  type SentSubmission,
  type Sighting,
  SseRecorder,
  type Stop,
  utf8From,
  type Viewer,
  type Violation,
} from '@throughline/protocol/history'
import { expectTypeOf } from 'vitest'

expectTypeOf(checkHistory).toEqualTypeOf<(history: ChatHistory) => readonly Violation[]>()
expectTypeOf<keyof NonNullable<Parameters<typeof checkTakeovers>[0]>>().toEqualTypeOf<
  'changes' | 'deaths' | 'written'
>()
expectTypeOf<keyof NonNullable<Awaited<ReturnType<typeof checkTakeovers>>>>().toEqualTypeOf<
  'takeoversMs' | 'violations'
>()
expectTypeOf<keyof Accepted>().toEqualTypeOf<'at' | 'responseMessageId' | 'runId'>()
expectTypeOf<keyof Arrival>().toEqualTypeOf<'at' | 'length'>()
expectTypeOf<keyof ChatHistory>().toEqualTypeOf<
  'chatId' | 'effects' | 'loads' | 'mayLose' | 'posts' | 'saved' | 'stops' | 'submissions' | 'viewers'
>()
expectTypeOf<keyof Death>().toEqualTypeOf<'at' | 'node'>()
expectTypeOf<keyof Load>().toEqualTypeOf<'askedAt' | 'at' | 'messages' | 'position'>()
expectTypeOf<keyof SavedChat>().toEqualTypeOf<'isRunning' | 'log' | 'messages'>()
expectTypeOf<keyof Sighting>().toEqualTypeOf<'after' | 'arrivals' | 'bytes' | 'isGone'>()
expectTypeOf<keyof Stop>().toEqualTypeOf<'at' | 'messageId' | 'ms' | 'result'>()
expectTypeOf<keyof SentSubmission>().toEqualTypeOf<'accepted' | 'messageId' | 'said' | 'sentAt' | 'text'>()
expectTypeOf<keyof Viewer>().toEqualTypeOf<'hasStayed' | 'sightings'>()
expectTypeOf<keyof Violation>().toEqualTypeOf<'chatId' | 'detail' | 'invariant' | 'kind'>()
expectTypeOf(entryIn).parameter(0).toEqualTypeOf<Pick<RecordedEvent, 'data'>>()
expectTypeOf<keyof NonNullable<Awaited<ReturnType<typeof entryIn>>>>().toEqualTypeOf<
  'at' | 'chunk' | 'messageId' | 'runId' | 'seq'
>()
expectTypeOf(loggedEventsIn).parameter(0).toEqualTypeOf<string>()
expectTypeOf(loggedEventsIn).returns.toEqualTypeOf<readonly RecordedEvent[]>()
expectTypeOf(SseRecorder).toBeConstructibleWith()
expectTypeOf<SseRecorder['push']>().toEqualTypeOf<(piece: string | Uint8Array, arrivedAt?: number) => void>()
expectTypeOf<SseRecorder['events']>().toEqualTypeOf<RecordedEvent[]>()
expectTypeOf(utf8From).toEqualTypeOf<(latin1: string) => string>()
