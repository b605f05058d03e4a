import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { launchBrowser, type TestBrowser } from '@throughline/testing/browser/browser'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { environment, installedProject, type Project, tarballs } from './templates/project.ts'

// An installation takes a minute on a slow machine, and so does the first build of Next.
const timeout = 300_000

let chromium: TestBrowser
beforeAll(async () => {
  chromium = await launchBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

describe.each(['react', 'next', 'express'])('a project from the template %s, on Node 20', template => {
  let project: Project
  beforeAll(async () => {
    project = await installedProject(template)
  }, timeout)
  afterAll(() => project[Symbol.asyncDispose]())

  test('has no mistake in its types, and passes its own test', { timeout }, async () => {
    await project.npm('run', 'check')
    expect(await project.npm('test')).toMatch(/pass 1\n.*fail 0\n/s)
  })

  test('runs with npm run dev: tools, an approval over a reload, a stop', { timeout }, async () => {
    await using server = await project.start('dev')
    await useChat(await openedPage(server.url))
  })

  test('runs as it is deployed', { timeout }, async () => {
    if (template !== 'express') await project.npm('run', 'build')
    await using server = await project.start('start')
    await useChat(await openedPage(server.url))
  })
})

test('the packed create-throughline makes the same project as npm run create, with versions instead of files', async () => {
  await using folder = await temporaryFolder()
  const [tarball = ''] = (await readdir(tarballs)).filter(name => name.startsWith('create-throughline-'))
  const words = [
    'exec',
    '--yes',
    `--package=${join(tarballs, tarball)}`,
    '--',
    'create-throughline',
    'my-app',
  ]
  const { stdout } = await promisify(execFile)('npm', words, { cwd: folder.path, env: environment() })
  expect(stdout).toContain('Made my-app (react)')
  const made = join(folder.path, 'my-app')
  expect((await readdir(made)).toSorted()).toEqual([
    '.env.example',
    '.gitignore',
    'README.md',
    'agents',
    'dev.js',
    'index.html',
    'package.json',
    'page',
    'test',
    'throughline.config.ts',
    'tools',
    'tsconfig.json',
    'vite.config.ts',
  ])
  const { dependencies } = JSON.parse(await readFile(join(made, 'package.json'), 'utf8'))
  expect(dependencies).toMatchObject({ throughline: expect.stringMatching(/^\d+\.\d+\.\d+/) })
})

/** A server may need some time between its first line and its first page. */
async function openedPage(url: string): Promise<Page> {
  const page = await chromium.browser.newPage()
  await expect.poll(() => page.goto(url).then(response => response?.status()), { timeout: 60_000 }).toBe(200)
  return page
}

/** Does what a person would do first with a new project. */
async function useChat(page: Page): Promise<void> {
  const card = (title: string) => page.locator('section.tool', { hasText: title })
  const answers = page.locator('article.assistant')
  await page.getByRole('button', { name: 'What is the weather in Lisbon?' }).click({ timeout: 60_000 })
  await card('Weather is done').waitFor()
  await answers.getByText('In Lisbon it is sunny at 21 °C').waitFor()

  await ask(page, 'Send a report that I have to approve')
  await card('Send report waits for you').waitFor()
  await page.reload()
  await card('Send report waits for you').waitFor()
  await page.getByRole('button', { name: 'Approve' }).click()
  await answers.getByText('You allowed it').waitFor()
  await isReady(page)
  const texts = await page.locator('article').allInnerTexts()
  expect(texts).toHaveLength(4)
  for (const once of ['Let me look up', 'sunny at 21 °C', 'I would like to send', 'You allowed it'])
    expect(texts.join('\n').split(once)).toHaveLength(2)

  await ask(page, 'Write a long text')
  await expect.poll(async () => (await answers.last().innerText()).length).toBeGreaterThan(200)
  await page.reload()
  await answers.nth(2).waitFor()
  const before = (await answers.last().innerText()).length
  await expect.poll(async () => (await answers.last().innerText()).length).toBeGreaterThan(before)
  await page.getByRole('button', { name: 'Stop' }).click()
  await answers.last().getByRole('status').waitFor()
  await isReady(page)
  expect(await page.locator('article').count()).toBe(6)
}

/** Before that, Enter sends nothing. */
async function isReady(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
}

async function ask(page: Page, text: string): Promise<void> {
  await isReady(page)
  await page.getByPlaceholder('Write a message').fill(text)
  await page.keyboard.press('Enter')
}
