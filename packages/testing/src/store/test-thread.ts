// A thread that serves the databases of many tests, one after the other or side by side. See open-test-sqlite.ts.
import { type MessagePort, parentPort } from 'node:worker_threads'
import { serveDatabase } from '@throughline/store/testing'

parentPort?.on('message', ({ port, path }: { readonly port: MessagePort; readonly path: string }) =>
  serveDatabase(port, path),
)
