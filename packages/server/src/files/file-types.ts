/** The pictures that are saved and shown. They cannot run code, whoever made them. */
export const pictureTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
])

/** The other files that a message may carry, with the file name extension of each. They are only downloaded. */
export const documentTypes: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
  ['text/csv', 'csv'],
  ['application/json', 'json'],
])

/** Returns whether files of this type are text. They are saved as UTF-8. */
export function isTextType(mediaType: string): boolean {
  return documentTypes.has(mediaType) && mediaType !== 'application/pdf'
}

/** All files of a chat that an agent is given for one answer, in bytes. The newest files are given first. */
export const maxGivenBytes = 20 * 1024 * 1024
