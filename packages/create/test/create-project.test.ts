import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { describe, expect, test } from 'vitest'
import { createProject } from '../src/create-project.ts'
import { templateNames } from '../src/templates.ts'

const common = [
  '.env.example',
  '.gitignore',
  'README.md',
  'agents/assistant.ts',
  'package.json',
  'page/chat-id.ts',
  'page/style.css',
  'test/assistant.test.ts',
  'throughline.config.ts',
  'tools/send-report.ts',
  'tools/weather.ts',
  'tsconfig.json',
]

describe.each(templateNames)('the template %s', template => {
  test('has an agent, tools, a configuration, a page, a test and a README, and the name of the project', async () => {
    await using folder = await temporaryFolder()
    const target = join(folder.path, 'my-app')
    expect(await createProject({ folder: target, template })).toEqual({
      name: 'my-app',
      folder: target,
      template,
    })
    const files = await filesIn(target)
    expect([...files.keys()]).toEqual(expect.arrayContaining(common))
    expect(files.get('README.md')).toMatch(/^# my-app\n/)
    expect([...files].filter(([, text]) => text.includes('__NAME__'))).toEqual([])
  })

  test('has the packages of Throughline in the version of the generator, and one copy of the AI SDK and of zod', async () => {
    await using folder = await temporaryFolder()
    const target = join(folder.path, 'my-app')
    await createProject({ folder: target, template })
    const { dependencies } = await manifestOf(target)
    const { version } = await manifestOf(join(import.meta.dirname, '..'))
    const { ai, zod } = (await manifestOf(join(import.meta.dirname, '../../agents'))).dependencies
    expect(dependencies).toMatchObject({ throughline: version, '@throughline/client': version, ai, zod })
  })

  test('takes the packages of Throughline from where it is told', async () => {
    await using folder = await temporaryFolder()
    const target = join(folder.path, 'my-app')
    const packages = {
      throughline: 'file:a.tgz',
      '@throughline/client': 'file:b.tgz',
      '@throughline/log': 'file:c.tgz',
    }
    await createProject({ folder: target, template, packages })
    expect((await manifestOf(target)).dependencies).toMatchObject(packages)
  })
})

test('react is the default, and an empty repository is as good as no folder', async () => {
  await using folder = await temporaryFolder()
  const target = join(folder.path, 'my-app')
  await mkdir(join(target, '.git'), { recursive: true })
  expect(await createProject({ folder: target })).toMatchObject({ template: 'react' })
})

describe('a project is refused, and nothing is written:', () => {
  test.each([
    [
      'a folder that is not empty',
      'full',
      'react',
      /full is not empty: it has "letter\.txt"\. Choose another name/,
    ],
    ['a file', 'full/letter.txt', 'react', /letter\.txt is a file\. Choose another name/],
    ['an unknown template', 'my-app', 'nxt', 'There is no template "nxt". Did you mean "next"?'],
    ['a name of every object', 'my-app', 'constructor', /There is no template "constructor"/],
    [
      'a name with capitals and spaces',
      'Mein Café',
      'react',
      /cannot be the name .* For example: mein-cafe$/,
    ],
    ['a name that begins with a dot', '.hidden', 'react', /cannot be the name .* For example: hidden$/],
    ['the name of a dependency', 'throughline', 'react', /cannot be the name .* For example: my-app$/],
  ])('%s', async (_, name, template, message) => {
    await using folder = await temporaryFolder()
    await mkdir(join(folder.path, 'full'))
    await writeFile(join(folder.path, 'full/letter.txt'), 'Dear Ada')
    await expect(createProject({ folder: join(folder.path, name), template })).rejects.toThrow(message)
    expect(await readdir(folder.path, { recursive: true })).toEqual(['full', 'full/letter.txt'])
  })
})

async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(each => each.isFile()).map(each => join(each.parentPath, each.name))
  return new Map(
    await Promise.all(
      files.map(
        async (file): Promise<[string, string]> => [
          file.slice(folder.length + 1).replaceAll('\\', '/'),
          await readFile(file, 'utf8'),
        ],
      ),
    ),
  )
}

async function manifestOf(folder: string) {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
}
