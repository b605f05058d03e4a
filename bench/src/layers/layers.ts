import type { GoalName } from './goals.ts'

/** A part of the product that is there only for speed or memory, and how to leave it out. */
export interface Layer {
  readonly name: string
  /** What it does, in a few words. */
  readonly what: string
  /** The goals that it is there for. */
  readonly goals: readonly GoalName[]
  /**
   * The modules of the product that it consists of, and what takes their place: plain modules with the same exports, in the
   * folder stand-ins.
   */
  readonly modules: Readonly<Record<string, string>>
}

/** All layers, in the order in which they are measured. When a module of the product moves, its path is mended here. */
export const layers: readonly Layer[] = [
  {
    name: 'bypass',
    what: 'deltas go past streamText',
    goals: ['provider p99', 'provider CPU'],
    modules: { 'packages/agents/src/ai-sdk/bypass/delta-bypass.ts': 'delta-bypass.ts' },
  },
  {
    name: 'models-thread',
    what: 'models are read in a thread of their own',
    goals: ['provider p99', 'provider CPU'],
    modules: { 'packages/agents/src/models/thread/model-thread.ts': 'model-thread.ts' },
  },
  {
    name: 'sent-entries',
    what: 'notifications of Postgres bring the entries, so they are encrypted',
    goals: ['nodes p99', 'nodes CPU'],
    modules: {
      'packages/store/src/postgres/log/ring-payload.ts': 'ring-payload.ts',
      'packages/store/src/postgres/notifications/encrypted-notifications.ts': 'encrypted-notifications.ts',
    },
  },
  {
    name: 'stream-bytes',
    what: 'bytes of streams have a pool of their own',
    goals: ['viewer memory', 'fan-out CPU'],
    modules: { 'packages/server/src/stream/bytes/stream-bytes.ts': 'stream-bytes.ts' },
  },
  {
    name: 'chunk-framing',
    what: 'the chunk framing of HTTP/1.1 is written with the bytes',
    goals: ['fan-out p99', 'fan-out CPU'],
    modules: { 'packages/server/src/stream/bytes/response-sink.ts': 'response-sink.ts' },
  },
  {
    name: 'write-pace',
    what: 'runs leave a gap between two writes while the event loop is always busy',
    goals: ['one node p99', 'one node CPU'],
    modules: { 'packages/server/src/engine/write-pace.ts': 'write-pace.ts' },
  },
  {
    name: 'commit-delay',
    what: 'commits wait for more appends while many come',
    goals: ['one node p99', 'nodes p99', 'frequent deltas CPU', 'frequent deltas written'],
    modules: { 'packages/store/src/database/commit-delay.ts': 'commit-delay.ts' },
  },
  {
    name: 'give-memory-back',
    what: 'garbage is collected when little happens',
    goals: ['viewer memory', 'memory after load'],
    modules: { 'packages/store/src/memory/give-memory-back.ts': 'give-memory-back.ts' },
  },
  {
    name: 'recent-entries',
    what: 'recent entries are kept for two periods of half a second',
    goals: ['one node p99', 'nodes p99'],
    modules: { 'packages/log/src/recent-entries.ts': 'recent-entries.ts' },
  },
]
