import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { launchBrowser, type TestBrowser } from '@throughline/testing/browser'
import { heldAgent, say } from '@throughline/testing/scripted-agent'
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
  test('shows the answer, the tools and the cost, and remembers the session', async () => {
    await using example = await openExample(chromium.browser, 'plain-js')
    const { page } = example
    await ask(page, 'How is the weather?')
    await page.getByText('tokens').waitFor()
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
    expect(await page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true)
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

async function untilAtEnd(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const list = document.querySelector('.chat-messages')
    if (list === null || list.scrollHeight <= list.clientHeight) return false
    return list.scrollHeight - list.scrollTop - list.clientHeight < 2
  })
}
