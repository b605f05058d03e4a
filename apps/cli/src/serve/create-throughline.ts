import {
  createThroughline as createFromParts,
  type ThroughlineOptions as Parts,
  type Throughline,
} from '@throughline/server'
import { assertConfig } from '../config/check-config.ts'
import type { Config } from '../config/config.ts'
import { withSecretFiles } from '../settings/secret-files.ts'
import { SettingError } from '../settings/setting-error.ts'
import { settingsFromEnv } from '../settings/settings.ts'
import { install } from './install.ts'
import { pageFolder } from './page-folder.ts'

/** The options of `createThroughline`: those of a `throughline.config.ts`, and how it lives in your application. */
export interface ThroughlineOptions extends Omit<Config, 'page'> {
  /**
   * The folder for chats, logs and files. Only one process may use it. Not used with Postgres. Default:
   * `THROUGHLINE_DATA`, or `./data`.
   */
  readonly data?: string
  /**
   * The URL of a Postgres database for chats, logs and files. Any number of processes may use it. `false`: SQLite in
   * the folder `data`. Default: `DATABASE_URL`, or SQLite.
   */
  readonly database?: string | false
  /** The host names of your server, besides the loopback names. Requests to other names are refused. */
  readonly hosts?: readonly string[]
  /**
   * Whether the page of Throughline is served, too; or the folder of your own page, built. Default: the page of
   * Throughline, and only if there is a `basePath`.
   */
  readonly page?: boolean | string
  /** What it counts and measures: see `createMetrics`. Default: nothing. */
  readonly metrics?: Parts['metrics']
  /** A logger of pino. Default: warnings and errors are written to the standard output. */
  readonly logger?: Parts['logger']
  /** Where keys and settings are read from. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/**
 * Makes a Throughline that your application serves itself: it does not listen. It has everything that
 * `throughline serve` has: the model and the keys from the environment, the built-in tools, and what the options add.
 * First takes over the runs that an earlier process left unfinished. Throws a `SettingError`, a `StartError` or a `SqlError`
 * when it cannot start; the message says what to do.
 *
 * @public
 */
export async function createThroughline({
  data,
  database,
  hosts = [],
  page,
  logger,
  metrics,
  env: given = process.env,
  ...config
}: ThroughlineOptions = {}): Promise<Throughline> {
  const env = withSecretFiles(given)
  assertOptions(config)
  const settings = settingsFromEnv(database === undefined ? env : { ...env, ...databaseEnv(database) })
  const wantedPage = page ?? config.basePath !== undefined
  const folder = pageFolder(wantedPage)
  const installation = await install(config, {
    ...settings,
    env,
    logger,
    dataFolder: data ?? settings.dataFolder,
    hosts: [...settings.hosts, ...hosts],
    logLevel: env['THROUGHLINE_LOG'] ? settings.logLevel : 'warn',
    pageFolder: folder,
  })
  if (wantedPage !== false && folder === undefined) installation.options.logger?.warn(missingPage(wantedPage))
  try {
    const throughline = await createFromParts({ ...installation.options, metrics })
    const close = async () => {
      await throughline.close()
      await installation.close()
    }
    return { ...throughline, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await installation.close()
    throw error
  }
}

function missingPage(wanted: true | string): string {
  if (wanted === true)
    return 'The files of the page are not here, so only the HTTP interface is served. If a framework has copied what your application uses, let it copy the folder dist/page of the package "throughline", too. Without a page, set page: false.'
  return `There is no page in the folder "${wanted}", so only the HTTP interface is served. Build the page, and start again, or set page: false.`
}

/** The variables that stand for the option `database`. */
function databaseEnv(database: string | false): Readonly<Record<string, string>> {
  return database === false
    ? { DATABASE_URL: '', DATABASE_LISTEN_URL: '' }
    : { DATABASE_URL: database, DATABASE_LISTEN_URL: '' }
}

/** The same checks as for a `throughline.config.ts`. Its name would be wrong here. */
function assertOptions(config: Config): void {
  try {
    assertConfig(config)
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    throw new SettingError('createThroughline', error.problem)
  }
}
