// The witness: a viewer in a process of its own. It follows logs over HTTP, and writes every byte that it sees to a file,
// with fsync. So what it saw is on disk, whatever happens to the server or to the torture.
import { fsyncSync, openSync, writeSync } from 'node:fs'
import { HttpClient } from '@throughline/testing/http/http-client'
import { isWitnessRequest, type SeenBytes, type WitnessRequest } from './witness-messages.ts'

const files = new Map<string, number>()
const unsynced = new Set<number>()
const open = new Map<string, Set<number>>()
const waiting: { readonly id: number; readonly file: string }[] = []

process.on('message', request => {
  if (!isWitnessRequest(request)) return
  if (request.type === 'follow') return void follow(request)
  waiting.push(request)
  reportSettled()
})
process.on('disconnect', () => process.exit())

/** Until the server is killed: that breaks the connection, and is what the witness waits for. */
async function follow({
  viewer,
  url,
  path,
  file,
}: Extract<WitnessRequest, { type: 'follow' }>): Promise<void> {
  const viewers = open.get(file) ?? new Set()
  open.set(file, viewers.add(viewer))
  using client = new HttpClient(url)
  await client.follow(path, { onPiece: bytes => write(file, { viewer, bytes }) })
  viewers.delete(viewer)
  reportSettled()
}

function write(file: string, seen: SeenBytes): void {
  const descriptor = files.get(file) ?? openSync(file, 'a')
  files.set(file, descriptor)
  writeSync(descriptor, `${JSON.stringify(seen)}\n`)
  if (unsynced.size === 0) setImmediate(sync)
  unsynced.add(descriptor)
}

/** One fsync for everything that came in one turn of the event loop. */
function sync(): void {
  for (const descriptor of unsynced) fsyncSync(descriptor)
  unsynced.clear()
  reportSettled()
}

/** A file is settled when every viewer that writes to it has left, and all of it is on disk. */
function reportSettled(): void {
  if (unsynced.size > 0) return
  for (const request of waiting.splice(0)) {
    if ((open.get(request.file)?.size ?? 0) > 0) waiting.push(request)
    else process.send?.({ type: 'settled', id: request.id })
  }
}
