const namedEntity = /^&[a-z][a-z0-9]*;$/i

/** The browser's parser takes text only from a policy that the page allows. Not every browser has policies. */
interface HtmlPolicies {
  createPolicy(
    name: string,
    rules: { createHTML: (text: string) => string },
  ): { createHTML(text: string): string }
}

const policies: HtmlPolicies | undefined = Reflect.get(globalThis, 'trustedTypes')
const policy = policies?.createPolicy('throughline-entities', { createHTML: onlyEntity })

/**
 * Stands in for `decodeHTMLStrict` of the package `entities` in the built page: the browser has the table of HTML
 * entities already. Decodes one named entity, such as `&nbsp;`, as markdown-it asks for it. Returns every other text
 * as it is.
 *
 * @public markdown-it imports it, by the alias in vite.config.ts.
 */
export function decodeHTMLStrict(text: string): string {
  // Nothing but a name ever reaches the browser's parser.
  if (!namedEntity.test(text)) return text
  const field = document.createElement('textarea')
  field.innerHTML = policy?.createHTML(text) ?? text
  const decoded = field.value
  // The browser also decodes names that only begin with an entity: `&notin;` is one, `&notit;` becomes `¬it;`.
  // A whole entity includes its semicolon.
  return decoded.endsWith(';') && text !== '&semi;' ? text : decoded
}

function onlyEntity(text: string): string {
  return namedEntity.test(text) ? text : ''
}
