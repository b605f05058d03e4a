// The door for tests: what the tests, the benches and the torture of other packages use, beside the public doors.
// It is not published.

export { pagePaths } from './http/static-pages.ts'
export { responseSink } from './stream/bytes/response-sink.ts'
export { Heartbeats, sendStream } from './stream/bytes/send-stream.ts'
export type { StreamSink } from './stream/bytes/stream-sink.ts'
export { webSink } from './stream/bytes/web-sink.ts'
export { encodeChunks } from './stream/chunks/encode-chunks.ts'
export { encodeLog, viewLog } from './stream/log/view-log.ts'
export type { RunForm } from './stream/run-form.ts'
export type { AgentSystemOptions } from './who/agent-system.ts'
