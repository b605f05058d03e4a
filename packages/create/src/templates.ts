import { CreateError } from './create-error.ts'
import { nearest } from './nearest.ts'

/** A project is made of folders in `templates`. A file of a later folder replaces one of an earlier folder. */
const templates: Readonly<Record<string, readonly string[]>> = {
  react: ['common', 'react-chat', 'react'],
  next: ['common', 'react-chat', 'next'],
  express: ['common', 'express'],
}

export const templateNames: readonly string[] = Object.keys(templates)

/** Returns the folders of a template. Throws a `CreateError` for an unknown name. */
export function foldersOf(template: string): readonly string[] {
  const folders = Object.hasOwn(templates, template) ? templates[template] : undefined
  if (folders !== undefined) return folders
  throw new CreateError(
    `There is no template "${template}". Did you mean "${nearest(template, templateNames)}"? ` +
      `There are ${templateNames.join(', ')}.`,
  )
}
