import { existsSync } from 'node:fs'
import { helpOn } from './help.ts'
import { withSecretFiles } from './settings/secret-files.ts'
import { SettingError } from './settings/setting-error.ts'
import { CommandError } from './shell/command.ts'
import { processShell, type Shell, whenReaderLeaves } from './shell/shell.ts'

type Command = (words: readonly string[], shell: Shell) => Promise<number>

// Each command is imported when it is needed. The server takes a second to load, and `chat` does not need it.
const commands: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['serve', async () => (await import('./serve/serve-command.ts')).serveCommand],
  ['chat', async () => (await import('./chat/chat-command.ts')).chatCommand],
  ['replay', async () => (await import('./replay/replay-command.ts')).replayCommand],
  ['backup', async () => (await import('./maintenance/backup-command.ts')).backupCommand],
  ['compact', async () => (await import('./maintenance/compact-command.ts')).compactCommand],
  ['renew', async () => (await import('./maintenance/renew-command.ts')).renewCommand],
  ['migrate', async () => (await import('./maintenance/migrate-command.ts')).migrateCommand],
  ['conformance', async () => (await import('./conformance/conformance-command.ts')).conformanceCommand],
])

/** Runs a command, and sets the exit code. The process ends when nothing is left to do. */
export async function main(words: readonly string[], env: Shell['env']): Promise<void> {
  const [name = ''] = words
  // These have more to do than to print: a server serves, and the checks delete their chats.
  whenReaderLeaves(
    ['serve', 'backup', 'compact', 'renew', 'migrate', 'conformance'].includes(name) ? 'go-on' : 'exit',
  )
  // These must find the data and the files where `serve` keeps them.
  if (['serve', 'replay', 'backup', 'compact', 'renew', 'migrate'].includes(name)) readEnvFile()
  const shell = processShell(env)
  process.exitCode = readSecretFiles(shell) ? await run(words, shell) : 1
}

/**
 * Reads the file `.env` of the folder into `process.env`, if there is one. A variable that is set already keeps its value.
 * The configuration file and the tools find the variables there, too.
 */
function readEnvFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env')
}

/**
 * Reads the secrets that are in files into `process.env`. The configuration file and the libraries of providers find
 * them there, too. Returns false, and says why, when that is not possible.
 */
function readSecretFiles({ errors }: Shell): boolean {
  try {
    const secrets = withSecretFiles(process.env)
    for (const name of Object.keys(process.env)) if (!(name in secrets)) delete process.env[name]
    Object.assign(process.env, secrets)
    return true
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    errors.write(`${error.message}\n`)
    return false
  }
}

/** Runs a command, and returns its exit code. A `CommandError` is printed without a stack; other errors are thrown. */
export async function run(words: readonly string[], shell: Shell): Promise<number> {
  try {
    return await dispatch(words, shell)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    shell.errors.write(`${error.message}\n`)
    return 1
  }
}

async function dispatch([name = 'help', ...rest]: readonly string[], shell: Shell): Promise<number> {
  const isHelp = ['help', '--help', '-h'].includes(name)
  const loadCommand = commands.get(name)
  if (isHelp || loadCommand === undefined) return help(isHelp ? rest[0] : name, shell)
  // Words after "--" are a message, even if they look like options.
  const options = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest
  if (options.includes('--help') || options.includes('-h')) return help(name, shell)
  const command = await loadCommand()
  return command(rest, shell)
}

function help(name: string | undefined, shell: Shell): number {
  const text = helpOn(name)
  if (text === undefined) throw new CommandError(`There is no command "${name}".\n\n${helpOn(undefined)}`)
  shell.output.write(`${text}\n`)
  return 0
}
