import { appendFileSync } from 'node:fs'
import { isRecord } from '@throughline/protocol'

/** What a process did. Paths begin with a slash, which is the traced folder. A file is known by the number of its inode. */
export type Operation =
  | { readonly type: 'create'; readonly path: string; readonly inode: number }
  | { readonly type: 'make-folder'; readonly path: string; readonly inode: number }
  | { readonly type: 'rename'; readonly from: string; readonly to: string }
  | { readonly type: 'remove'; readonly path: string }
  | { readonly type: 'write'; readonly inode: number; readonly at: number; readonly bytes: Uint8Array }
  | { readonly type: 'resize'; readonly inode: number; readonly size: number }
  /** A sync makes safe what was written before it began, and only when it has ended. `sync` tells syncs apart. */
  | { readonly type: 'sync-begin'; readonly inode: number; readonly sync: string }
  | { readonly type: 'sync-end'; readonly sync: string }
  /** Bytes that left the process on a connection, which is known by the port of the client. */
  | { readonly type: 'send'; readonly port: number; readonly bytes: Uint8Array }
  /** What the torture has noted in the trace itself. */
  | { readonly type: 'note'; readonly note: Readonly<Record<string, unknown>> }

const headerBytes = 32

/** The types of record-writes.c, in its order. */
const types = [
  'none',
  'create',
  'make-folder',
  'rename',
  'remove',
  'remove',
  'link',
  'write',
  'resize',
  'sync-begin',
  'sync-end',
  'send',
  'unseen',
  'note',
] as const

/** Reads the trace that record-writes.c has written to a file. The last record may be torn: its process was killed. */
export function readTrace(bytes: Buffer): readonly Operation[] {
  const operations: Operation[] = []
  for (let at = 0; at + headerBytes <= bytes.length; ) {
    const firstAt = at + headerBytes
    const secondAt = firstAt + bytes.readUInt32LE(at + 4)
    const end = secondAt + bytes.readUInt32LE(at + 8)
    if (end > bytes.length) break
    const first = bytes.subarray(firstAt, secondAt)
    const second = bytes.subarray(secondAt, end)
    operations.push(operationFrom(bytes.subarray(at, firstAt), first, second))
    at = end
  }
  return operations
}

function operationFrom(header: Buffer, first: Buffer, second: Buffer): Operation {
  const type = types[header.readUInt32LE(0)]
  const inode = Number(header.readBigUInt64LE(16))
  const number = header.readBigUInt64LE(24)
  const path = first.toString()
  switch (type) {
    case 'create':
    case 'make-folder':
      return { type, path, inode }
    case 'rename':
      return { type, from: path, to: second.toString() }
    case 'remove':
      return { type, path }
    case 'write':
      return { type, inode, at: Number(number), bytes: first }
    case 'resize':
      return { type, inode, size: Number(number) }
    case 'sync-begin':
      return { type, inode, sync: String(number) }
    case 'sync-end':
      return { type, sync: String(number) }
    case 'send':
      return { type, port: header.readUInt32LE(12), bytes: first }
    case 'note':
      return { type, note: noteFrom(path) }
    default:
      throw new TypeError(`The trace has ${type} ${path} ${second}, whose contents nobody has recorded.`)
  }
}

function noteFrom(text: string): Readonly<Record<string, unknown>> {
  const note: unknown = JSON.parse(text)
  if (!isRecord(note)) throw new TypeError(`The trace has a note that is not an object: ${text}`)
  return note
}

/** Adds a note to the trace: it comes after everything that has happened before. */
export function noteInTrace(file: string, note: Readonly<Record<string, unknown>>): void {
  const text = Buffer.from(JSON.stringify(note))
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32LE(types.indexOf('note'), 0)
  header.writeUInt32LE(text.length, 4)
  appendFileSync(file, Buffer.concat([header, text]))
}
