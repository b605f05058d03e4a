// The thread of the models. It imports no other package of Throughline: when the server runs from its sources, only the main
// thread finds them.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { Environment } from '../provider-models.ts'
import { EventBatch } from './event-batch.ts'
import { MadeModels } from './made-models.ts'
import { ServedCall } from './served-call.ts'
import type { ModelThreadRequest } from './thread-messages.ts'

if (parentPort !== null) serve(parentPort, workerData)

/** Asks the models. Reading an answer from HTTP costs more than all else that happens to it, and here it delays nobody. */
function serve(port: MessagePort, env: Environment): void {
  const batch = new EventBatch(events => port.postMessage({ type: 'events', events }))
  const models = new MadeModels(env)
  const calls = new Map<number, ServedCall>()
  port.on('message', (request: ModelThreadRequest) => {
    if (request.type === 'taken') return calls.get(request.call)?.taken(request.count)
    if (request.type === 'abort') return calls.get(request.call)?.abort()
    const call = new ServedCall(request.call, batch)
    calls.set(request.call, call)
    // Never rejects: what fails is sent to the owner.
    void call.run(() => models.at(request.model), request.options).then(() => calls.delete(request.call))
  })
}
