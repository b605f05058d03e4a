// A process whose writes are recorded: the product's server and the work of its commands, without any change.
import { backUpStopped, compactStore } from '@throughline/store'
import { isRecordedRequest, type RecordedReply, type RecordedRequest } from './recorded-messages.ts'
import { type RecordedServer, startRecordedServer } from './recorded-server.ts'

let server: RecordedServer | undefined

process.on('message', request => {
  if (!isRecordedRequest(request)) return
  work(request).then(report, error => report({ type: 'failed', message: String(error) }))
})
// The torture has ended. So does its server.
process.on('disconnect', () => process.exit())

async function work(request: RecordedRequest): Promise<RecordedReply> {
  switch (request.type) {
    case 'serve':
      server = await startRecordedServer(request.folder, request.hookUrl)
      return { type: 'done', url: server.url }
    case 'back-up':
      await server?.backUp(request.target)
      return { type: 'done' }
    case 'back-up-stopped':
      await backUpStopped(request.folder, request.target)
      return { type: 'done' }
    case 'compact':
      await compactStore(request.folder)
      return { type: 'done' }
    case 'close':
      await server?.[Symbol.asyncDispose]()
      return { type: 'done' }
    default:
      return request satisfies never
  }
}

function report(reply: RecordedReply): void {
  process.send?.(reply)
}
