import { ModelSettingError, SearchSettingError } from '@throughline/agents/internal'
import { ChannelError } from '@throughline/channels'
import { StartError } from '@throughline/server'
import { SqlError } from '@throughline/store'
import { CommandError } from './command-error.ts'
import { SettingError } from './setting-error.ts'
import type { Settings } from './settings.ts'

/**
 * Returns why the server could not start, as an error that says what to do. Returns `undefined` when the reason is a
 * bug: then the stack is needed.
 */
export function startFailure(error: unknown, settings: Settings): CommandError | undefined {
  const isOurs =
    error instanceof SettingError ||
    error instanceof ModelSettingError ||
    error instanceof SearchSettingError ||
    error instanceof ChannelError ||
    error instanceof StartError
  if (isOurs) return new CommandError(error.message)
  const sentence =
    error instanceof SqlError
      ? databaseFailure(error, settings)
      : (listenFailure(error, settings) ?? folderFailure(error, settings))
  return sentence === undefined ? undefined : new CommandError(sentence)
}

function databaseFailure(
  { code, message }: SqlError,
  { dataFolder, postgres }: Settings,
): string | undefined {
  if (postgres !== undefined) return `DATABASE_URL: ${message}`
  switch (code) {
    // Their messages say what to do.
    case 'in-use':
    case 'newer-schema':
      return message
    case 'unwritable':
      return notWritable(dataFolder)
    case 'full':
      return diskFull(dataFolder)
    case 'damaged':
    case 'failed':
      return `THROUGHLINE_DATA: the database in ${dataFolder} cannot be opened: ${reasonIn(message)}. Restore it from a backup, or name another folder.`
    default:
      return undefined
  }
}

/** Returns the part of a message that says why, without the path and the advice around it. */
function reasonIn(message: string): string {
  return /cannot be opened: (.*?)\.(?: |$)/.exec(message)?.[1] ?? message.replace(/\.$/, '')
}

function listenFailure(error: unknown, { host, port }: Settings): string | undefined {
  switch (codeOf(error, ['listen', 'getaddrinfo', 'bind'])) {
    case 'EADDRINUSE':
      return `PORT: port ${port} of ${host} is taken by another program. Stop that one, or set PORT to another port.`
    case 'EACCES':
      return `PORT: this user may not use port ${port}. Set PORT to one from 1024 on.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return `HOST: "${host}" is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all of them.`
    default:
      return undefined
  }
}

function folderFailure(error: unknown, { dataFolder }: Settings): string | undefined {
  switch (codeOf(error, ['mkdir', 'open', 'chmod'])) {
    case 'EEXIST':
      return `THROUGHLINE_DATA: ${dataFolder} is a file. Name a folder.`
    case 'ENOTDIR':
      return `THROUGHLINE_DATA: ${dataFolder} cannot be a folder, because a part of its path is a file. Name another one.`
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    // There is a folder where the database file should be.
    case 'EISDIR':
    // The folder exists, but no file can be created in it. Folders of the system, such as /proc, are like this.
    case 'ENOENT':
      return notWritable(dataFolder)
    case 'ENOSPC':
      return diskFull(dataFolder)
    default:
      return undefined
  }
}

function diskFull(folder: string): string {
  return `THROUGHLINE_DATA: the disk of ${folder} is full. Make room, or name a folder on another one.`
}

function notWritable(folder: string): string {
  return `THROUGHLINE_DATA: ${folder} cannot be written. Give this user the right to write there, or name another folder.`
}

/** Returns the code of an error of the operating system when it comes from one of these calls. */
function codeOf(error: unknown, calls: readonly string[]): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined
  return calls.includes(String(error.syscall)) ? String(error.code) : undefined
}
