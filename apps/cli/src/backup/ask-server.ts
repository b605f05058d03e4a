import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { type BackupReply, backupSocketPath } from './backup-socket.ts'

/**
 * Asks the server that uses a data folder for a backup. Returns `undefined` when no server runs on the folder. Throws
 * when the server ends before it has replied.
 */
export function askServer(folder: string, target: string): Promise<BackupReply | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath: backupSocketPath(folder), method: 'POST' }, response => {
      text(response)
        .then(body => resolve(JSON.parse(body)))
        .catch(reject)
    })
    asked.on('error', error => {
      const code = 'code' in error ? error.code : undefined
      if (code === 'ENOENT' || code === 'ECONNREFUSED') resolve(undefined)
      else reject(error)
    })
    asked.end(target)
  })
}
