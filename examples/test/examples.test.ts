import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { heldAgent, say, weatherCall } from '@throughline/testing/agent/scripted-agent'
import { launchBrowser, type TestBrowser } from '@throughline/testing/browser/browser'
import { encodeQuery, weatherQuery } from '@throughline/testing/http/query-event-samples'
import { asksApproval } from '@throughline/testing/server/waiting-call'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openExample } from './open-example.ts'

// The server's agent says the same in all of them.
const answer = 'Let me look. \n\nThe sky is clear.'

let chromium: TestBrowser
beforeAll(async () => {
  chromium = await launchBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('every example is under 60 lines', async () => {
  const folder = fileURLToPath(new URL('..', import.meta.url))
  const names = await readdir(folder, { recursive: true })
  const mains = names.filter(name => /^[a-z-]+[\\/]main\.[a-z]+$/.test(name))
  expect(mains).toHaveLength(5)
  for (const main of mains)
    expect((await readFile(`${folder}/${main}`, 'utf8')).split('\n').length, main).toBeLessThan(60)
})

describe('plain-js', () => {
  test('shows the answer, the tools and the tokens, no cost that nobody knows, and remembers the session', async () => {
    await using example = await openExample(chromium.browser, 'plain-js')
    const { page } = example
    await ask(page, 'How is the weather?')
    await page.getByText('tokens').waitFor()
    // Nobody knows what the scripted model costs.
    expect(await page.locator('#status').textContent()).toMatch(/^\d+ tokens$/)
    expect(await page.locator('#answer').textContent()).toBe(answer)
    expect(await page.locator('#tools li').allTextContents()).toEqual([
      'weather {"city":"Lisbon"}',
      'weather said: {"sky":"clear","degrees":21}',
    ])
    await ask(page, 'And tomorrow?')
    await page.getByText('tokens').waitFor()
    expect(await page.locator('#answer').textContent()).toBe(answer)
    expect(await sessionsOf(page)).toHaveLength(1)
    expect(example.problems).toEqual([])
  })
})

test('plain-js stops the agent when it is told to', async () => {
  const { agent } = heldAgent('assistant', { before: [say('Well, ')] })
  await using example = await openExample(chromium.browser, 'plain-js', { agents: [agent] })
  const { page } = example
  await ask(page, 'First')
  await page.getByText('Well, ').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('tokens').waitFor()
  expect(await statusesIn(page)).toEqual(['stopped'])
  expect(example.problems).toEqual([])
})

test('plain-js asks the person before a tool does what needs approval', async () => {
  const { removed, serverOptions } = asksApproval()
  await using example = await openExample(chromium.browser, 'plain-js', serverOptions)
  const { page } = example
  page.once('dialog', dialog => dialog.accept())
  await ask(page, 'Remove it.')
  await page.getByText('tokens').waitFor()
  expect(removed).toEqual(['all'])
  expect(await page.locator('#answer').textContent()).toBe('Done.')
  expect(example.problems).toEqual([])
})

describe('react-stream', () => {
  test('shows the answer as it grows, the tools and the tokens', async () => {
    await using example = await openExample(chromium.browser, 'react-stream')
    const { page } = example
    await ask(page, 'How is the weather?')
    await page.locator('#usage').waitFor()
    expect(await page.locator('#answer').textContent()).toBe(answer)
    expect(await page.locator('li').allTextContents()).toEqual(['weather {"city":"Lisbon"}: success'])
    await ask(page, 'And tomorrow?')
    await page.locator('#usage').waitFor()
    expect(await sessionsOf(page)).toHaveLength(1)
    expect(example.problems).toEqual([])
  })

  test('stops the agent when it is told to', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Well, ')] })
    await using example = await openExample(chromium.browser, 'react-stream', { agents: [agent] })
    const { page } = example
    await ask(page, 'First')
    await page.getByText('Well, ').waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByText('The answer is not whole: stopped').waitFor()
    expect(await statusesIn(page)).toEqual(['stopped'])
    expect(example.problems).toEqual([])
  })

  test('stops listening when it is told to, and asks anew in the same session', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Well, ')] })
    await using example = await openExample(chromium.browser, 'react-stream', { agents: [agent] })
    const { page } = example
    for (const question of ['First', 'Second']) {
      await ask(page, question)
      await page.getByText('Well, ').waitFor()
    }
    await page.getByRole('button', { name: 'Stop listening' }).click()
    await page.getByRole('button', { name: 'Stop listening' }).waitFor({ state: 'detached' })
    expect(await page.locator('#answer').textContent()).toBe('Well, ')
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await sessionsOf(page)).toHaveLength(1)
    expect(example.problems).toEqual([])
  })
})

