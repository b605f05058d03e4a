import { isRecord } from '@throughline/protocol'

/**
 * Returns how many characters of a request body are the data of files. Only the places where clients put files count: the
 * parts and attachments of messages. What is in them is saved as a file, or refused, or not read at all.
 */
export function fileDataLength(body: unknown): number {
  if (!isRecord(body)) return 0
  const messages = [body['message'], ...listIn(body['messages']), ...listIn(body['input'])].filter(isRecord)
  const items = messages.flatMap(message => listNames.flatMap(name => listIn(message[name])))
  return sum(items.filter(isRecord).map(itemLength))
}

const listNames = ['parts', 'content', 'experimental_attachments']
const dataNames = ['url', 'data', 'image', 'image_url', 'file_data']
/** Some clients put the data one level deeper. */
const innerNames = [
  ['source', 'value'],
  ['image_url', 'url'],
  ['file', 'file_data'],
] as const

function itemLength(item: Readonly<Record<string, unknown>>): number {
  if (item['type'] === 'text') return 0
  const inner = innerNames.map(([outer, name]) => {
    const value = item[outer]
    return isRecord(value) ? value[name] : undefined
  })
  const values = [...dataNames.map(name => item[name]), ...inner]
  return sum(values.map(value => (typeof value === 'string' ? value.length : 0)))
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
