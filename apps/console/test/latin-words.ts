import type { Page } from 'playwright-core'

/** What is written in Latin letters in every language: names, units, keys and file formats. */
const names = new Set([
  ...['Throughline', 'English', 'JSON', 'Markdown', 'PDF', 'SQLite', 'Node', 'js', 'UTC', 'ID'],
  ...['Alt', 'Ctrl', 'K', 'I', 'B', 'KB', 'MB', 'ms', 's', 'x'],
  // Agents, and a page that one of them offers.
  ...['Assistant', 'Researcher', 'Checker', 'Clumsy', 'Writer', 'Example', 'Domain'],
  // A variable of prompts, and its values.
  ...['mode', 'settings', 'chat', 'browse'],
  // Settings of models, as the interfaces of models name them.
  ...['temperature', 'seed'],
])

/** What other people, agents and tools have written, and what the log has. */
const foreign = [
  ...['.prose', 'pre', 'code', 'kbd', 'textarea', 'option', 'h1', '[lang=en]', '[aria-hidden=true]'],
  ...['aside [role=option]', '[role=log]', '[data-preview]', '[data-source]'],
  ...['[data-text]', '[data-row]', '[data-sub-agent]', '[data-stage]', '[data-replay]', '[data-lane]'],
].join()

/** What the page adds to what others have written: the buttons of code and diagrams. */
const ownInForeign = '.prose button'

/**
 * Returns the Latin words that a person sees on the page, or hears: texts, labels, titles and placeholders. Leaves out
 * what people, agents and tools have written, and their names.
 */
export async function latinWords(page: Page): Promise<readonly string[]> {
  const texts = await page.evaluate(
    ([theirs, inTheirs]) => {
      const found: string[] = []
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const element = node instanceof Element ? node : node.parentElement
        if (element === null || !element.checkVisibility()) continue
        if (element.closest(theirs) !== null && element.closest(inTheirs) === null) continue
        if (!(node instanceof Element)) found.push(node.textContent ?? '')
        else
          for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
            found.push(node.getAttribute(name) ?? '')
      }
      return found
    },
    [foreign, ownInForeign] as const,
  )
  return texts.filter(text => wordsIn(text).some(word => !names.has(word)))
}

/**
 * Returns the Latin words of a text. Leaves out addresses, ids, times, types of chunks and names of models and variables,
 * such as `text-delta` and `agentName`.
 */
function wordsIn(text: string): readonly string[] {
  const withoutNames = text.replace(/https?:\S+|[A-Za-z]*[\d_:-][\w.:-]*|\b[a-z]+[A-Z]\w*/g, '')
  return withoutNames.match(/[A-Za-z]+/g) ?? []
}
