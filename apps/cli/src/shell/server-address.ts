import { CommandError } from './command.ts'

/** Where a server is, and the headers of every request to it. */
export interface ServerAddress {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** The options of every command that talks to a server. */
export const serverOptions = {
  url: { type: 'string' },
  token: { type: 'string' },
} as const

/**
 * Returns the address of the server, and the headers that say who is asking. The token may come from the environment,
 * where the list of processes does not show it. Throws a `CommandError` when the address is not valid.
 */
export function serverAddress(
  { url = 'http://127.0.0.1:4000', token }: { readonly url?: string; readonly token?: string },
  env: Readonly<Record<string, string | undefined>>,
): ServerAddress {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new CommandError(`--url: "${url}" is no address. Use one such as http://127.0.0.1:4000.`)
  const secret = token || env['THROUGHLINE_TOKEN']
  return {
    url: url.replace(/\/+$/, ''),
    headers: secret ? { authorization: `Bearer ${secret}` } : {},
  }
}