describe('vue-chat', () => {
  test.each([
    ['Approve', ['all']],
    ['Deny', []],
  ])('lets the person decide on a tool that waits: %s', async (name, done) => {
    const { removed, serverOptions } = asksApproval()
    await using example = await openExample(chromium.browser, 'vue-chat', serverOptions)
    const { page } = example
    await page.getByPlaceholder('Write a message...').fill('Remove it.')
    await page.getByPlaceholder('Write a message...').press('Enter')
    await page.locator('.tool.waiting').waitFor()
    await page.getByRole('status').getByText('A tool waits for your approval...').waitFor()
    expect(removed).toEqual([])
    await page.getByRole('button', { name, exact: true }).click()
    await page.locator('.assistant:not(.streaming)').waitFor()
    expect(removed).toEqual(done)
    expect(await page.locator('.tool-approval').count()).toBe(0)
    expect(example.problems).toEqual([])
  })

  test('is a whole conversation', async () => {
    await using example = await openExample(chromium.browser, 'vue-chat')
    const { page } = example
    for (const [index, question] of ['How is the weather?', 'And tomorrow?'].entries()) {
      await page.getByPlaceholder('Write a message...').fill(question)
      await page.getByPlaceholder('Write a message...').press('Enter')
      await page.locator('.assistant:not(.streaming)').nth(index).waitFor()
      await page.locator('.usage').waitFor()
    }
    const lines = [
      'Calling tool: weather',
      'Tool result: {"sky":"clear","degrees":21}',
      'Let me look. \n\nThe sky is clear.',
    ]
    expect(await page.locator('.message-content').allTextContents()).toEqual([
      'How is the weather?',
      ...lines,
      'And tomorrow?',
      ...lines,
    ])
    expect(await page.locator('.assistant.streaming').count()).toBe(0)
    expect(await page.locator('.tool.success .tool-args').allTextContents()).toEqual([
      '{"city":"Lisbon"}',
      '{"city":"Lisbon"}',
    ])
    expect(await page.locator('.usage').textContent()).toBe('42 tokens')
    expect(await page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true)
    expect(example.problems).toEqual([])
  })

  test('stops the agent when it is told to, and goes on in the same session', async () => {
    const { agent } = heldAgent('assistant', {
      before: [say('Well, '), { type: 'tool-call', ...weatherCall() }],
    })
    await using example = await openExample(chromium.browser, 'vue-chat', { agents: [agent] })
    const { page } = example
    for (const [index, question] of ['First', 'Second'].entries()) {
      await page.getByPlaceholder('Write a message...').fill(question)
      await page.getByRole('button', { name: 'Send' }).click()
      await page.locator('.tool.running').waitFor()
      await page.getByRole('status').getByText('The agent is at work...').waitFor()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByText('The answer was stopped.').nth(index).waitFor()
      expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
    }
    expect(await page.locator('.tool.error').count()).toBe(2)
    expect(await statusesIn(page)).toEqual(['stopped', 'stopped'])
    expect(example.problems).toEqual([])
  })

  test('keeps the end in view when a picture has got its height', async () => {
    await using example = await openExample(chromium.browser, 'vue-chat')
    const { page } = example
    const picture = (await page.screenshot()).toString('base64')
    await page.route('**/agent/query-stream-delta', route =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: encodeQuery(
          weatherQuery.map(event =>
            event.type === 'tool_result' ? { ...event, screenshot_base64: picture } : event,
          ),
        ),
      }),
    )
    for (const question of ['How does it look?', 'And now?']) {
      await page.getByPlaceholder('Write a message...').fill(question)
      await page.getByRole('button', { name: 'Send' }).click()
      await page.locator('.usage').waitFor()
      const distance = () =>
        page
          .locator('.chat-messages')
          .evaluate(list => Math.round(list.scrollHeight - list.scrollTop - list.clientHeight))
      await expect
        .poll(() => page.locator('img').evaluateAll(all => all.every(each => each.clientHeight > 100)))
        .toBe(true)
      await expect.poll(distance).toBeLessThan(2)
    }
  })

  test('shows the picture that a tool took, in light and in dark', async () => {
    await using example = await openExample(chromium.browser, 'vue-chat')
    const { page } = example
    const picture = (await page.screenshot()).toString('base64')
    await page.route('**/agent/query-stream-delta', route =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: encodeQuery(
          weatherQuery.map(event =>
            event.type === 'tool_result' ? { ...event, screenshot_base64: picture } : event,
          ),
        ),
      }),
    )
    await page.getByPlaceholder('Write a message...').fill('How does it look?')
    await page.getByRole('button', { name: 'Send' }).click()
    const image = page.getByRole('img', { name: 'Screenshot' })
    await image.waitFor()
    expect(await image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBeGreaterThan(0)
    const colours = () =>
      page.locator('.user .message-content').evaluate(element => getComputedStyle(element).backgroundColor)
    await page.emulateMedia({ colorScheme: 'light' })
    const light = await colours()
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await colours()).not.toBe(light)
    expect(example.problems).toEqual([])
  })

  test('keeps the end in view as the answer grows', async () => {
    const { agent, letGo } = heldAgent('assistant', {
      before: [say('line\n'.repeat(100))],
      after: [say('line\n'.repeat(100))],
    })
    await using example = await openExample(chromium.browser, 'vue-chat', { agents: [agent] })
    const { page } = example
    await page.getByPlaceholder('Write a message...').fill('Many lines, please')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('.assistant.streaming').waitFor()
    await untilAtEnd(page)
    letGo()
    await page.locator('.usage').waitFor()
    await untilAtEnd(page)
    expect(example.problems).toEqual([])
  })
})

