import type { Page } from 'playwright-core'

/**
 * Watches a page before it is opened. Returns a list to which everything is added that no text may do: run a script,
 * ask another host, open a tab or a dialog, save a file, violate the policy of the page, or cause an error. Requests
 * to other hosts are not sent, wherever they come from.
 */
export async function watchHarm(page: Page, serverUrl: string): Promise<readonly string[]> {
  const found: string[] = []
  const context = page.context()
  await context.exposeBinding('reportHarm', (_, harm: string) => void found.push(harm))
  await context.addInitScript(reportScripts)
  // Pictures that the page itself has made are no requests to a host.
  await context.route(
    ({ href }) => !href.startsWith(serverUrl) && !/^(blob|data):/.test(href),
    route => {
      found.push(`request for ${route.request().url()}`)
      return route.abort()
    },
  )
  context.on('page', tab => {
    found.push(`new tab ${tab.url()}`)
  })
  page.on('dialog', dialog => {
    found.push(`dialog ${dialog.message()}`)
    return dialog.dismiss()
  })
  page.on('framenavigated', frame => {
    if (frame === page.mainFrame() && !frame.url().startsWith(serverUrl)) found.push(`address ${frame.url()}`)
  })
  page.on('download', download => found.push(`download ${download.url()}`))
  page.on('websocket', socket => found.push(`socket ${socket.url()}`))
  page.on('pageerror', error => found.push(`error ${error}`))
  page.on('console', message => {
    const { url } = message.location()
    // Diagrams are drawn in an iframe without an origin, whose policy refuses everything. That it does so is no harm.
    const isOfSandbox = url.startsWith(`${serverUrl}/sandbox/`) || url.startsWith('blob:null/')
    if (message.type() === 'error' && !isOfSandbox) found.push(`console ${message.text()} (${url})`)
  })
  return found
}

/** Runs in the page, before its own scripts. The payloads call `hit` with their number. */
function reportScripts(): void {
  const report: unknown = Reflect.get(globalThis, 'reportHarm')
  const say = (text: string) => {
    if (typeof report === 'function') report(text)
  }
  // Some encodings change the case of letters.
  for (const name of ['hit', 'HIT', 'Hit', 'hIt', 'hiT', 'HIt', 'HiT', 'hIT'])
    Reflect.set(globalThis, name, (number: unknown) => say(`script of payload ${number}`))
  // As above: not in the iframe of diagrams.
  if (globalThis.self !== globalThis.top) return
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
    say(`violation of ${violatedDirective}: ${blockedURI} ${sample}`),
  )
}
