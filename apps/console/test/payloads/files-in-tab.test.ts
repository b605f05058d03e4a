import { isChatId } from '@throughline/protocol'
import { pictureBytes } from '@throughline/testing/browser/picture'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { idOf } from '@throughline/testing/log/id-of'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import { openConsole } from '../open-console.ts'
import { savePayloadChat } from './save-payload-chat.ts'
import { watchHarm } from './watch-harm.ts'

const script = '<script>hit(1)</script><img src=x onerror=hit(2)><img src="https://leak.example/x.png">'
const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="hit(3)"><script>hit(4)</script></svg>'
const pdf =
  '%PDF-1.4\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1);hit(5))>>>>endobj\ntrailer<</Root 1 0 R>>'

/** What the browser does with a file that is opened as a page: shows it, saves it, or finds nothing. */
const files = [
  ['image/png', Buffer.concat([pictureBytes, Buffer.from(script)]), 'shown'],
  ['image/gif', Buffer.from(`GIF89a/*${script}*/=1;hit(6)`), 'shown'],
  ['image/jpeg', Buffer.from(script), 'shown'],
  ['image/webp', Buffer.from(svg), 'shown'],
  ['application/pdf', Buffer.from(pdf), 'saved'],
  ['text/plain', Buffer.from(script), 'saved'],
  ['text/markdown', Buffer.from(script), 'saved'],
  ['text/csv', Buffer.from(`=cmd|'/c calc'!A1,${script}`), 'saved'],
  ['application/json', Buffer.from(JSON.stringify({ script })), 'saved'],
  // No way leads to these in the store. If one is found some day, they are still not served.
  ['text/html', Buffer.from(script), 'nothing'],
  ['image/svg+xml', Buffer.from(svg), 'nothing'],
  [
    'application/xhtml+xml',
    Buffer.from(`<html xmlns="http://www.w3.org/1999/xhtml">${script}</html>`),
    'nothing',
  ],
  ['text/xml', Buffer.from(`<?xml-stylesheet href="https://leak.example/x.xsl"?>${svg}`), 'nothing'],
  ['text/javascript', Buffer.from('hit(7)'), 'nothing'],
  ['text/css', Buffer.from('@import url(https://leak.example/x.css)'), 'nothing'],
] as const

test('a file of a chat that is opened as a page runs no script and sends no request, whatever is in it', async () => {
  await using chromium = await sharedBrowser()
  await using opened = await openConsole(chromium, {})
  const { page, server } = opened
  const harm = await watchHarm(page, server.url)
  const chat = { ownerId: ownerIdOf('local'), chatId: idOf(isChatId, 'files') }
  await savePayloadChat(server.store, chat.chatId, [{ number: 0, text: 'Files', address: '' }])
  for (const [mediaType, bytes, expected] of files) {
    const id = await server.store.files.keep(chat, { mediaType, bytes, at: new Date().toISOString() })
    const address = `${server.url}/api/chats/files/files/${id}`
    const response = await fetch(address)
    const found = response.ok
      ? response.headers.get('content-disposition')?.startsWith('attachment')
        ? 'saved'
        : 'shown'
      : 'nothing'
    expect([mediaType, found]).toEqual([mediaType, expected])
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    // The browser ends the navigation to a file that it saves with an error.
    await page.goto(address).catch(() => undefined)
    await page.goto(`${server.url}/icon.svg`)
  }
  // The console also has what the browser says about its own viewer of pictures, which obeys the policy of the file.
  const isHarm = (each: string) => /^(script|request|dialog|new tab|socket|error)/.test(each)
  expect(harm.filter(isHarm)).toEqual([])
  expect(harm.filter(each => each.startsWith('download')).length).toBe(
    files.filter(([, , expected]) => expected === 'saved').length,
  )
})
