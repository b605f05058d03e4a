import { StartError } from '../start-error.ts'

/**
 * Throws a `StartError` for the first text that no browser sends as an `Origin`. Such an entry would never match, so its
 * pages would be refused without a reason that anybody can see.
 */
export function assertOrigins(origins: readonly string[]): void {
  for (const origin of origins) {
    const issue = issueOf(origin)
    if (issue !== undefined)
      throw new StartError('origins', `origins (THROUGHLINE_ORIGINS): ${JSON.stringify(origin)} ${issue}`)
  }
}

/** Returns what is wrong with an origin and what to write instead; `undefined` when it is right. */
function issueOf(origin: string): string | undefined {
  if (origin.includes('*'))
    return 'has a "*". Name every origin by itself, such as "https://app.example": these pages act for whoever has them open.'
  if (origin === 'null')
    return 'stands for every page without an origin, such as a file. Serve the page from an address, and write that.'
  const url = URL.parse(origin)
  if (url === null || !/^https?:\/\//i.test(origin)) return withoutScheme(origin)
  return url.origin === origin ? undefined : `is not an origin. Write ${JSON.stringify(url.origin)}.`
}

/** `localhost:5173` is a URL too, with the scheme `localhost:`. So the text is tried as the name of a host. */
function withoutScheme(text: string): string {
  const isOtherScheme = /^[a-z][\w+.-]*:\/\//i.test(text)
  const url = isOtherScheme ? null : URL.parse(`https://${text}`)
  return url === null || url.hostname === ''
    ? 'is not an origin. Write a scheme and a host, such as "https://app.example" or "http://localhost:5173".'
    : `has no scheme. Write ${JSON.stringify(url.origin)} or ${JSON.stringify(`http://${url.host}`)}.`
}
