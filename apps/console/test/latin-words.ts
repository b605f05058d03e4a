import type { Page } from 'playwright-core'

/** What is written in Latin letters in every language: names, units, keys and file formats. */
const names = new Set(
  'Throughline English JSON Markdown Alt Ctrl K I B KB MB ms s x Assistant Researcher Checker'.split(' '),
)

/** What other people, agents and tools have written, and what the log has. */
const foreign = [
  ...['.prose', 'pre', 'code', 'h1', 'option', '[lang=en]', '[aria-hidden=true]', '[role=log]'],
  ...['article [role=alert]', 'aside [role=option]'],
  ...['[data-text]', '[data-row]', '[data-sub-agent]', '[data-stage]', '[data-replay]', '[data-lane]'],
].join()

/**
 * Returns the Latin words that a person sees on the page, or hears: texts, labels, titles and placeholders. Leaves out
 * what people, agents and tools have written, and their names.
 */
export async function latinWords(page: Page): Promise<readonly string[]> {
  const texts = await page.evaluate(theirs => {
    const found: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node instanceof Element ? node : node.parentElement
      if (element === null || element.closest(theirs) !== null || !element.checkVisibility()) continue
      if (!(node instanceof Element)) found.push(node.textContent ?? '')
      else
        for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
          found.push(node.getAttribute(name) ?? '')
    }
    return found
  }, foreign)
  return texts.filter(text => wordsIn(text).some(word => !names.has(word)))
}

/** Returns the Latin words of a text. Leaves out ids, times, types of chunks and names of models, such as `text-delta`. */
function wordsIn(text: string): readonly string[] {
  return text.replace(/[A-Za-z]*[\d_:-][\w.:-]*/g, '').match(/[A-Za-z]+/g) ?? []
}
