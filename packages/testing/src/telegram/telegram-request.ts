import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { z } from 'zod'

export interface TelegramFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The parameters of a call. */
export interface TelegramParams {
  readonly values: Readonly<Record<string, unknown>>
  /** The files of the call, by the name of the parameter that refers to them. */
  readonly files: ReadonlyMap<string, TelegramFile>
}

const jsonValues = new Set(['reply_parameters', 'link_preview_options', 'allowed_updates'])

/** Reads the parameters of a call: JSON, or form data if there are files. */
export async function readTelegramParams(request: IncomingMessage): Promise<TelegramParams> {
  const body = await buffer(request)
  const type = request.headers['content-type'] ?? ''
  const [, boundary] = /^multipart\/form-data;\s*boundary=(.+)$/.exec(type) ?? []
  if (boundary !== undefined) return formParams(partsOf(body, boundary))
  const values = body.length === 0 ? {} : z.record(z.string(), z.unknown()).parse(JSON.parse(`${body}`))
  return { values, files: new Map() }
}

interface FormPart {
  readonly name: string
  readonly fileName: string | undefined
  readonly content: Buffer
}

function formParams(parts: readonly FormPart[]): TelegramParams {
  const fields = parts.filter(({ fileName }) => fileName === undefined)
  const values = fields.map(({ name, content }): [string, unknown] => [
    name,
    jsonValues.has(name) ? JSON.parse(`${content}`) : `${content}`,
  ])
  const files = values.flatMap(([name, value]): [string, TelegramFile][] => {
    const part = parts.find(({ name: partName, fileName }) => fileName && value === `attach://${partName}`)
    return part?.fileName === undefined ? [] : [[name, { name: part.fileName, bytes: part.content }]]
  })
  return { values: Object.fromEntries(values), files: new Map(files) }
}

function partsOf(body: Buffer, boundary: string): FormPart[] {
  const parts: FormPart[] = []
  const mark = Buffer.from(`--${boundary}`)
  let start = body.indexOf(mark)
  for (let end = body.indexOf(mark, start + 1); end !== -1; end = body.indexOf(mark, start + 1)) {
    // A line break follows each boundary and comes before the next one. It does not belong to the part.
    parts.push(partOf(body.subarray(start + mark.length + 2, end - 2)))
    start = end
  }
  return parts
}

function partOf(part: Buffer): FormPart {
  const headEnd = part.indexOf('\r\n\r\n')
  const head = `${part.subarray(0, headEnd)}`
  const [, name = ''] = /name="([^"]*)"/.exec(head) ?? []
  const [, fileName] = /filename="?([^"\r\n;]*)/.exec(head) ?? []
  return { name, fileName, content: part.subarray(headEnd + 4) }
}
