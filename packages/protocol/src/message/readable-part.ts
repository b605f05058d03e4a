import { badField, type Fields, isRecord, isString, isStringOrNone } from '../values/fields.ts'
import type { DataPart, Part, ToolState } from './message.ts'

const unreadableType = 'data-unreadable'

/** Returns whether a part stands for one that could not be read. What came in its place is its `data`. */
export function isUnreadable(part: { readonly type: string }): boolean {
  return part.type === unreadableType
}

/**
 * Returns a part that came from outside. One that cannot be read becomes a `data-unreadable` part that carries what came,
 * so that the rest of its message can be shown. A part of a type that this version does not know stays as it is.
 */
export function readablePart(part: unknown): Part {
  if (isPart(part)) return part
  return { type: unreadableType, data: part } satisfies DataPart
}

// For each state, so that the compiler finds the one that is missing here.
const toolStates: Readonly<Record<ToolState, true>> = {
  'input-streaming': true,
  'input-available': true,
  'approval-requested': true,
  'approval-responded': true,
  'output-available': true,
  'output-error': true,
  'output-denied': true,
}

const toolFields: Fields = {
  toolCallId: isString,
  toolName: isStringOrNone,
  state: value => isString(value) && Object.hasOwn(toolStates, value),
  errorText: isStringOrNone,
  title: isStringOrNone,
  approval: value => value === undefined || (isRecord(value) && isString(value['id'])),
}

const fileFields: Fields = { mediaType: isString, url: isString, filename: isStringOrNone }

/** The fields that readers rely on, by type. */
const fieldsByType: ReadonlyMap<string, Fields> = new Map(
  Object.entries<Fields>({
    text: { text: isString },
    reasoning: { text: isString, id: isStringOrNone },
    file: fileFields,
    'reasoning-file': fileFields,
    'source-url': { sourceId: isString, url: isString, title: isStringOrNone },
    'source-document': { sourceId: isString, mediaType: isString, title: isString, filename: isStringOrNone },
    custom: { kind: isString },
    'steering-message': { id: isString, parts: Array.isArray },
    'step-start': {},
    'dynamic-tool': toolFields,
  }),
)

function isPart(value: unknown): value is Part {
  if (!isRecord(value)) return false
  const { type } = value
  return isString(type) && badField(value, fieldsOf(type)) === undefined
}

function fieldsOf(type: string): Fields {
  if (type.startsWith('tool-')) return toolFields
  if (type.startsWith('data-')) return { id: isStringOrNone }
  return fieldsByType.get(type) ?? {}
}
