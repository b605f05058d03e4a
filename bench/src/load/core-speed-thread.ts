import { parentPort, workerData } from 'node:worker_threads'

// Does the same work again and again for a while, and says how often it came to its end per second.
const ms = Number(workerData)
const startedAt = performance.now()
let rounds = 0
let length = 0
while (performance.now() - startedAt < ms) {
  for (let index = 0; index < 1_000; index += 1) length += JSON.stringify({ index, text: 'some text' }).length
  rounds += 1
}
parentPort?.postMessage(length === 0 ? 0 : (rounds * 1000) / (performance.now() - startedAt))
