import { ModelSettingError, SearchSettingError } from '@throughline/agents/internal'
import { ChannelError } from '@throughline/channels'
import { type RunningServer, StartError, startServer } from '@throughline/server'
import { SqlError } from '@throughline/store'
import { loadConfig } from '../config/load-config.ts'
import { SettingError } from '../settings/setting-error.ts'
import { type Settings, settingsFromEnv } from '../settings/settings.ts'
import { CommandError, readOptions } from '../shell/command.ts'
import type { Shell } from '../shell/shell.ts'
import { sizesText } from '../text/units.ts'
import { install } from './install.ts'
import { pageFolder } from './page-folder.ts'

/**
 * Starts the server. Returns when it listens; the process goes on until it gets SIGINT, SIGTERM or SIGHUP. Throws a
 * `CommandError` when the server cannot start for a reason that a person can mend.
 */
export async function serveCommand(words: readonly string[], { env }: Shell): Promise<number> {
  const { positionals } = readOptions('serve', words, {})
  if (positionals.length > 0)
    throw new CommandError(
      '"throughline serve" takes its settings from the environment. See "throughline help serve".',
    )
  const settings = settingsOrRefusal(env)
  try {
    await start(env, settings)
    return 0
  } catch (error) {
    throw startFailure(error, settings) ?? error
  }
}

function settingsOrRefusal(env: Shell['env']): Settings {
  try {
    return settingsFromEnv(env)
  } catch (error) {
    throw error instanceof SettingError ? new CommandError(error.message) : error
  }
}

async function start(env: Shell['env'], settings: Settings): Promise<void> {
  const config = await loadConfig(process.cwd())
  const page = pageFolder(config.page ?? true)
  const { options, model, close } = await install(config, { ...settings, env, pageFolder: page })
  await using opened = new AsyncDisposableStack()
  opened.defer(close)
  const sizes = sizesText(await options.store.sizes())
  if (env['THROUGHLINE_TOKEN'] && settings.tokens.size === 0)
    options.logger?.warn(
      'THROUGHLINE_TOKEN is for clients. To ask for tokens here, set THROUGHLINE_TOKENS=user:token,...',
    )
  if (page === undefined) console.log(withoutPage(config.page, env['NODE_ENV'] === 'development'))
  const { host, port, metricsAt } = settings
  // The server takes over runs before it listens.
  const signals = listenForSignals()
  const server = await startServer({ ...options, host, port, metricsAt })
  opened.defer(() => server.close())
  // From here on, `stop` closes everything, in reverse order: the store last.
  const running = opened.move()
  signals.started({ server, stop: () => running.disposeAsync() })

  if (server.metricsUrl !== undefined) console.log(`Metrics for Prometheus are at ${server.metricsUrl}.`)
  // Printed last: a program that reads this line may send a signal right away.
  const url = `${server.url}${config.basePath ?? ''}`
  console.log(
    `Throughline listens at ${url} with the model ${model.name}; its data is in ${dataPlace(settings)} (${sizes}), the files of chats in ${options.store.files.location}.`,
  )
  if (model.name === 'demo')
    console.log('The demo model is scripted. Set THROUGHLINE_MODEL to use a real one.')
}

interface Started {
  readonly server: RunningServer
  readonly stop: () => Promise<void>
}

/**
 * Stops at a signal. A second one during the drain ends the drain, and one after it ends the process at once. A signal that comes
 * before `started` is called counts from then on, and a second one before that ends the process at once.
 */
function listenForSignals(): { readonly started: (started: Started) => void } {
  const { promise, resolve } = Promise.withResolvers<Started>()
  const signals = ['SIGTERM', 'SIGINT'] as const
  async function begin() {
    for (const signal of signals) process.off(signal, begin)
    const { server, stop } = await promise
    const hurry = () => void server.close()
    for (const signal of signals) process.once(signal, hurry)
    await server.drain()
    for (const signal of signals) process.off(signal, hurry)
    await stop()
  }
  for (const signal of signals) process.once(signal, begin)
  // A terminal that closes sends it, maybe to this process and to one that passes it on.
  process.on('SIGHUP', async () => (await promise).stop())
  return { started: resolve }
}

function dataPlace({ dataFolder, postgres }: Settings): string {
  if (postgres === undefined) return dataFolder
  const { hostname, port, pathname } = new URL(postgres.url)
  return `the Postgres database ${pathname.slice(1)} on ${hostname}:${port || '5432'}`
}

function withoutPage(own: string | undefined, isDevelopment: boolean): string {
  if (own === undefined)
    return 'The page is not built, so only the HTTP interface is served. "npm start" builds it first.'
  // Then another server has the page, and no built one is needed.
  if (isDevelopment)
    return 'In development, the page comes from its own server. This one has the HTTP interface.'
  return `There is no page in the folder "${own}" yet, so only the HTTP interface is served. Build the page, and start again.`
}

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
