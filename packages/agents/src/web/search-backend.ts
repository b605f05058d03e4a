import { shorten } from '@throughline/protocol/internal'
import { z } from 'zod'
import { type GuardedFetchOptions, guardedFetch } from './guard/guarded-request.ts'
import { WebAccessError } from './guard/web-access-error.ts'
import { withoutTags } from './html-to-text.ts'
import { withoutInvisible } from './without-invisible.ts'

/** One hit. All texts are plain text; `url` is http or https. */
export type SearchResult = { readonly title: string; readonly url: string; readonly snippet: string }

/** Returns up to `count` hits, the best first. Throws a `WebAccessError`, which never contains the API key. */
export type SearchBackend = (
  query: string,
  count: number,
  signal?: AbortSignal,
) => Promise<readonly SearchResult[]>

/** Which search engine is used. Without `baseUrl`, the public address of the engine is used. */
export type SearchConfig =
  | { readonly provider: 'searxng'; readonly baseUrl: string }
  | { readonly provider: 'brave'; readonly apiKey: string; readonly baseUrl?: string | undefined }
  | { readonly provider: 'tavily'; readonly apiKey: string; readonly baseUrl?: string | undefined }

/** How the requests to the search engine are sent. */
export type SearchRequestOptions = Pick<
  GuardedFetchOptions,
  'timeoutMs' | 'maxBytes' | 'resolve' | 'connect' | 'ownAddresses' | 'ca'
>

/** Returns the search function of one engine. Throws a `TypeError` if `baseUrl` is not a URL. */
export function searchBackend(config: SearchConfig, options: SearchRequestOptions = {}): SearchBackend {
  // The operator configured the base URL. With it, the operator also allows its host, which may be a private one.
  const allowHosts = config.baseUrl === undefined ? [] : [new URL(config.baseUrl).host]
  const provider = providers[config.provider]
  const label = provider.label
  return async (query, count, signal) => {
    const { url, ...request } = requestFor(config, query, count)
    const fetched = await guardedFetch(url, { ...options, ...request, allowHosts, signal }).catch(error => {
      throw explained(error, config.provider)
    })
    const results = provider.results.safeParse(jsonOf(fetched.body))
    if (!results.success)
      throw new WebAccessError('invalid-answer', `${label} sent a response in an unknown form.`)
    return results.data.flatMap(validResult).slice(0, count)
  }
}

const rawResults = z.array(z.unknown())
const contentResults = z.object({ results: rawResults }).transform(({ results }) => results)

// For each engine: its name for people, and a schema that takes the hits out of its response.
const providers = {
  searxng: { label: 'SearXNG', results: contentResults },
  brave: {
    label: 'Brave Search',
    // If there are no hits, the response has no "web".
    results: z
      .object({ web: z.object({ results: rawResults }).optional() })
      .transform(({ web }) => web?.results ?? []),
  },
  tavily: { label: 'Tavily', results: contentResults },
} as const

type SearchRequest = Pick<GuardedFetchOptions, 'headers' | 'body'> & { readonly url: string }

function requestFor(config: SearchConfig, query: string, count: number): SearchRequest {
  switch (config.provider) {
    case 'searxng':
      return { url: endpoint(config.baseUrl, 'search', { q: query, format: 'json' }) }
    case 'brave': {
      const base = config.baseUrl ?? 'https://api.search.brave.com/res/v1'
      const parameters = { q: query, count: String(count), text_decorations: 'false' }
      return {
        url: endpoint(base, 'web/search', parameters),
        headers: { accept: 'application/json', 'x-subscription-token': config.apiKey },
      }
    }
    case 'tavily':
      return {
        url: endpoint(config.baseUrl ?? 'https://api.tavily.com', 'search', {}),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${config.apiKey}` },
        body: JSON.stringify({ query, max_results: count }),
      }
    default:
      return config satisfies never
  }
}

function endpoint(baseUrl: string, path: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(path, baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    // The schema refuses undefined. The error of the parser is not used, because it would quote the body.
    return undefined
  }
}

const maxTitleLength = 200
const maxSnippetLength = 500
const maxUrlLength = 2048

const result = z
  .object({
    title: z.string().nullish(),
    url: z.string().max(maxUrlLength),
    // The snippet is "content" in SearXNG and Tavily, and "description" in Brave.
    content: z.string().nullish(),
    description: z.string().nullish(),
  })
  .transform(({ title, url, content, description }) => ({
    title: plainText(title, maxTitleLength),
    url,
    snippet: plainText(content ?? description, maxSnippetLength),
  }))

// Returns an empty list for a bad hit, so that the others are not lost.
function validResult(value: unknown): readonly SearchResult[] {
  const parsed = result.safeParse(value)
  if (!parsed.success) return []
  const url = URL.parse(parsed.data.url)
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (!isWeb || url.username !== '' || url.password !== '') return []
  return [{ ...parsed.data, title: parsed.data.title || url.hostname, url: url.href }]
}

function plainText(html: string | null | undefined, maxLength: number): string {
  // Cut first, so that a huge text is not parsed. The factor leaves room for tags and entities.
  const text = withoutInvisible(withoutTags((html ?? '').slice(0, maxLength * 4)))
  // The first cut, or the search engine itself, may have left half of a surrogate pair.
  return shorten(text, maxLength).toWellFormed()
}

/** Returns the error with the name of the search engine, and with advice for the operator. */
function explained(error: unknown, provider: SearchConfig['provider']): unknown {
  if (!(error instanceof WebAccessError)) return error
  const { label } = providers[provider]
  const advice = error.status === undefined ? '' : adviceFor(error.status, provider)
  return new WebAccessError(error.code, `${label}: ${error.message}${advice}`, error.status)
}

function adviceFor(status: number, provider: SearchConfig['provider']): string {
  if (status === 403 && provider === 'searxng') {
    return ' Its JSON output is probably off: the operator adds "json" to search.formats in its settings.yml.'
  }
  if (status === 401 || status === 403) return ' The operator should check its API key.'
  if (status === 429) return ' It limits how often it is asked; try again later.'
  return ''
}
