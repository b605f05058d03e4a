import { startServer } from '@throughline/server'
import { CommandError } from './command-error.ts'
import { sizesText } from './compact/sizes-text.ts'
import { loadConfig } from './config/load-config.ts'
import { install } from './install.ts'
import { readOptions } from './options.ts'
import { pageFolder } from './page-folder.ts'
import { SettingError } from './setting-error.ts'
import { type Settings, settingsFromEnv } from './settings.ts'
import type { Shell } from './shell.ts'
import { startFailure } from './start-failure.ts'

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
  const server = await startServer({ ...options, host, port, metricsAt })
  opened.defer(() => server.close())
  // From here on, `stop` closes everything, in reverse order: the store last.
  const running = opened.move()
  const stop = () => running.disposeAsync()
  // `once`: a second signal finds no listener, and ends the process at once.
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  // A terminal that closes sends it, maybe to this process and to one that passes it on.
  process.on('SIGHUP', stop)

  if (server.metricsUrl !== undefined) console.log(`Metrics for Prometheus are at ${server.metricsUrl}.`)
  // Printed last: a program that reads this line may send a signal right away.
  const url = `${server.url}${config.basePath ?? ''}`
  console.log(
    `Throughline listens at ${url} with the model ${model.name}; its data is in ${dataPlace(settings)} (${sizes}), the files of chats in ${options.store.files.location}.`,
  )
  if (model.name === 'demo')
    console.log('The demo model is scripted. Set THROUGHLINE_MODEL to use a real one.')
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
