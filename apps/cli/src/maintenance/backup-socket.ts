import { chmod, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { join, relative, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { BackupError, type Store, type StoreBackup } from '@throughline/store'

/** What a server replies when it was asked for a backup. */
export type BackupReply =
  | ({ readonly type: 'done'; readonly hasBucket: boolean } & StoreBackup)
  | { readonly type: 'failed'; readonly message: string }

/** What a server backs up. */
export interface BackupListener {
  /** The data folder. */
  readonly folder: string
  readonly backUp: NonNullable<Store['backup']>
  /** Whether the files of chats go to a bucket. Those are not in a backup. */
  readonly hasBucket: boolean
}

/** Returns the socket in a data folder, at which its server takes requests for backups. */
export function backupSocketPath(folder: string): string {
  const path = resolve(folder, 'throughline.sqlite-backup.sock')
  // The system allows about 100 characters, so the shorter way to say it is taken.
  const fromHere = relative(process.cwd(), path)
  return fromHere.length < path.length ? fromHere : path
}

/**
 * Takes requests for backups from this machine, while the server runs: the database is locked, so only the server itself
 * can copy it. The socket is in the data folder, where only the user of the server can reach it. Returns a function that
 * ends this. Throws when the socket cannot be made.
 */
export async function listenForBackups({
  folder,
  ...listener
}: BackupListener): Promise<() => Promise<void>> {
  const path = backupSocketPath(folder)
  // A process that was killed has left its socket. The lock of the database says that it is gone.
  await rm(path, { force: true })
  const server = createServer(responder(listener))
  // An application must be able to end without closing this.
  server.unref()
  const { promise: listening, resolve: isListening, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(path, isListening)
  await listening
  await chmod(path, 0o600)
  return async () => {
    const { promise: closed, resolve: isClosed } = Promise.withResolvers<void>()
    server.close(() => isClosed())
    server.closeAllConnections()
    await closed
  }
}

function responder({ backUp, hasBucket }: Omit<BackupListener, 'folder'>): RequestListener {
  return (request, response) => {
    const send = (reply: BackupReply) => response.end(JSON.stringify(reply))
    targetOf(request)
      .then(backUp)
      .then(
        backup => send({ type: 'done', hasBucket, ...backup }),
        error => send({ type: 'failed', message: messageOf(error) }),
      )
  }
}

async function targetOf(request: IncomingMessage): Promise<string> {
  const target = await text(request)
  if (request.method === 'POST' && target.startsWith('/')) return join(target)
  throw new BackupError('failed', 'Send the absolute path of the backup in the body of a POST.')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
