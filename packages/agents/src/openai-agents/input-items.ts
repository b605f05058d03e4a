import { type FilePart, isToolPart, type Message, type ToolPart, toolNameOf } from '@throughline/protocol'

/** One item of a run's input, as far as a chat needs it. */
export type InputItem =
  | { readonly type: 'message'; readonly role: 'system'; readonly content: string }
  | { readonly type: 'message'; readonly role: 'user'; readonly content: UserContent[] }
  | {
      readonly type: 'message'
      readonly role: 'assistant'
      readonly status: 'completed'
      readonly content: { readonly type: 'output_text'; readonly text: string }[]
    }
  | {
      readonly type: 'function_call'
      readonly callId: string
      readonly name: string
      readonly arguments: string
      readonly status: 'completed'
    }
  | {
      readonly type: 'function_call_result'
      readonly callId: string
      readonly name: string
      readonly status: 'completed'
      readonly output: { readonly type: 'text'; readonly text: string }
    }

type UserContent =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'input_image'; readonly image: string }
  | { readonly type: 'input_file'; readonly file: string; readonly filename: string }

/**
 * Returns a chat as the input of a run: texts, the files of people, and tool calls with their results. Reasoning is left
 * out, because a provider takes back only what it has signed. Calls without a result are left out, because providers refuse
 * them. So are calls that the provider ran itself: nobody else can say what they returned.
 */
export function inputItems(messages: readonly Message[]): InputItem[] {
  return messages.flatMap(itemsOf)
}

function itemsOf(message: Message): readonly InputItem[] {
  switch (message.role) {
    case 'system':
      return systemItems(message)
    case 'user':
      return userItems(message)
    case 'assistant':
      return assistantItems(message)
  }
}

function systemItems({ parts }: Message): readonly InputItem[] {
  const content = parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n')
  return content === '' ? [] : [{ type: 'message', role: 'system', content }]
}

function userItems({ parts }: Message): readonly InputItem[] {
  const content = parts.flatMap((part): readonly UserContent[] => {
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'input_text', text: part.text }]
    return part.type === 'file' ? [fileContent(part)] : []
  })
  return content.length === 0 ? [] : [{ type: 'message', role: 'user', content }]
}

/** The contents of a person's file are in a data URL. */
function fileContent({ mediaType, url, filename = 'file' }: FilePart): UserContent {
  return mediaType.startsWith('image/')
    ? { type: 'input_image', image: url }
    : { type: 'input_file', file: url, filename }
}

/** In each step, the results stand after all calls: the model made the calls before it read a result. */
function assistantItems({ parts }: Message): readonly InputItem[] {
  const items: InputItem[] = []
  let results: InputItem[] = []
  for (const part of parts) {
    if (part.type === 'step-start') {
      items.push(...results)
      results = []
    }
    if (part.type === 'text' && part.text !== '') items.push(textItem(part.text))
    if (!isToolPart(part) || part.providerExecuted === true) continue
    const text = resultText(part)
    if (text === undefined) continue
    items.push(callItem(part))
    results.push(resultItem(part, text))
  }
  return [...items, ...results]
}

function textItem(text: string): InputItem {
  return { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }
}

function callItem(part: ToolPart): InputItem {
  return {
    type: 'function_call',
    callId: part.toolCallId,
    name: toolNameOf(part),
    arguments: jsonOf(part.input ?? {}),
    status: 'completed',
  }
}

function resultItem(part: ToolPart, text: string): InputItem {
  return {
    type: 'function_call_result',
    callId: part.toolCallId,
    name: toolNameOf(part),
    status: 'completed',
    output: { type: 'text', text },
  }
}

/** Returns what the model reads as the result of a call; `undefined` when the call has none. */
function resultText({ state, output, errorText, preliminary, approval }: ToolPart): string | undefined {
  switch (state) {
    case 'output-available':
      if (preliminary === true) return undefined
      return typeof output === 'string' ? output : jsonOf(output)
    case 'output-error':
      return errorText ?? 'The tool failed.'
    case 'output-denied':
      return approval?.reason ?? 'The user did not allow this call.'
    case 'input-streaming':
    case 'input-available':
    case 'approval-requested':
    case 'approval-responded':
      return undefined
  }
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? 'null'
}
