import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { hideSecrets } from '@throughline/agents/errors/hide-secrets'
import { modelFromEnv } from '@throughline/agents/models/model-from-env'
import { createServerLog } from '@throughline/server/server-log'
import { startServer } from '@throughline/server/start-server'
import { openStore } from '@throughline/store/open-store'
import { installedAgents } from './agents.ts'
import { installedChannels } from './channels.ts'
import { CommandError } from './command-error.ts'
import { loadConfig } from './config/load-config.ts'
import { knownSecrets } from './known-secrets.ts'
import { readOptions } from './options.ts'
import { SettingError, type Settings, settingsFromEnv } from './settings.ts'
import type { Shell } from './shell.ts'
import { startFailure } from './start-failure.ts'

/**
 * Starts the server. Returns when it listens; the process goes on until it gets SIGINT or SIGTERM. Throws a
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

async function start(env: Shell['env'], { dataFolder, logLevel, ...settings }: Settings): Promise<void> {
  const choice = modelFromEnv(env)
  const { name } = choice
  const config = await loadConfig(process.cwd())
  const { heartbeatMs, ...batching } = config.stream ?? {}
  const channels = installedChannels(config, settings)
  const hide = hideSecrets(knownSecrets(env, config))
  const logger = createServerLog({ level: logLevel, hide })
  if (env['THROUGHLINE_TOKEN'] && settings.tokens.size === 0)
    logger.warn(
      'THROUGHLINE_TOKEN is for clients. To ask for tokens here, set THROUGHLINE_TOKENS=user:token,...',
    )
  await using opened = new AsyncDisposableStack()
  const store = await openStore(dataFolder, { report: problem => logger.warn(problem) })
  opened.defer(() => store.close())
  const { closeTools, ...installation } = await installedAgents(config, choice, {
    env,
    hideSecrets: hide,
    warn: message => logger.warn(message),
    report: problem => logger.warn(problem, 'An MCP server does not work as configured.'),
    note: sentence => logger.info(sentence),
  })
  opened.defer(closeTools)
  const server = await startServer({
    ...settings,
    authenticate: config.authenticate,
    ticketMs: config.ticketMs,
    origins: [...settings.origins, ...(config.origins ?? [])],
    store,
    ...installation,
    channels,
    batching,
    heartbeatMs,
    logger,
    pageFolder: builtPage(),
  })
  opened.defer(() => server.close())
  // From here on, `stop` closes everything, in reverse order: the store last.
  const running = opened.move()
  const stop = () => running.disposeAsync()
  // `once`: a second signal finds no listener, and ends the process at once.
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)

  // Printed last: a program that reads this line may send a signal right away.
  console.log(`Throughline listens at ${server.url} with the model ${name}; its data is in ${dataFolder}.`)
  if (name === 'demo') console.log('The demo model is scripted. Set THROUGHLINE_MODEL to use a real one.')
}

function builtPage(): string | undefined {
  const folder = fileURLToPath(new URL('../../console/dist', import.meta.url))
  if (existsSync(folder)) return folder
  console.log('The page is not built, so only the HTTP interface is served. "npm start" builds it first.')
  return undefined
}
