import { isRecord } from '@throughline/protocol'

// The rules of AI SDK 4's own reader (`processChatResponse` of @ai-sdk/ui-utils 1.2.11), as far as they decide what
// stands where: text is added to the step's text, reasoning to the step's reasoning, and everything else is checked.

export interface DataStreamReading {
  readonly id: string | undefined
  /** `text: …`, `reasoning: …` and `tool: …`, in the order in which they stand. */
  readonly parts: readonly string[]
  readonly results: ReadonlyMap<string, unknown>
  readonly annotations: readonly unknown[]
  readonly data: readonly unknown[]
  readonly error: string | undefined
  readonly finish: unknown
}

/** Throws where AI SDK 4 throws. */
export function readAsAiSdk4(lines: string): DataStreamReading {
  const reader = new Reader()
  if (!lines.endsWith('\n')) throw new Error('The last line has no end.')
  for (const line of lines.split('\n').filter(each => each !== '')) {
    const colon = line.indexOf(':')
    reader.read(line.slice(0, colon), JSON.parse(line.slice(colon + 1)))
  }
  return reader.reading()
}

interface Part {
  readonly type: string
  text: string
}

class Reader {
  #id: string | undefined
  #parts: Part[] = []
  #text: Part | undefined
  #reasoning: Part | undefined
  readonly #calls = new Map<string, Part>()
  readonly #results = new Map<string, unknown>()
  readonly #annotations: unknown[] = []
  readonly #data: unknown[] = []
  #error: string | undefined
  #finish: unknown

  reading(): DataStreamReading {
    return {
      id: this.#id,
      parts: this.#parts.map(({ type, text }) => `${type}: ${text}`),
      results: this.#results,
      annotations: this.#annotations,
      data: this.#data,
      error: this.#error,
      finish: this.#finish,
    }
  }

  read(code: string, value: unknown): void {
    switch (code) {
      case '0':
        this.#text ??= this.#push('text')
        this.#text.text += textFrom(value)
        return
      case 'g':
        this.#reasoning ??= this.#push('reasoning')
        this.#reasoning.text += textFrom(value)
        return
      case '2':
        this.#data.push(...listFrom(value))
        return
      case '8':
        this.#annotations.push(...listFrom(value))
        return
      case '3':
        this.#error = textFrom(value)
        return
      case 'd':
        this.#finish = value
        return
      case 'e':
        this.#text = undefined
        this.#reasoning = undefined
        return
      case 'f':
        this.#id = textFrom(recordFrom(value)['messageId'])
        return
      case 'h':
      case 'k':
        this.#push(code)
        return
      default:
        this.#tool(code, recordFrom(value))
    }
  }

  #tool(code: string, value: Readonly<Record<string, unknown>>): void {
    const id = textFrom(value['toolCallId'])
    const isKnown = this.#calls.has(id)
    if (code === 'b' && isKnown) throw new Error(`The call ${id} begins twice.`)
    if (code === 'b' || code === '9') {
      const part = this.#calls.get(id) ?? this.#push('tool')
      this.#calls.set(id, part)
      part.text = `${textFrom(value['toolName'])} ${id}`
    }
    if (code === '9' && typeof value['args'] !== 'object') throw new Error('Arguments must be an object.')
    if (code === 'c' && !isKnown) throw new Error(`There is no call ${id}.`)
    if (code === 'a') {
      if (!isKnown || !('result' in value)) throw new Error(`There is no call ${id}, or no result.`)
      this.#results.set(id, value['result'])
    }
    if (!['9', 'a', 'b', 'c'].includes(code)) throw new Error(`There is no code ${code}.`)
  }

  #push(type: string): Part {
    const part = { type, text: '' }
    this.#parts.push(part)
    return part
  }
}

function textFrom(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`${JSON.stringify(value)} should be a text.`)
  return value
}

function listFrom(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${JSON.stringify(value)} should be a list.`)
  return value
}

function recordFrom(value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new Error(`${JSON.stringify(value)} should be an object.`)
  return value
}
