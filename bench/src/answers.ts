import { type Chunk, type Entry, isMessageId, isRunId } from '@throughline/protocol'

/** The chunks of one answer. Those before `from` are setup and are not timed. */
export interface Answer {
  readonly name: string
  readonly chunks: readonly Chunk[]
  /** The index of the first timed chunk. */
  readonly from: number
}

const textDelta = 'twelve chars'

export function textAnswer(count: number): Answer {
  return answer(`${count} text deltas`, [], textDeltas(count))
}

/** A tool call whose input arrives in `count` deltas: the lines of a file, as JSON. */
export function toolInputAnswer(count: number): Answer {
  const deltas = toolInputDeltas(count)
  const call = { toolCallId: 'call', toolName: 'write_file' } as const
  const input: unknown = JSON.parse(deltas.join(''))
  return answer(
    `${count} tool-input deltas`,
    [{ type: 'tool-input-start', ...call }],
    [
      ...deltas.map(
        inputTextDelta => ({ type: 'tool-input-delta', toolCallId: 'call', inputTextDelta }) as const,
      ),
      { type: 'tool-input-available', ...call, input },
    ],
  )
}

export function largeOutputAnswer(count: number): Answer {
  const rows = Array.from({ length: 4_000 }, (_, row) => ({
    row,
    name: `row ${row}`,
    text: textDelta.repeat(5),
  }))
  const setup = toolCall('call', { output: { rows } })
  const kilobytes = Math.round(JSON.stringify(rows).length / 1000)
  return answer(`${count} deltas after a ${kilobytes} KB tool output`, setup, textDeltas(count))
}

export function manyPartsAnswer(count: number): Answer {
  const setup = Array.from({ length: 400 }, (_, step): Chunk[] => [
    { type: 'text-start', id: `text-${step}` },
    { type: 'text-delta', id: `text-${step}`, delta: textDelta },
    { type: 'text-end', id: `text-${step}` },
    ...toolCall(`call-${step}`, { output: { temperature: step, unit: 'celsius' } }),
  ])
  return answer(`${count} deltas after 800 parts`, setup.flat(), textDeltas(count))
}

/** Data parts, which applications define themselves. Each part is sent twice: first open, then done. */
export function dataAnswer(count: number): Answer {
  const taskChunk = (index: number, done: boolean): Chunk => ({
    type: 'data-task',
    id: `task-${index}`,
    data: { title: `Task ${index}`, done },
  })
  const chunks = Array.from({ length: count / 2 }, (_, index) => [
    taskChunk(index, false),
    taskChunk(index, true),
  ])
  return answer(`${count} data-* chunks`, [], chunks.flat())
}

/** Returns the input of a tool call as `count` deltas that together are valid JSON. Each delta is about one line. */
export function toolInputDeltas(count: number): readonly string[] {
  const lines = Array.from({ length: count - 2 }, (_, line) => `"line ${line}",`)
  return ['{"lines":[', ...lines, '"end"]}']
}

/** Returns log entries for the chunks of one message. The first entry has the number `after + 1`. */
export function entriesOf(
  chunks: readonly Chunk[],
  { after, messageId }: { after: number; messageId: string },
) {
  const runId = 'run'
  if (!isRunId(runId) || !isMessageId(messageId)) throw new TypeError(`"${messageId}" is not a message id.`)
  return chunks.map((chunk, index): Entry => ({ seq: after + index + 1, at: 0, runId, messageId, chunk }))
}

function answer(name: string, setup: readonly Chunk[], timed: readonly Chunk[]): Answer {
  const begin: readonly Chunk[] = [{ type: 'start', messageId: 'answer' }, { type: 'start-step' }, ...setup]
  return {
    name,
    from: begin.length,
    chunks: [...begin, ...timed, { type: 'finish-step' }, { type: 'finish' }],
  }
}

function textDeltas(count: number): readonly Chunk[] {
  const deltas = Array.from(
    { length: count },
    () => ({ type: 'text-delta', id: 'text', delta: textDelta }) as const,
  )
  return [{ type: 'text-start', id: 'text' }, ...deltas, { type: 'text-end', id: 'text' }]
}

function toolCall(toolCallId: string, { output }: { output: unknown }): Chunk[] {
  return [
    { type: 'tool-input-available', toolCallId, toolName: 'look_up', input: { city: 'Lisbon' } },
    { type: 'tool-output-available', toolCallId, output },
  ]
}
