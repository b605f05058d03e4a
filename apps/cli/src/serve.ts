import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defaultAgent } from '@throughline/agents/default-agent'
import { ModelSettingError, modelFromEnv } from '@throughline/agents/models/model-from-env'
import { startServer } from '@throughline/server/start-server'
import { openStore } from '@throughline/store/open-store'
import { SqlError } from '@throughline/store/sql'
import { pino } from 'pino'
import { SettingError, settingsFromEnv } from './settings.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Runs until it is told to stop. */
export async function serve(env: Environment): Promise<void> {
  try {
    await start(env)
  } catch (error) {
    if (!isExpected(error)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

async function start(env: Environment): Promise<void> {
  const { dataFolder, logLevel, ...settings } = settingsFromEnv(env)
  const { name, model } = modelFromEnv(env)
  const logger = pino({ level: logLevel })
  const store = await openStore(dataFolder)
  const server = await startServer({
    ...settings,
    store,
    agents: [defaultAgent(model, name === 'demo' ? { examples: demoExamples } : {})],
    logger,
    pageFolder: builtPage(),
  }).catch(async error => {
    await store.close()
    throw error
  })
  console.log(`Throughline listens at ${server.url} with the model ${name}; its data is in ${dataFolder}.`)
  if (name === 'demo') console.log('The demo model is scripted. Set THROUGHLINE_MODEL to use a real one.')

  const stop = async () => {
    await server.close()
    await store.close()
  }
  // A second signal ends it at once: the listeners are gone by then.
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

/** One for each thing worth seeing; the demo model knows what to do with them. */
const demoExamples = [
  'What can you show me? (help)',
  'What is the weather in Lisbon?',
  'Use several tools at once',
  'Think before you answer',
  'Show me markdown with code and a table',
  '你好，北京天气怎么样？',
]

function builtPage(): string | undefined {
  const folder = fileURLToPath(new URL('../../console/dist', import.meta.url))
  if (existsSync(folder)) return folder
  console.log('The page is not built, so only the HTTP interface is served. "npm start" builds it first.')
  return undefined
}

function isExpected(error: unknown): error is Error {
  if (error instanceof SettingError || error instanceof ModelSettingError || error instanceof SqlError)
    return true
  return error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES')
}
