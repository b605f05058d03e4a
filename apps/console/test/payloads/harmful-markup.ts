import type { Page } from 'playwright-core'

/**
 * Returns the elements on a page that only a payload can have made, as HTML. The policy of the page keeps them from
 * doing anything, but they must not be there at all.
 */
export function harmfulMarkup(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const never =
      'script, object, embed, applet, meta, base, link, style, frame, frameset, portal, foreignObject, use, image, animate, set'
    const isHarmful = (element: Element) => {
      const { tagName } = element
      if (element.matches(never)) return true
      // A frame may show something only if it can neither run scripts of the page nor reach it.
      if (tagName === 'IFRAME')
        return element.getAttribute('sandbox')?.includes('allow-same-origin') !== false
      return [...element.attributes].some(({ name, value }) => {
        if (/^on/.test(name) || name === 'srcdoc' || name === 'ping') return true
        if (name === 'style') return /url\(|expression|import/i.test(value)
        if (/^(src|srcset|poster|background|data|action|formaction)$/.test(name))
          return !/^(blob:|data:image\/|\/)/.test(value)
        if (name === 'href' || name === 'xlink:href')
          return !/^(https?:|mailto:|#|\/)/i.test(value) || (tagName !== 'A' && tagName !== 'a')
        return false
      })
    }
    return [...document.body.querySelectorAll('*')]
      .filter(element => !element.matches('body > script[src]') && isHarmful(element))
      .map(element => element.outerHTML.slice(0, 300))
  })
}
