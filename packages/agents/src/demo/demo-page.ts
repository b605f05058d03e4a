import { createServer } from 'node:http'

export interface DemoPage {
  readonly url: string
  /** The host and port, in the form of `allowHosts`. */
  readonly host: string
  close(): Promise<void>
}

/**
 * Starts a server with a page that has a form, for the browser of the demo. It is a server of its own: a browser that agents
 * control must not reach the server in which they run.
 */
export async function startDemoPage(): Promise<DemoPage> {
  const server = createServer(({ url = '/' }, response) => {
    const name = URL.parse(url, 'http://page.invalid')?.searchParams.get('name')
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .setHeader(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
      )
      .end(typeof name === 'string' ? greeting(name.slice(0, 100)) : form)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  // This server alone must not keep the process alive.
  server.unref()
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://${host}/`, host, close }
}

const form = page(
  'Demo form',
  `<h1>Who is there?</h1>
  <form><label>Name <input name="name" required maxlength="100"></label> <button>Say hello</button></form>`,
)

function greeting(name: string): string {
  return page('Hello', `<h1>Hello, ${escaped(name)}!</h1><p>The form has arrived.</p>`)
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${title}</title>
<style>body { font: 1.25rem/1.6 system-ui, sans-serif; max-width: 36rem; margin: 4rem auto } input, button { font: inherit }</style>
${body}
</html>
`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