describe.each(['react-chat', 'vue-agent-chat'])('%s', name => {
  test('shows the same after a reload in mid-answer, and goes on', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('Well, ')], after: [say('yes.')] })
    await using example = await openExample(chromium.browser, name, { agents: [agent] })
    const { page } = example
    await page.getByPlaceholder('Write a message').fill('Is it?')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Well, ').waitFor()

    await page.reload()
    await page.getByText('Well, ').waitFor()
    letGo()
    await page.locator('main[data-status=ready]').waitFor()
    expect(await page.locator('article p').allTextContents()).toEqual(
      expect.arrayContaining(['Is it?', 'Well, yes.']),
    )
    expect(
      await page.locator('article').evaluateAll(all => all.map(each => each.getAttribute('data-role'))),
    ).toEqual(['user', 'assistant'])
    expect(example.problems).toEqual([])
  })
})

async function ask(page: Page, question: string): Promise<void> {
  await page.getByPlaceholder('Ask something').fill(question)
  await page.getByRole('button', { name: 'Ask' }).click()
}

async function sessionsOf(page: Page): Promise<readonly unknown[]> {
  const { sessions } = await page.evaluate(async () => (await fetch('/sessions')).json())
  return sessions
}

/** How the answers of the page's session stand on the server. */
async function statusesIn(page: Page): Promise<readonly unknown[]> {
  return page.evaluate(async () => {
    const { sessions } = await (await fetch('/sessions')).json()
    const { messages } = await (await fetch(`/sessions/${sessions[0].session_id}`)).json()
    return messages
      .filter((message: { readonly role: string }) => message.role === 'assistant')
      .map((message: { readonly status: string }) => message.status)
  })
}

async function untilAtEnd(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const list = document.querySelector('.chat-messages')
    if (list === null || list.scrollHeight <= list.clientHeight) return false
    return list.scrollHeight - list.scrollTop - list.clientHeight < 2
  })
}
