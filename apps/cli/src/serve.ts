import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { hideSecrets } from '@throughline/agents/errors/hide-secrets'
import { ModelSettingError, modelFromEnv } from '@throughline/agents/models/model-from-env'
import { createServerLog } from '@throughline/server/server-log'
import { startServer } from '@throughline/server/start-server'
import { openStore } from '@throughline/store/open-store'
import { SqlError } from '@throughline/store/sql'
import { installedAgents } from './agents.ts'
import { installedChannels, isChannelProblem } from './channels.ts'
import { CommandError } from './command-error.ts'
import { loadConfig } from './config.ts'
import { knownSecrets } from './known-secrets.ts'
import { readOptions } from './options.ts'
import { SettingError, settingsFromEnv } from './settings.ts'
import type { Shell } from './shell.ts'

/** Runs until it is told to stop: that it has started is the end of the command, not of the process. */
export async function serveCommand(words: readonly string[], { env }: Shell): Promise<number> {
  const { positionals } = readOptions('serve', words, {})
  if (positionals.length > 0)
    throw new CommandError(
      '"throughline serve" takes its settings from the environment. See "throughline help serve".',
    )
  try {
    await start(env)
    return 0
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new CommandError(error.message)
  }
}

async function start(env: Shell['env']): Promise<void> {
  const { dataFolder, logLevel, ...settings } = settingsFromEnv(env)
  const choice = modelFromEnv(env)
  const { name } = choice
  const config = await loadConfig(process.cwd())
  const hide = hideSecrets(knownSecrets(env, config))
  const logger = createServerLog({ level: logLevel, hide })
  await using opened = new AsyncDisposableStack()
  const store = await openStore(dataFolder)
  opened.defer(() => store.close())
  const { closeTools, ...installation } = await installedAgents(config, choice, {
    env,
    report: problem => logger.warn(problem, 'An MCP server does not work as configured.'),
  })
  opened.defer(closeTools)
  const server = await startServer({
    ...settings,
    store,
    ...installation,
    channels: installedChannels(config),
    logger,
    pageFolder: builtPage(),
  })
  opened.defer(() => server.close())
  console.log(`Throughline listens at ${server.url} with the model ${name}; its data is in ${dataFolder}.`)
  if (name === 'demo') console.log('The demo model is scripted. Set THROUGHLINE_MODEL to use a real one.')

  // Closed in the opposite order: the store last.
  const running = opened.move()
  const stop = () => running.disposeAsync()
  // A second signal ends it at once: the listeners are gone by then.
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

function builtPage(): string | undefined {
  const folder = fileURLToPath(new URL('../../console/dist', import.meta.url))
  if (existsSync(folder)) return folder
  console.log('The page is not built, so only the HTTP interface is served. "npm start" builds it first.')
  return undefined
}

function isExpected(error: unknown): error is Error {
  if (isChannelProblem(error)) return true
  if (error instanceof SettingError || error instanceof ModelSettingError || error instanceof SqlError)
    return true
  return error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES')
}
